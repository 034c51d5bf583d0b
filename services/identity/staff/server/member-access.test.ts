import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AdminKeyId } from '#services/framework/ids.ts'
import { type AccessChange, type AdminRole, changeMember, issueAdminKey, adminKeyStreams } from '../access-key.ts'
import { ADMINISTRATORS_ID, leaveAdministrators, administrators } from '../administrators.ts'
import type { AnyEvent } from '#services/oversight/event-catalogue.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { runPolicies } from '#services/portal/modules.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'
import { AccessKeys, adminKeyIdOf, newAccessKey } from './access-keys.ts'

const LAST = 'This is the last administrator whose key does not expire. Give another administrator such a key first.'
const ROUNDS = 20
const LATER = Date.UTC(2099, 0, 1)
const dana: Context = {
  actor: { kind: 'admin', id: 'dana', label: 'Dana' },
  requestId: 'r1',
  causationId: 'r1',
  correlationId: 'r1',
}

const change = (changes: AccessChange['changes']): AccessChange => ({ changes, newKey: null })
const revocation = change(null)
const keyThatExpires = (): AccessChange => ({
  changes: null,
  newKey: { keyId: adminKeyIdOf(hash()), keyHash: hash(), expiresAt: LATER },
})

let hashes = 0
const hash = () => `${++hashes}`.padStart(64, '0')

const keysOf = ({ running: { parts } }: Portal) => new AccessKeys(parts.repositories, parts.secrets)
const membersOf = ({ running: { parts } }: Portal) => parts.repositories.of(adminKeyStreams)
const administratorsOf = ({ running: { parts } }: Portal) => parts.repositories.of(administrators)
const present = async (portal: Portal) => [
  ...(await administratorsOf(portal).load(ADMINISTRATORS_ID)).state.present.keys(),
]
const lasts = async (portal: Portal, id: AdminKeyId) => (await membersOf(portal).load(id)).state.lastingSince !== null
const issue = async (portal: Portal, role: AdminRole = 'admin') =>
  (await keysOf(portal).issue('Robin', role, 'a test')).id
const eventsOf = (portal: Portal, id: AdminKeyId) => portal.events(`admin-${id}`)
const inShort = ({ stream, revision, type }: RecordedEvent<AnyEvent>) => `${stream} ${revision} ${type}`

/** Decides on a removal as a process does that dies right after it. */
async function decideToRemove(portal: Portal, member: AdminKeyId, removal: AccessChange): Promise<string | undefined> {
  const since = (await membersOf(portal).load(member)).state.lastingSince ?? -1
  const { events } = await administratorsOf(portal).decide(ADMINISTRATORS_ID, dana, (all) =>
    leaveAdministrators(all, { ...removal, member, since }, true),
  )
  return events[0]?.id
}

describe('removals at once by two processes', () => {
  let one: Portal
  let other: Portal
  beforeAll(async () => {
    one = await openPortal({ services: ['command'] })
    other = await openPortal({ services: ['command'], dataDir: one.dataDir })
  })
  afterAll(async () => {
    await other.stop()
    await one.stop()
  })

  it.each<[string, AccessChange]>([
    ['revocation', revocation],
    ['another role', change({ role: 'support' })],
    ['an expiry', change({ expiresAt: LATER })],
  ])('leave one administrator: %s', async (_, { changes }) => {
    const remove = (portal: Portal, id: AdminKeyId) => {
      const { sessionStore } = portal.running.parts
      return changes
        ? keysOf(portal).change(id, changes, dana, sessionStore)
        : keysOf(portal).revoke(id, dana, sessionStore)
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const id of await present(one)) await keysOf(one).revoke(id, 'a test', one.running.parts.sessionStore)
      const [first, second] = [await issue(one), await issue(other)]
      const outcomes = await Promise.allSettled([remove(one, first), remove(other, second)])
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))).toMatchObject([
        { kind: 'conflict', message: LAST },
      ])
      expect([await lasts(one, first), await lasts(one, second)].toSorted()).toEqual([false, true])
    }
  })

  it('never take an administrator away by a change that had been harmless: both are decided', async () => {
    const keeper = await issue(one)
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await issue(one, 'support')
      // The expiry alone removes no administrator, unless the member is one by then.
      const { sessionStore } = one.running.parts
      await Promise.all([
        keysOf(one).change(id, { role: 'admin' }, dana, sessionStore),
        keysOf(other).change(id, { expiresAt: LATER }, dana, sessionStore),
      ])
      expect(await lasts(one, id)).toBe(false)
      expect(await present(one)).not.toContain(id)
    }
    expect(await present(one)).toContain(keeper)
  })
})

