import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IssuedAccessKey } from '../staff-api.ts'
import { SignedInAdmin } from '#services/identity/sign-in/sign-in-api.ts'
import { adminKeyStreams } from '../access-key.ts'
import { ADMINISTRATORS_ID, administrators } from '../administrators.ts'
import { type AdminKeyId, adminKeyId } from '#services/framework/ids.ts'
import { AccessKeys } from './access-keys.ts'
import { after, read } from '#test-support/http-calls.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'

const STAFF = '/api/admin/staff'
const ROUNDS = 10
const expiresAt = '2099-01-01T00:00:00.000Z'

/** Two servers that share nothing but their stores. */
let one: Portal
let other: Portal

beforeAll(async () => {
  const environment = { TRUSTED_PROXIES: '1' }
  one = await openPortal({ environment })
  other = await openPortal({ environment, dataDir: one.dataDir })
})
afterAll(async () => {
  await other.stop()
  await one.stop()
})

interface Administrator {
  readonly id: AdminKeyId
  readonly server: Portal
  readonly browser: Browser
}

let networks = 0

/** Signs in from a network of its own: sign-ins from one are limited. */
async function signIn(server: Portal, accessKey: string): Promise<Administrator> {
  const browser = server.browser()
  const { id } = read(
    SignedInAdmin,
    await browser.post('/api/admin/login', { accessKey }, { headers: { 'x-forwarded-for': `10.0.0.${++networks}` } }),
  )
  return { id: adminKeyId.parse(id), server, browser }
}

/** The only administrator whose key does not expire. */
async function theOnly(): Promise<Administrator> {
  const { repositories, secrets, sessionStore } = one.running.parts
  const keys = new AccessKeys(repositories, secrets)
  const { id, accessKey } = await keys.issue('Dana', 'admin', 'a test')
  // From the log: a read model may lag behind it.
  const { present } = (await repositories.of(administrators).load(ADMINISTRATORS_ID)).state
  for (const member of present.keys()) if (member !== id) await keys.revoke(member, 'a test', sessionStore)
  const only = await signIn(one, accessKey)
  return only
}

/** Adds an administrator, whom the read models know as well, and signs them in at the other server. */
async function addTo(by: Administrator): Promise<Administrator> {
  const answer = await by.browser.post(STAFF, { name: 'Robin', role: 'admin' })
  await by.browser.get(STAFF, after(answer))
  return signIn(by.server === one ? other : one, read(IssuedAccessKey.required(), answer).accessKey)
}

/** Whether the log says that the member is an administrator whose key does not expire. */
async function lasts({ id }: Administrator): Promise<boolean> {
  const { issued, revoked } = (await one.running.parts.repositories.of(adminKeyStreams).load(id)).state
  return issued?.role === 'admin' && issued.expiresAt === null && !revoked
}

/** All that makes a member no administrator whose key does not expire. */
const removals: Readonly<Record<string, (by: Administrator, who: Administrator) => Promise<Answer>>> = {
  'a revocation': ({ browser }, { id }) => browser.delete(`${STAFF}/${id}`),
  'another role': ({ browser }, { id }) => browser.patch(`${STAFF}/${id}`, { role: 'payouts' }),
  'an expiry': ({ browser }, { id }) => browser.patch(`${STAFF}/${id}`, { expiresAt }),
  'a new key that expires': ({ browser }, { id }) => browser.post(`${STAFF}/${id}/key`, { expiresAt }),
}

describe('two administrators who remove each other at once, at two servers', () => {
  it.each(Object.entries(removals))('leave one: by %s', async (_, remove) => {
    let first = await theOnly()
    for (let round = 0; round < ROUNDS; round += 1) {
      const second = await addTo(first)
      const answers = await Promise.all([remove(first, second), remove(second, first)])
      const remaining = [await lasts(first), await lasts(second)]
      expect([round, ...remaining.toSorted()]).toEqual([round, false, true])
      // The slower one is refused, or finds its session ended.
      const [accepted, refused] = remaining[0] ? answers : answers.toReversed()
      expect(accepted?.status).toBe(200)
      expect([401, 409]).toContain(refused?.status)
      first = remaining[0] ? first : second
    }
  })
})

it('the removal of an administrator says what was decided before the stream of the member does', async () => {
  const first = await theOnly()
  const second = await addTo(first)
  const answer = await first.browser.patch(`${STAFF}/${second.id}`, { role: 'support', name: 'Robin Roe' })
  expect(answer.status).toBe(200)
  expect((await second.browser.get(STAFF)).status).toBe(401)
  const left = (await one.events('administrators-this')).at(-1)
  expect(left).toMatchObject({
    type: 'AdministratorLeft',
    data: { member: second.id, since: 0, changes: { role: 'support', label: 'Robin Roe' }, newKey: null },
    metadata: { actor: { kind: 'admin', id: first.id } },
  })
  const changed = (await one.events(`admin-${second.id}`)).at(-1)
  expect(changed).toMatchObject({
    type: 'AdminKeyChanged',
    data: { to: { role: 'support', label: 'Robin Roe', expiresAt: null } },
    metadata: { actor: { kind: 'admin', id: first.id }, causationId: left?.id },
  })
  expect(changed?.position).not.toBe(left?.position)

  const refused = await first.browser.delete(`${STAFF}/${first.id}`)
  expect(refused.status).toBe(409)
  expect(refused.body).toEqual({
    message: 'This is the last administrator whose key does not expire. Give another administrator such a key first.',
  })
  expect((await one.events('administrators-this')).at(-1)?.id).toBe(left?.id)
  // One with a key that expires, and one of another role, do not count; one whose key no longer expires does.
  expect((await first.browser.patch(`${STAFF}/${second.id}`, { role: 'admin', expiresAt })).status).toBe(200)
  expect((await first.browser.delete(`${STAFF}/${first.id}`)).status).toBe(409)
  expect((await first.browser.post(`${STAFF}/${second.id}/key`, {})).status).toBe(200)
  expect((await one.events('administrators-this')).at(-1)).toMatchObject({
    type: 'AdministratorJoined',
    data: { member: second.id },
    metadata: {
      actor: { kind: 'admin', id: first.id },
      causationId: (await one.events(`admin-${second.id}`)).at(-1)?.id,
    },
  })
  expect((await first.browser.delete(`${STAFF}/${first.id}`)).status).toBe(200)
})
