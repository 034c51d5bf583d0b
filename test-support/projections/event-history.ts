import fc from 'fast-check'
import { createHistory, type Operation } from '../../services/demo/history.ts'
import { accountStatus } from '../../services/domain/account/account.ts'
import { type UserId, userId } from '../../services/domain/ids.ts'
import { toCents } from '../../services/domain/money.ts'
import type { AnyEvent } from '../../services/domain/streams.ts'
import { Refused } from '../../services/event-sourcing/refusal.ts'

/** Random histories of a small firm, for tests. */

export interface Wish {
  readonly what: (typeof wishes)[number]
  /** The number of the user or key. */
  readonly who: number
  /** Selects the payout or the value. */
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

/** Random wishes of a few people, most of which the deciders accept. */
export const someWishes: fc.Arbitrary<readonly Wish[]> = fc
  .array(
    fc.record({
      // Deletions are rare, so that users live long enough.
      what: fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(...wishes.filter((what) => what !== 'delete' && what !== 'close')) },
        { weight: 1, arbitrary: fc.constantFrom('delete' as const, 'close' as const) },
      ),
      who: fc.nat(3),
      which: fc.nat(9),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((drawn) => [...beginning, ...drawn])

/** Every history has a user with an account. */
const beginning: readonly Wish[] = [
  { what: 'register', who: 0, which: 0 },
  { what: 'open', who: 0, which: 0 },
  { what: 'enable', who: 0, which: 1 },
]

type Recording = (stream: string, events: readonly AnyEvent[]) => void

/** Lets the deciders decide on wishes and hands their events to `record`. Refused wishes are left out. */
export function firmOf(record: Recording) {
  const history = createHistory({ passwordHash: 'hash', emailClaimOf: (email) => email.replace(/@.*/, '') })
  return {
    wish(wish: Wish): void {
      try {
        for (const { stream, events } of history.perform(operationOf(wish))) record(stream, events)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
      }
    },
  }
}

export function idOf(who: number): UserId {
  return userId.parse(`user${String(who).padStart(4, '0')}`)
}

function operationOf({ what, who, which }: Wish): Operation {
  const [of, key] = [
    { at: 0, userId: idOf(who) },
    { at: 0, keyId: `key${who}` },
  ]
  const statuses = accountStatus.options
  const change = { ...of, kind: 'change account', by: 'risk desk' } as const
  switch (what) {
    case 'register':
      return { ...of, kind: 'register', profile: profileOf(who), privacyPolicyAgreed: which % 2 === 0 }
    case 'create':
      return { ...of, kind: 'create', profile: profileOf(who) }
    case 'open':
      return { ...of, kind: 'open account' }
    case 'profile':
      return { ...of, kind: 'change profile', changes: { fullName: `Name ${which}`, ...(which % 2 ? { city: `City ${which}` } : {}) } }
    case 'password':
      return { ...of, kind: 'change password', passwordHash: `hash${which}` }
    case 'ban':
      return { ...of, kind: 'ban', reason: `reason ${which % 3}` }
    case 'unban':
      return { ...of, kind: 'unban' }
    case 'delete':
      return { ...of, kind: 'delete' }
    case 'close':
      return { ...of, kind: 'close account' }
    case 'change':
      return { ...change, changes: { balance: toCents(which * 1_000), profitLoss: toCents(which * -7), phase: which % 2 ? 'Funded' : null } }
    case 'login':
      return { ...change, changes: { login: `${5_000 + which}`, masterPassword: `secret${which}`, server: 'MT5' } }
    case 'limits':
      return { ...change, changes: { dailyDrawdownLimit: `${which}%`, profitTarget: `${which}00` } }
    case 'status':
      return { ...change, changes: { status: statuses[which % statuses.length] } }
    case 'enable':
      return { ...change, changes: { payoutEnabled: which > 0 } }
    case 'request':
      return { ...of, kind: 'request payout', amount: 100 + which, method: 'paypal', details: `pay${who}@example.com` }
    case 'approve':
      return { ...of, kind: 'decide payout', payout: (which % 3) + 1, verdict: 'approved', notes: which % 2 ? 'well done' : '' }
    case 'reject':
      return { ...of, kind: 'decide payout', payout: (which % 3) + 1, verdict: 'rejected', notes: 'not now' }
    case 'certificate':
      return { ...of, kind: 'issue certificate', title: `Certificate of ${profileOf(who).fullName}`, content: Buffer.from(`file${which}`) }
    case 'issue key':
      return { ...key, kind: 'issue key', label: `Key ${who}`, role: which % 2 ? 'admin' : 'auditor', keyHash: `hash${who}` }
    case 'revoke key':
      return { ...key, kind: 'revoke key' }
    case 'sign in':
      return { ...key, kind: 'sign in' }
    case 'refuse':
      return { at: 0, keyId: 'unknown', kind: 'sign in' }
  }
}

function profileOf(who: number) {
  const city = ['Berlin', 'Paris', 'London', 'Tokyo'][who % 4] ?? 'Berlin'
  return { fullName: `Trader ${who}`, email: `trader${who}@example.com`, country: 'de', city, street: 'Main Street', houseNumber: `${who}` }
}