describe('after a crash between the stream of the member and that of the administrators', () => {
  let portal: Portal
  beforeAll(async () => void (portal = await openPortal()))
  afterAll(() => portal.stop())

  it('a member who became an administrator joins', async () => {
    const keyHash = hash()
    const [first, second] = [adminKeyIdOf(keyHash), await issue(portal, 'support')]
    await membersOf(portal).decide(first, dana, (key) => issueAdminKey(key, 'Erin', 'admin', keyHash))
    await membersOf(portal).decide(second, dana, (key) => changeMember(key, { role: 'admin' }))
    await until(
      async () => (await present(portal)).includes(first) && (await present(portal)).includes(second),
      'both to join',
    )
  })

  it.each<[string, () => AccessChange, string]>([
    ['a revocation', () => revocation, 'AdminKeyRevoked'],
    ['another role', () => change({ role: 'payouts', label: 'Robin Roe' }), 'AdminKeyChanged'],
    ['an expiry', () => change({ expiresAt: LATER }), 'AdminKeyChanged'],
    ['a new key that expires', keyThatExpires, 'AdminKeyReplaced'],
  ])('the worker completes a removal: by %s', async (_, removal, type) => {
    const member = await portal.member('admin')
    const id = adminKeyIdOf(portal.running.parts.secrets.accessKeyHash(member.accessKey))
    expect((await member.get('/api/admin/stats')).status).toBe(200)
    const left = await decideToRemove(portal, id, removal())
    await until(async () => (await member.get('/api/admin/stats')).status === 401, 'the session to end')
    // The actor is who decided: the two approvals of a payout depend on it.
    expect((await eventsOf(portal, id)).at(-1)).toMatchObject({
      type,
      metadata: { actor: dana.actor, requestId: 'r1', causationId: left },
    })
    expect(await lasts(portal, id)).toBe(false)
  })
})

describe('the policies', () => {
  let portal: Portal
  /** Without a worker: a test does its work. */
  beforeAll(async () => void (portal = await openPortal({ services: ['command'] })))
  afterAll(() => portal.stop())

  const reactToAll = async () => {
    const { policyDependencies } = portal.running.parts
    for (const event of await portal.events())
      if (event.type !== 'AdministratorLeft') await runPolicies(event, policyDependencies)
  }
  const replay = async () => {
    const log = await portal.events()
    for (const event of log) await runPolicies(event, portal.running.parts.policyDependencies)
  }

  it('do not add a member again while the removal is on its way', async () => {
    const id = await issue(portal)
    await decideToRemove(portal, id, change({ role: 'support' }))
    await reactToAll()
    expect(await lasts(portal, id)).toBe(true)
    expect(await present(portal)).not.toContain(id)
    await replay()
    expect(await lasts(portal, id)).toBe(false)
  })

  it('complete no removal twice, nor one of a member who is an administrator again', async () => {
    const { sessionStore } = portal.running.parts
    const [id, gone] = [await issue(portal), await issue(portal)]
    await keysOf(portal).change(id, { role: 'support' }, dana, sessionStore)
    await keysOf(portal).change(id, { role: 'admin' }, dana, sessionStore)
    await keysOf(portal).replace(gone, dana, sessionStore, { expiresAt: LATER })
    const log = (await portal.events()).map(inShort)
    await replay()
    await replay()
    expect((await portal.events()).map(inShort)).toEqual(log)
    expect(await present(portal)).toContain(id)
  })

  it('complete a removal whose request goes on: it is recorded once, with the new key of the request', async () => {
    const id = await issue(portal)
    const { sessionStore, policyDependencies, repositories, secrets } = portal.running.parts
    const accessKey = newAccessKey()
    // The worker does its part right after the removal is decided, before the request goes on.
    const overtaken: typeof repositories = {
      ...repositories,
      of(type) {
        const repository = repositories.of(type)
        return {
          ...repository,
          async decide(stream, context, decide) {
            const result = await repository.decide(stream, context, decide)
            for (const event of await portal.events('administrators-this')) await runPolicies(event, policyDependencies)
            return result
          },
        }
      },
    }
    await new AccessKeys(overtaken, secrets).replace(id, dana, sessionStore, { accessKey, expiresAt: LATER })
    expect((await eventsOf(portal, id)).map(({ type }) => type)).toEqual(['AdminKeyIssued', 'AdminKeyReplaced'])
    expect((await membersOf(portal).load(id)).state.issued).toMatchObject({
      keyHash: secrets.accessKeyHash(accessKey),
      expiresAt: LATER,
    })
  })
})

describe('the command line', () => {
  it('may remove the last administrator', async () => {
    const portal = await openPortal({ services: ['command'] })
    try {
      const [last, ...others] = await present(portal)
      if (!last) throw new Error('There is no administrator')
      expect(others).toEqual([])
      const { sessionStore } = portal.running.parts
      await expect(keysOf(portal).revoke(last, dana, sessionStore)).rejects.toMatchObject({
        kind: 'conflict',
        message: LAST,
      })
      await keysOf(portal).revoke(last, 'a test', sessionStore)
      expect(await lasts(portal, last)).toBe(false)
      expect(await present(portal)).toEqual([])
    } finally {
      await portal.stop()
    }
  })
})
