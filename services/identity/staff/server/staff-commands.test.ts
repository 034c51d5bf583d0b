import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type AdminRole, IssuedAccessKey, StaffList, type StaffMember } from '../staff-api.ts'
import { SignedInAdmin } from '#services/identity/sign-in/sign-in-api.ts'
import { after, read } from '#test-support/http-calls.ts'
import { runCommand } from '#test-support/command-line.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { storesFor } from '#test-support/portal-stores.ts'
import { until } from '#test-support/until.ts'

const STAFF = '/api/admin/staff'

let portal: Portal
let admin: Browser

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
})
afterAll(() => portal.stop())

/** The event types of a member's stream. */
const eventsOf = async (id: string) => (await portal.events(`admin-${id}`)).map(({ type }) => type)

async function memberNow(id: string): Promise<StaffMember> {
  const found = read(StaffList, await admin.get(STAFF)).members.find((member) => member.id === id)
  if (!found) throw new Error(`There is no member ${id}`)
  return found
}

async function signedIn(accessKey: string): Promise<Browser> {
  const browser = portal.browser()
  expect((await browser.post('/api/admin/login', { accessKey })).status).toBe(200)
  return browser
}

const inAYear = () => new Date(Date.now() + 365 * 24 * 60 * 60_000).toISOString()

describe('adding a member of staff', () => {
  it('shows the key once, and opens what the role may do', async () => {
    const expiresAt = inAYear()
    const answer = await admin.post(STAFF, { name: ' Dana, payouts desk ', role: 'payouts', expiresAt })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('cache-control')).toContain('no-store')
    const { id, accessKey } = read(IssuedAccessKey.required(), answer)
    const dana = portal.browser()
    const opened = read(SignedInAdmin, await dana.post('/api/admin/login', { accessKey }))
    expect(opened).toMatchObject({ isAdmin: true, id, role: 'payouts', label: 'Dana, payouts desk' })
    expect(opened.permissions).toEqual(['own-sessions', 'write-notes', 'decide-payouts', 'read', 'export'])
    expect((await dana.get('/api/admin/payouts')).status).toBe(200)

    const list = await admin.get(STAFF, after(answer))
    expect(list.text).not.toContain(accessKey)
    const member = await until(
      async () => ((await memberNow(id)).lastUsedAt ? memberNow(id) : undefined),
      'the last use',
    )
    expect(member).toMatchObject({ name: 'Dana, payouts desk', role: 'payouts', expiresAt, revokedAt: null })
    const [issued] = await portal.events(`admin-${id}`)
    expect(issued).toMatchObject({
      type: 'AdminKeyIssued',
      metadata: { actor: { kind: 'admin', label: 'ADMIN_ACCESS_KEY' } },
    })
  })

  it.each([
    ['name', { role: 'support' }],
    ['role', { name: 'Dana', role: 'owner' }],
    ['expiresAt', { name: 'Dana', role: 'support', expiresAt: '2020-01-01T00:00:00.000Z' }],
    ['expiresAt', { name: 'Dana', role: 'support', expiresAt: 'tomorrow' }],
  ])('needs a valid %s', async (field, body) => {
    const { status, body: refusal } = await admin.post(STAFF, body)
    expect(status).toBe(400)
    expect(refusal).toMatchObject({ errors: { [field]: expect.any(String) } })
  })
})

