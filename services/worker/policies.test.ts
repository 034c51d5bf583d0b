import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPasswordHashing } from '#services/identity/authentication/password-hash.ts'
import { newUserId } from '#services/identity/users/server/password-link-tokens.ts'
import { Certificate } from '#services/trading/certificates/certificate-api.ts'
import { SESSION_COOKIE } from '#services/framework/api/headers.ts'
import { ERASED } from '#services/event-sourcing/erased.ts'
import { accountIdOf, type UserId, userId } from '#services/framework/ids.ts'
import {
  banUser,
  changeProfile,
  createUser,
  deleteUser,
  firstAccount,
  registerUser,
  unbanUser,
  userStreams,
} from '#services/identity/users/user.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { hashToken } from '#services/process/keys/derived-secrets.ts'
import type { AnyEvent } from '#services/oversight/event-catalogue.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { emailClaims } from '#services/identity/users/email-claim.ts'
import type { Browser } from '#test-support/http-client.ts'
import { eligibleTrader, read, uploadCertificate } from '#test-support/http-calls.ts'
import { newEmail, openPortal, type Portal, registration, type Trader } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'
import { userFilesPrefix } from '#services/trading/certificates/server/certificate-files.ts'
import { runPolicies } from '#services/portal/modules.ts'

const context = systemContext('a command that died', 'died')

