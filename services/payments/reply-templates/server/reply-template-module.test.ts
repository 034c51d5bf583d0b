import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal } from '#test-support/portal.ts'
import { ListedReplyTemplate } from '../reply-template-api.ts'

const portal = await openPortal()
afterAll(() => portal.stop())

const admin = await portal.admin()
const TEMPLATES = '/api/admin/reply-templates'
const wallet = { name: 'Wallet', text: 'This wallet is not yours.\nPlease send another one.' }
const templatesOf = async (who: Browser) => read(z.array(ListedReplyTemplate), await who.get(TEMPLATES))

describe('reply templates', () => {
  it('are kept by administrators and read by all staff', async () => {
    expect((await admin.post(TEMPLATES, wallet)).status).toBe(200)
    expect((await admin.post(TEMPLATES, { name: ' Statement ', text: 'Send it.' })).status).toBe(200)
    expect((await admin.post(TEMPLATES, { name: 'statement', text: 'Send the statement.' })).status).toBe(200)
    for (const who of [admin, await portal.member('payouts'), await portal.member('support'), await portal.auditor()])
      expect(await templatesOf(who)).toEqual([
        { id: 't1', ...wallet },
        { id: 't2', name: 'statement', text: 'Send the statement.' },
      ])
    expect((await admin.delete(`${TEMPLATES}/t2`)).status).toBe(200)
    expect((await admin.delete(`${TEMPLATES}/t2`)).status).toBe(404)
    expect(await templatesOf(admin)).toEqual([{ id: 't1', ...wallet }])
    expect((await portal.events('templates-this')).map(({ type }) => type)).toEqual([
      ...Array<string>(3).fill('ReplyTemplateSaved'),
      'ReplyTemplateRemoved',
    ])
  })

  it('are refused to everybody else, with the field at fault', async () => {
    const before = await templatesOf(admin)
    for (const role of ['payouts', 'support', 'auditor'] as const)
      expect((await (await portal.member(role)).post(TEMPLATES, wallet)).status).toBe(403)
    for (const who of [await portal.trader(), portal.browser()]) expect((await who.get(TEMPLATES)).status).toBe(401)
    for (const [field, body, message] of [
      ['name', { ...wallet, name: ' ' }, 'Please enter a name'],
      ['name', { ...wallet, name: 'x'.repeat(61) }, 'Must be at most 60 characters'],
      ['text', { ...wallet, text: '' }, 'Please write the text'],
      ['text', { ...wallet, text: 'x'.repeat(2_001) }, 'Must be at most 2000 characters'],
    ] as const)
      expect(await admin.post(TEMPLATES, body)).toMatchObject({ status: 400, body: { errors: { [field]: message } } })
    expect(await templatesOf(admin)).toEqual(before)
  })
})
