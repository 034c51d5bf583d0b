import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { FirmAnswer } from '../firm-api.ts'
import { ShownFirm } from '../shown-firm-api.ts'

const environment = {
  FIRM_NAME: 'Variable Ltd',
  SUPPORT_EMAIL: 'variable@firm.example',
  MAIL_FROM: 'post@firm.example',
}
const PATH = '/api/admin/system/firm'
const content = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="48" height="24"><path d="M0 0h9v9z"/></svg>',
).toString('base64')

let portal: Portal
let admin: Browser
beforeAll(async () => {
  portal = await openPortal({ environment })
  admin = await portal.admin()
})
afterAll(() => portal.stop())

const shown = async () => read(ShownFirm, await portal.browser().get('/api/firm'))
const change = (body: object) => admin.patch(PATH, body)

describe("the firm's name and colours", () => {
  it('are those of the variables until they are set, and again when they are cleared', async () => {
    const byVariable = { name: 'Variable Ltd', supportEmail: 'variable@firm.example', accent: null, logo: null }
    expect(await shown()).toEqual(byVariable)
    expect(
      (await change({ name: 'Northgate', accent: '#1D4ED8', supportEmail: 'help@northgate.example' })).status,
    ).toBe(200)
    expect(await shown()).toMatchObject({ name: 'Northgate', supportEmail: 'help@northgate.example' })
    expect((await shown()).accent?.[0]).toMatch(/^light-dark\(#1d4ed8,#/)
    expect(read(FirmAnswer, await admin.get(PATH))).toMatchObject({
      ...{ name: 'Northgate', accent: '#1d4ed8', senderName: null },
      defaults: { name: 'Variable Ltd', senderName: 'Northgate', senderAddress: 'post@firm.example' },
    })
    expect((await change({ name: '', accent: null, supportEmail: '' })).status).toBe(200)
    expect(await shown()).toEqual(byVariable)
  })

  it('are refused with a sentence where nobody could read them', async () => {
    const { status, body } = await change({ accent: '#ffcc00' })
    expect(status).toBe(400)
    expect(body).toMatchObject({ errors: { accent: expect.stringContaining('is the nearest shade that can be read') } })
    expect((await change({ accent: 'red' })).body).toMatchObject({
      errors: { accent: expect.stringContaining('as # and six digits') },
    })
    expect((await change({ name: 'x'.repeat(61) })).body).toMatchObject({ message: 'Must be at most 60 characters' })
    for (const odd of [
      { accent: 'red' },
      { accent: '#fff' },
      { accent: '#1d4ed8;background:url(//evil.example)' },
      { name: 'x'.repeat(61) },
      { name: 'North\ngate' },
      { supportEmail: 'nobody' },
      { senderAddress: 'a@b.example, c@d.example' },
      { senderName: 'Bank\r\nBcc: thief@mail.example' },
    ])
      expect((await change(odd)).status, JSON.stringify(odd)).toBe(400)
  })

  it('stand in the record with what was changed, once', async () => {
    await change({ name: 'Northgate' })
    await change({ name: 'Northgate' })
    const changes = (await portal.events('firm-this')).filter(({ type }) => type === 'FirmChanged')
    expect(changes.at(-1)?.data).toMatchObject({ from: { name: null }, to: { name: 'Northgate' } })
    expect(changes.at(-1)?.metadata.actor.kind).toBe('admin')
    const { text } = await admin.get('/api/audit/events?type=FirmChanged', await portal.atEnd())
    expect(text).toContain('{"field":"firm.name","from":null,"to":"Northgate"}')
  })

  it('are set by administrators alone', async () => {
    const support = await portal.member('support')
    expect((await support.patch(PATH, { name: 'Mine' })).status).toBe(403)
    expect((await support.post(`${PATH}/logo`, { content })).status).toBe(403)
    expect((await portal.browser().patch(PATH, { name: 'Mine' })).status).toBe(401)
    expect((await support.get(PATH)).status).toBe(200)
  })

  it('name mails, their sender, and whom to ask', async () => {
    await change({ name: 'Northgate & Sons', accent: '#0369a1', supportEmail: 'help@northgate.example' })
    await change({ senderName: 'Northgate Desk', senderAddress: 'desk@northgate.example' })
    const trader = await portal.trader()
    await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'Two accounts' })
    const mail = await portal.mailWith(
      trader.email,
      ({ subject }) => subject === 'Your Northgate & Sons account was banned',
    )
    expect(mail.from).toEqual({ name: 'Northgate Desk', address: 'desk@northgate.example' })
    expect(mail.text).toMatch(/^Northgate & Sons\n/)
    expect(mail.text).toContain('contact support at help@northgate.example')
    expect(mail.html).toContain('Northgate &amp; Sons')
    expect(mail.html).not.toMatch(/[\uE000]|Proofdesk/)
    await change({ name: 'Northgate', senderName: '', senderAddress: '' })
    await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: false })
    const later = await portal.mailWith(
      trader.email,
      ({ subject }) => subject === 'Your Northgate account is no longer banned',
    )
    expect(later.from).toEqual({ name: 'Northgate', address: 'post@firm.example' })
    expect(later.html).toContain('background-color:#0369a1')
  })
})

describe("the firm's logo", () => {
  it('is served as what it is, and nothing in it runs', async () => {
    expect((await admin.post(`${PATH}/logo`, { content })).status).toBe(200)
    const { logo } = await shown()
    expect(logo).toMatchObject({
      width: 48,
      height: 24,
      path: expect.stringMatching(/^\/firm\/logo\/[0-9a-f]{32}\.svg$/),
    })
    const response = await fetch(new URL(logo?.path ?? '', portal.url))
    expect(await response.text()).toBe(Buffer.from(content, 'base64').toString())
    const { headers } = response
    expect(headers.get('content-type')).toMatch(/^image\/svg\+xml/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
    )
    expect(headers.get('cache-control')).toContain('immutable')
    const page = await (await fetch(portal.url)).text()
    if (!page.includes('not built')) expect(page).toContain(logo?.path)
    for (const other of ['x.svg', `${'0'.repeat(32)}.svg`, '..%2f..%2fetc%2fpasswd'])
      expect((await fetch(new URL(`/firm/logo/${other}`, portal.url))).status).toBe(404)
    expect((await admin.delete(`${PATH}/logo`)).status).toBe(200)
    expect((await fetch(new URL(logo?.path ?? '', portal.url))).status).toBe(404)
  })

  it('is refused with a reason where it is no harmless picture', async () => {
    const evil = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>').toString(
      'base64',
    )
    const { status, body } = await admin.post(`${PATH}/logo`, { content: evil })
    expect([status, body]).toEqual([400, expect.objectContaining({ message: expect.stringContaining('<script>') })])
    expect((await admin.post(`${PATH}/logo`, { content: '%%%' })).status).toBe(400)
    expect((await admin.post(`${PATH}/logo`, { content: 'A'.repeat(80_000) })).status).toBe(400)
    expect((await shown()).logo).toBeNull()
  })
})