/** The reactions to events whose command died before it did them itself. */
describe('after a crash between two streams', () => {
  let dataDir: string
  /** First without a worker, so that half-done work remains; then with one. */
  let portal: Portal
  let registered: { readonly id: UserId; readonly email: string }
  let created: { readonly id: UserId; readonly email: string }
  let [moved, banned, unbanned, deleted, bystander]: Trader[] = []
  let [movedTo, certificate] = ['', '']

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-reactions-'))
    // Traders come from a complete portal: reading one's own writes needs read models.
    portal = await openPortal({ dataDir })
    const admin = await portal.admin()
    moved = await portal.trader()
    banned = await portal.trader()
    unbanned = await portal.trader()
    bystander = await portal.trader()
    deleted = await eligibleTrader(portal, admin)
    await deleted.post('/api/user/payouts', { amount: '10', paymentMethod: 'bank', paymentDetails: 'IBAN GB29 NWBK' })
    certificate = read(Certificate, await uploadCertificate(admin, { userId: deleted.id })).fileUrl
    await portal.mailsTo(deleted.email, 2)
    await admin.patch(`/api/admin/user/${unbanned.id}/ban`, { banned: true, banReason: 'A mistake' })
    await portal.mailsTo(unbanned.email, 1)
    await portal.stop()

    portal = await openPortal({ dataDir, services: ['command', 'query'] })
    const { repositories, addresses } = portal.running.parts
    const people = repositories.of(userStreams)
    const profile = async (id: UserId, email: string) => {
      const { password, ...own } = registration
      const claim = await addresses.claim(id, email, context)
      return {
        claim,
        own: { ...own, email, emailClaim: claim.emailClaim },
        passwordHash: await createPasswordHashing().hash(password),
      }
    }

    registered = { id: newUserId(), email: newEmail() }
    const ofRegistered = await profile(registered.id, registered.email)
    await people.decide(registered.id, context, (user) => [
      ...registerUser(user, { ...ofRegistered.own, passwordHash: ofRegistered.passwordHash }, ofRegistered.claim),
      firstAccount(present(registered).id),
    ])
    created = { id: newUserId(), email: newEmail() }
    const ofCreated = await profile(created.id, created.email)
    const link = { token: 'a-token', tokenHash: 'its-hash', expiresAt: Date.now() + 60_000 }
    await people.decide(created.id, context, (user) => [
      ...createUser(user, { ...ofCreated.own, ...link }, ofCreated.claim),
      firstAccount(present(created).id),
    ])

    movedTo = newEmail()
    const claim = await addresses.claim(idOf(moved), movedTo, context)
    await people.decide(moved.id, context, (user) => changeProfile(user, { email: movedTo }, claim))
    await people.decide(banned.id, context, (user) => banUser(user, 'Copied trades'))
    await people.decide(unbanned.id, context, unbanUser)
    await people.decide(deleted.id, context, deleteUser)
  }, 60_000)
  afterAll(async () => {
    await portal.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  it('leaves work half done for the worker', async () => {
    expect(await portal.events(`account-${registered.id}-a1`)).toEqual([])
    expect(await holderOf(portal, present(moved).email)).toBe(present(moved).id)
    expect(await suspensionOf(portal, present(banned))).toBeNull()
    expect(await suspensionOf(portal, present(unbanned))).toEqual({ reason: 'A mistake' })
    expect(await files(portal, present(deleted))).not.toEqual([])
  })

  it('the worker completes everything, exactly once', async () => {
    await portal.stop()
    portal = await openPortal({ dataDir })
    await portal.mailed()
    const afterwards = besidesSeals(await portal.events()).map(inShort)
    // Each new event names the event that caused it.
    for (const [stream, type, cause] of [
      [`account-${registered.id}-a1`, 'AccountOpened', `user-${registered.id}`],
      [`account-${created.id}-a1`, 'AccountOpened', `user-${created.id}`],
      [`email-${emailHash(portal, present(moved).email)}`, 'EmailReleased', `user-${present(moved).id}`],
      [`account-${present(deleted).id}-a1`, 'AccountClosed', `user-${present(deleted).id}`],
      [`email-${emailHash(portal, present(deleted).email)}`, 'EmailReleased', `user-${present(deleted).id}`],
    ] as const) {
      const done = (await portal.events(stream)).filter((event) => event.type === type)
      expect([stream, done.length]).toEqual([stream, 1])
      const reason = (await portal.events(cause)).find(({ id }) => id === done[0]?.metadata.causationId)
      expect(reason).toBeDefined()
      expect(done[0]?.metadata).toMatchObject({
        actor: { kind: 'system', label: 'worker' },
        correlationId: reason?.metadata.correlationId,
      })
    }

    // Neither a restart nor a replay of the whole log repeats any of it.
    await portal.stop()
    portal = await openPortal({ dataDir })
    const log = await portal.events()
    for (let time = 0; time < 2; time++)
      for (const event of log) await runPolicies(event, portal.running.parts.policyDependencies)
    await portal.mailed()
    expect(besidesSeals(await portal.events()).map(inShort)).toEqual(afterwards)
  }, 60_000)

  it('a registered user can sign in and has an account', async () => {
    const answer = await until(async () => {
      const browser = portal.browser()
      await browser.post('/api/login', { email: registered.email, password: registration.password })
      const account = await browser.get('/api/user/account')
      return account.status === 200 ? account : undefined
    }, 'the account')
    expect(answer.body).toMatchObject({ status: 'pending', balance: '0.00' })
  })

  it('a created user gets the mail with the link', async () => {
    expect(await portal.mailsTo(created.email, 1)).toHaveLength(1)
  })

  it('a released email is free, and its previous owner signs in with the new one', async () => {
    const { email, password, id } = present(moved)
    expect((await portal.browser().post('/api/login', { email, password })).status).toBe(401)
    expect((await portal.browser().post('/api/login', { email: movedTo, password })).body).toMatchObject({ id })
    expect((await portal.browser().post('/api/register', { ...registration, email })).status).toBe(201)
  })

  it('a banned user learns of it in the session and by one mail', async () => {
    const { email, cookies } = present(banned)
    const answer = await withCookies(portal, cookies).get('/api/user')
    expect(answer.status).toBe(403)
    expect(answer.body).toMatchObject({ banned: true, banReason: 'Copied trades' })
    expect(await portal.mails(email)).toHaveLength(1)
  })

  it('an unbanned user can sign in again', async () => {
    expect((await withCookies(portal, present(unbanned).cookies).get('/api/user')).status).toBe(200)
  })

  it('a deleted user leaves no personal data', async () => {
    const { id, email, cookies, password } = present(deleted)
    expect((await withCookies(portal, cookies).get('/api/user')).status).toBe(401)
    expect((await portal.browser().post('/api/login', { email, password })).status).toBe(401)
    const admin = await portal.admin()
    expect((await admin.get(`/api/admin/user/${id}`)).status).toBe(404)
    expect((await admin.get(certificate)).status).toBe(404)
    expect(await files(portal, { id })).toEqual([])
    expect(await portal.mails(email)).toEqual([])
    expect((await portal.running.parts.personKeys.get([id])).get(id)).toBe('destroyed')
    const [first] = await portal.userEvents(id)
    expect(first?.data).toMatchObject({ fullName: ERASED, email: ERASED, passwordHash: ERASED })
    const { state } = await portal.running.parts.repositories
      .of(accountStreams)
      .load(accountIdOf(idOf(present(deleted)), 1))
    expect(state.account.open).toBe(false)
    expect([...state.payouts.list.values()].map(({ status }) => status)).toEqual(['rejected'])
    expect((await portal.browser().post('/api/register', { ...registration, email })).status).toBe(201)
  })

  it('no other user is affected', async () => {
    const { id, email, password, cookies } = present(bystander)
    expect((await withCookies(portal, cookies).get('/api/user')).status).toBe(200)
    expect((await portal.browser().post('/api/login', { email, password })).status).toBe(200)
    expect((await portal.events()).filter((event) => event.personId === id).map(({ type }) => type)).toEqual([
      'UserRegistered',
      'AccountAssigned',
      'AccountOpened',
      'SignedInFromNewBrowser',
    ])
  })
})

