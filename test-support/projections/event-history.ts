import fc from 'fast-check'
import { accountStatus, changeAccount, closeAccount, openAccount } from '../../services/domain/account/account.ts'
import { issueAdminKey, revokeAdminKey, signInAdmin } from '../../services/domain/staff/access-key.ts'
import { issueCertificate, nextCertificateId } from '../../services/domain/certificate/certificate.ts'
import { type UserId, userId } from '../../services/domain/ids.ts'
import { toCents } from '../../services/domain/money.ts'
import { approvePayout, type Payout, rejectPayout, requestPayout } from '../../services/domain/payout/payout.ts'
import { Refused } from '../../services/event-sourcing/refusal.ts'
import { banUser, changePassword, changeProfile, createUser, deleteUser, registerUser, unbanUser } from '../../services/domain/user/user.ts'
import { accounts, adminKeys, type AnyEvent, emailClaims, type AggregateType, streamName, users } from '../../services/domain/streams.ts'
import { claimEmail, releaseEmail } from '../../services/domain/user/email-claim.ts'

/** For tests and measurements: histories of a firm, made by the real deciders. */

export interface Wish {
  readonly what: (typeof wishes)[number]
  /** Whom it is about. */
  readonly who: number
  /** Which payout, which value. */
  readonly which: number
}

const wishes = [
  'register',
  'create',
  'open',
  'profile',
  'password',
  'ban',
  'unban',
  'delete',
  'close',
  'change',
  'login',
  'limits',
  'status',
  'enable',
  'request',
  'approve',
  'reject',
  'certificate',
  'issue key',
  'revoke key',
  'sign in',
  'refuse',
] as const