describe('changing a member of staff', () => {
  it('ends their sessions at once; the next has the new role', async () => {
    const member = await portal.member('admin', { name: 'Robin' })
    expect((await member.get(STAFF)).status).toBe(200)
    const changed = await admin.patch(`${STAFF}/${member.id}`, { role: 'support', name: 'Robin Roe' })
    expect(changed.status).toBe(200)
    expect((await member.get('/api/admin/stats')).status).toBe(401)
    const again = await signedIn(member.accessKey)
    expect((await again.get('/api/admin/auth')).body).toMatchObject({ role: 'support', label: 'Robin Roe' })
    expect((await again.get(STAFF)).status).toBe(403)
    expect(
      read(StaffList, await admin.get(STAFF, after(changed))).members.find(({ id }) => id === member.id),
    ).toMatchObject({
      name: 'Robin Roe',
      role: 'support',
    })
    expect(await eventsOf(member.id)).toEqual(['AdminKeyIssued', 'AdminSignedIn', 'AdminKeyChanged', 'AdminSignedIn'])
  })

  it('changes nothing, and ends no session, when nothing differs', async () => {
    const member = await portal.member('support')
    expect((await admin.patch(`${STAFF}/${member.id}`, { role: 'support' })).status).toBe(200)
    expect((await member.get('/api/admin/stats')).status).toBe(200)
  })

  it.each<AdminRole>(['payouts', 'support', 'auditor'])('is refused to %s, also about themselves', async (role) => {
    const member = await portal.member(role)
    const attempts = [
      await member.patch(`${STAFF}/${member.id}`, { role: 'admin' }),
      await member.post(STAFF, { name: 'Accomplice', role: 'admin' }),
      await member.post(`${STAFF}/${member.id}/key`, {}),
      await member.delete(`${STAFF}/${member.id}`),
    ]
    expect(attempts.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect(await eventsOf(member.id)).toEqual(['AdminKeyIssued', 'AdminSignedIn'])
  })
})

describe('replacing a key', () => {
  it('ends the key before and its sessions; the member stays the same', async () => {
    const member = await portal.member('payouts')
    const { id, accessKey } = read(
      IssuedAccessKey.required(),
      await admin.post(`${STAFF}/${member.id}/key`, { expiresAt: inAYear() }),
    )
    expect(id).toBe(member.id)
    expect((await member.get('/api/admin/stats')).status).toBe(401)
    expect((await portal.browser().post('/api/admin/login', { accessKey: member.accessKey })).status).toBe(401)
    const again = await signedIn(accessKey)
    expect((await again.get('/api/admin/auth')).body).toMatchObject({ id: member.id })
    // The worker ends only sessions from before.
    await portal.mailed()
    expect((await again.get('/api/admin/stats')).status).toBe(200)
    expect((await memberNow(id)).expiresAt).not.toBeNull()
    expect(await eventsOf(id)).toEqual([
      'AdminKeyIssued',
      'AdminSignedIn',
      'AdminKeyReplaced',
      'AdminSignInRefused',
      'AdminSignedIn',
    ])
  })
})

describe('the end of an access', () => {
  it('by revocation ends sessions and the key for good', async () => {
    const member = await portal.member('support')
    const { stopped } = await listen(member)
    const revoked = await admin.delete(`${STAFF}/${member.id}`)
    expect((await member.get('/api/admin/stats')).status).toBe(401)
    await stopped
    expect((await portal.browser().post('/api/admin/login', { accessKey: member.accessKey })).status).toBe(401)
    expect(
      read(StaffList, await admin.get(STAFF, after(revoked))).members.find(({ id }) => id === member.id)?.revokedAt,
    ).not.toBeNull()
    expect((await admin.post(`${STAFF}/${member.id}/key`, {})).status).toBe(409)
    expect((await admin.patch(`${STAFF}/${member.id}`, { role: 'admin' })).status).toBe(409)
  })

  it('by expiry ends sessions, live streams and the key', async () => {
    const member = await portal.member('auditor', { expiresAt: Date.now() + 2_000 })
    const { stopped } = await listen(member)
    expect((await member.get('/api/admin/stats')).status).toBe(200)
    await until(async () => (await member.get('/api/admin/stats')).status === 401, 'the expiry')
    await stopped
    expect((await member.get('/api/admin/auth')).body).toEqual({ isAdmin: false })
    expect((await portal.browser().post('/api/admin/login', { accessKey: member.accessKey })).status).toBe(401)
    expect((await portal.events(`admin-${member.id}`)).at(-1)).toMatchObject({
      type: 'AdminSignInRefused',
      data: { why: 'expired' },
    })
  })

  it('is refused for the last administrator whose key does not expire', async () => {
    const { id } = read(SignedInAdmin, await admin.get('/api/admin/auth'))
    const others = read(StaffList, await admin.get(STAFF)).members.filter(
      (member) => member.role === 'admin' && member.id !== id && !member.revokedAt,
    )
    for (const other of others) await admin.delete(`${STAFF}/${other.id}`)
    for (const attempt of [
      () => admin.delete(`${STAFF}/${id}`),
      () => admin.patch(`${STAFF}/${id}`, { role: 'payouts' }),
      () => admin.patch(`${STAFF}/${id}`, { expiresAt: inAYear() }),
      () => admin.post(`${STAFF}/${id}/key`, { expiresAt: inAYear() }),
    ]) {
      const { status, body } = await attempt()
      expect(status).toBe(409)
      expect(body).toMatchObject({ message: expect.stringContaining('last administrator') })
    }
    expect((await admin.get(STAFF)).status).toBe(200)
  })
})

it('is done from the command line as well', async () => {
  const cli = async (...args: string[]) =>
    (await runCommand(['admin-key', ...args], { DATA_DIR: portal.dataDir, ...(await storesFor(portal.dataDir)) }))
      .stdout
  const [key = ''] = (await cli('create', 'Kim', '--role', 'support', '--expires', '2099-12-31')).match(/pdk_\S+/) ?? []
  const kim = await signedIn(key)
  const { id } = read(SignedInAdmin, await kim.get('/api/admin/auth'))
  await cli('change', id, '--role', 'payouts', '--expires', 'never')
  expect((await kim.get('/api/admin/stats')).status).toBe(401)
  const [newKey = ''] = (await cli('rotate', id)).match(/pdk_\S+/) ?? []
  expect((await (await signedIn(newKey)).get('/api/admin/auth')).body).toMatchObject({
    id,
    role: 'payouts',
    label: 'Kim',
  })
  expect(await cli('list')).toMatch(/Kim.*payouts/)
})

/** Listens to live changes until the server ends the stream. */
async function listen(who: Browser): Promise<{ readonly stopped: Promise<unknown> }> {
  const left = new AbortController()
  onTestFinished(() => left.abort())
  const cookie = [...who.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(new URL('/api/live', portal.url), { headers: { cookie }, signal: left.signal })
  expect(response.status).toBe(200)
  return { stopped: response.text() }
}