describe('reactions to completed commands', () => {
  it('change nothing, however often they run', async () => {
    const portal = await openPortal()
    try {
      const admin = await portal.admin()
      const [ada, grace, alan] = [await portal.trader(), await portal.trader(), await portal.trader()]
      await ada.patch('/api/user/profile', { email: newEmail(), city: 'Paris' })
      await ada.patch('/api/user/profile', { email: ada.email })
      await admin.patch(`/api/admin/user/${grace.id}/ban`, { banned: true, banReason: 'Copied trades' })
      await admin.patch(`/api/admin/user/${alan.id}/ban`, { banned: true, banReason: 'A mistake' })
      await admin.patch(`/api/admin/user/${alan.id}/ban`, { banned: false })
      const gone = await portal.trader()
      await admin.delete(`/api/admin/user/${gone.id}`)
      // Another user has the email now: a repeated deletion must not release it.
      const heir = await portal.trader({ email: gone.email })
      await portal.mailed()

      const log = await portal.events()
      for (let time = 0; time < 2; time++)
        for (const event of log) await runPolicies(event, portal.running.parts.policyDependencies)
      expect((await portal.events()).map(inShort)).toEqual(log.map(inShort))
      expect((await grace.get('/api/user')).status).toBe(403)
      for (const trader of [ada, alan, heir]) {
        expect((await trader.get('/api/user')).status).toBe(200)
        const { email, password } = trader
        expect((await portal.browser().post('/api/login', { email, password })).body).toMatchObject({ id: trader.id })
      }
    } finally {
      await portal.stop()
    }
  })
})

describe('a ban lifted while the worker suspends the sessions', () => {
  it('leaves the trader signed in', async () => {
    const portal = await openPortal()
    try {
      const [admin, trader] = [await portal.admin(), await portal.trader()]
      const ban = (banned: boolean) =>
        admin.patch(`/api/admin/user/${trader.id}/ban`, { banned, banReason: banned ? 'Because' : undefined })
      await ban(true)
      await portal.mailed()
      const [event] = (await portal.userEvents(trader.id)).filter(({ type }) => type === 'UserBanned')
      if (!event) throw new Error('No ban was recorded')
      const { policyDependencies } = portal.running.parts
      const { sessions } = policyDependencies
      let lifted = false
      // The worker has read the ban; it is lifted before the worker writes it.
      const suspend: typeof sessions.suspend = async (...args) => {
        if (!lifted) {
          lifted = true
          expect((await ban(false)).status).toBe(200)
          await portal.mailed()
        }
        await sessions.suspend(...args)
      }
      await runPolicies(event, { ...policyDependencies, sessions: { ...sessions, suspend } })
      expect(await suspensionOf(portal, trader)).toBeNull()
    } finally {
      await portal.stop()
    }
  })
})

/** Without seals: a worker seals the log when it stops, which is no reaction. */
const besidesSeals = (events: readonly RecordedEvent<AnyEvent>[]) =>
  events.filter(({ type }) => type !== 'StreamHeadsCommitted' && type !== 'TreeCheckpointSigned')
const inShort = ({ id, stream, revision, type }: RecordedEvent<AnyEvent>) => ({ id, stream, revision, type })

const idOf = ({ id }: Pick<Trader, 'id'>): UserId => userId.parse(id)

const emailHash = ({ running }: Portal, email: string): string => running.parts.secrets.emailHash(email)

/** The owner of the claim on an email, whether or not it is in use. */
const holderOf = async ({ running: { parts } }: Portal, email: string) =>
  (await parts.repositories.of(emailClaims).load(parts.secrets.emailHash(email))).state.holder

/** The suspension of the user's session. */
async function suspensionOf({ running }: Portal, trader: Trader) {
  const { sessionStore } = running.parts
  const session = await sessionStore.find(hashToken(trader.cookies.get(SESSION_COOKIE) ?? ''))
  if (!session) throw new Error('No session')
  return session.suspension
}

async function files({ dataDir }: Portal, { id }: Pick<Trader, 'id'>): Promise<string[]> {
  return readdir(join(dataDir, 'files', userFilesPrefix(userId.parse(id)))).catch(() => [])
}

/** A client with the cookies of its session with the previous portal. */
function withCookies(portal: Portal, cookies: ReadonlyMap<string, string>): Browser {
  const browser = portal.browser()
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return browser
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('It was not prepared')
  return value
}