/** Random wishes of a few people: most of them come to something. */
export const someWishes: fc.Arbitrary<readonly Wish[]> = fc
  .array(
    fc.record({
      // Deleting is rarer than the rest, so that there is something left to happen.
      what: fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(...wishes.filter((what) => what !== 'delete' && what !== 'close')) },
        { weight: 1, arbitrary: fc.constantFrom('delete' as const, 'close' as const) },
      ),
      who: fc.nat(3),
      which: fc.nat(9),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((wished) => [...beginning, ...wished])

/** Somebody should be there from the start. */
const beginning: readonly Wish[] = [
  { what: 'register', who: 0, which: 0 },
  { what: 'open', who: 0, which: 0 },
  { what: 'enable', who: 0, which: 1 },
]

export type Recording = (stream: string, events: readonly AnyEvent[]) => void

/** Lets the deciders decide on wishes; what they decide is handed to `record`. What they refuse is left out. */
export function firmOf(record: Recording) {
  const ofUser = streamsOf(users, record)
  const ofAccount = streamsOf(accounts, record)
  const ofKey = streamsOf(adminKeys, record)
  const ofEmail = streamsOf(emailClaims, record)
  const statuses = accountStatus.options

  return {
    wish({ what, who, which }: Wish): void {
      const id = idOf(who)
      const claim = `claim${who}`
      const held = { emailClaim: claim, since: 0 }
      const profile = profileOf(who)
      const identity = { ...profile, emailClaim: claim }
      const choose = (payouts: Iterable<Payout>) => [...payouts][which % 3]
      switch (what) {
        case 'register':
          ofEmail(claim, (email) => claimEmail(email, id))
          return ofUser(id, (user) => registerUser(user, { ...identity, passwordHash: `hash${which}`, privacyPolicyAgreed: which % 2 === 0 }, held))
        case 'create':
          return ofUser(id, (user) => createUser(user, { ...identity, token: 't', tokenHash: 'h', expiresAt: 0 }, held))
        case 'open':
          // As the command service does it: the user is there before the account.
          return ofUser(id, (user) => {
            if (user.exists) ofAccount(id, (account) => openAccount(account, id))
            return []
          })
        case 'profile':
          return ofUser(id, (user) => changeProfile(user, { fullName: `Name ${which}`, ...(which % 2 ? { city: `City ${which}` } : {}) }, null))
        case 'password':
          return ofUser(id, (user) => changePassword(user, user.passwordHash ?? '', `hash${which}`))
        case 'ban':
          return ofUser(id, (user) => banUser(user, `reason ${which % 3}`))
        case 'unban':
          return ofUser(id, unbanUser)
        case 'delete':
          ofUser(id, deleteUser)
          return ofEmail(claim, (email) => releaseEmail(email, id))
        case 'close':
          return ofUser(id, (user) => {
            if (user.deleted) ofAccount(id, closeAccount)
            return []
          })
        case 'change':
          return ofAccount(id, (account) =>
            changeAccount(account, { balance: toCents(which * 1_000), profitLoss: toCents(which * -7), phase: which % 2 ? 'Funded' : null }),
          )
        case 'login':
          return ofAccount(id, (account) => changeAccount(account, { login: `${5_000 + which}`, masterPassword: `secret${which}`, server: 'MT5' }))
        case 'limits':
          return ofAccount(id, (account) => changeAccount(account, { dailyDrawdownLimit: `${which}%`, profitTarget: `${which}00` }))
        case 'status':
          return ofAccount(id, (account) => changeAccount(account, { status: statuses[which % statuses.length] }))
        case 'enable':
          return ofAccount(id, (account) => changeAccount(account, { payoutEnabled: which > 0 }))
        case 'request':
          return ofAccount(id, (account) =>
            requestPayout(account, { amount: toCents(100 + which), method: 'paypal', details: `pay${who}@example.com`, idempotency: null }),
          )
        case 'approve':
          return ofAccount(id, (account) => {
            const payout = choose(account.payouts.values())
            return payout ? approvePayout(account, payout.id, which % 2 ? 'well done' : '') : []
          })
        case 'reject':
          return ofAccount(id, (account) => {
            const payout = choose(account.payouts.values())
            return payout ? rejectPayout(account, payout.id, 'not now') : []
          })
        case 'certificate':
          return ofAccount(id, (account) => {
            if (!account.open) return []
            const certificate = { certificateId: nextCertificateId(account), name: `Certificate of ${profile.fullName}` }
            return issueCertificate(account, { ...certificate, issuedAt: '2026-01-05', file: `file${which}`, size: which, sha256: 'aa' })
          })
        case 'issue key':
          return ofKey(`key${who}`, (key) => issueAdminKey(key, `Key ${who}`, which % 2 ? 'admin' : 'auditor', `hash${who}`))
        case 'revoke key':
          return ofKey(`key${who}`, revokeAdminKey)
        case 'sign in':
          return ofKey(`key${who}`, (key) => signInAdmin(key, (hash) => hash === `hash${who}`))
        case 'refuse':
          return ofKey('unknown', (key) => signInAdmin(key, () => false))
      }
    },
  }
}

export function idOf(who: number): UserId {
  return userId.parse(`user${String(who).padStart(4, '0')}`)
}

function profileOf(who: number) {
  const city = ['Berlin', 'Paris', 'London', 'Tokyo'][who % 4] ?? 'Berlin'
  return { fullName: `Trader ${who}`, email: `trader${who}@example.com`, country: 'de', city, street: 'Main Street', houseNumber: `${who}` }
}

/** The streams of one kind, in memory. */
function streamsOf<State, Event extends AnyEvent>(kind: AggregateType<State, Event>, record: Recording) {
  const streams = new Map<string, { readonly state: State; readonly next: number }>()
  return (id: string, decide: (state: State) => readonly Event[]): void => {
    const { state, next } = streams.get(id) ?? { state: kind.decider.initial, next: 0 }
    try {
      const decided = decide(state)
      const after = decided.reduce((before, event, index) => kind.decider.evolve(before, { ...event, at: 0, revision: next + index }), state)
      streams.set(id, { state: after, next: next + decided.length })
      if (decided.length > 0) record(streamName(kind, id), decided)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
    }
  }
}
