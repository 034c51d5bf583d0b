import fc from 'fast-check'
import { createHistory, type Operation } from '../../demo/history.ts'
import { accountStatus } from '#services/trading/stream/account.ts'
import { type UserId, userId } from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import type { AnyEvent } from '#services/oversight/event-catalogue.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/** Random histories of a small firm, for tests. */

export interface Wish {
  readonly what: keyof typeof operations
  /** The number of the user or key. */
  readonly who: number
  /** Selects the payout or the value. */
  readonly which: number
}

interface Drawn extends Omit<Wish, 'what'> {
  readonly of: { readonly at: number; readonly userId: UserId }
  readonly key: { readonly at: number; readonly keyId: string }
}

const change = { kind: 'change account', by: 'risk desk' } as const
const statuses = accountStatus.options

const operations = {
  register: ({ of, who, which }) => ({
    ...of,
    kind: 'register',
    profile: profileOf(who),
    privacyPolicyAgreed: which % 2 === 0,
  }),
  create: ({ of, who }) => ({ ...of, kind: 'create', profile: profileOf(who) }),
  open: ({ of }) => ({ ...of, kind: 'open account' }),
  profile: ({ of, which }) => ({
    ...of,
    kind: 'change profile',
    changes: { fullName: `Name ${which}`, ...(which % 2 ? { city: `City ${which}` } : {}) },
  }),
  password: ({ of, which }) => ({ ...of, kind: 'change password', passwordHash: `hash${which}` }),
  ban: ({ of, which }) => ({ ...of, kind: 'ban', reason: `reason ${which % 3}` }),
  unban: ({ of }) => ({ ...of, kind: 'unban' }),
  delete: ({ of }) => ({ ...of, kind: 'delete' }),
  close: ({ of }) => ({ ...of, kind: 'close accounts' }),
  change: ({ of, which }) => ({
    ...of,
    ...change,
    changes: { balance: toCents(which * 1_000), profitLoss: toCents(which * -7), phase: which % 2 ? 'Funded' : null },
  }),
  login: ({ of, which }) => ({
    ...of,
    ...change,
    changes: { login: `${5_000 + which}`, masterPassword: `secret${which}`, server: 'MT5' },
  }),
  limits: ({ of, which }) => ({
    ...of,
    ...change,
    changes: { dailyDrawdownLimit: `${which}%`, profitTarget: `${which}00` },
  }),
  status: ({ of, which }) => ({ ...of, ...change, changes: { status: statuses[which % statuses.length] } }),
  enable: ({ of, which }) => ({ ...of, ...change, changes: { payoutEnabled: which > 0 } }),
  request: ({ of, who, which }) => ({
    ...of,
    kind: 'request payout',
    amount: 100 + which,
    method: 'paypal',
    details: `pay${who}@example.com`,
  }),
  approve: ({ of, which }) => ({
    ...of,
    kind: 'decide payout',
    payout: (which % 3) + 1,
    verdict: 'approved',
    notes: which % 2 ? 'well done' : '',
  }),
  reject: ({ of, which }) => ({
    ...of,
    kind: 'decide payout',
    payout: (which % 3) + 1,
    verdict: 'rejected',
    notes: 'not now',
  }),
  certificate: ({ of, who, which }) => ({
    ...of,
    kind: 'issue certificate',
    title: `Certificate of ${profileOf(who).fullName}`,
    content: Buffer.from(`file${which}`),
  }),
  'issue key': ({ key, who, which }) => ({
    ...key,
    kind: 'issue key',
    label: `Key ${who}`,
    role: which % 2 ? 'admin' : 'auditor',
    keyHash: `hash${who}`,
  }),
  'revoke key': ({ key }) => ({ ...key, kind: 'revoke key' }),
  'sign in': ({ key }) => ({ ...key, kind: 'sign in' }),
  refuse: ({ key }) => ({ ...key, keyId: 'unknown', kind: 'sign in' }),
} satisfies Readonly<Record<string, (drawn: Drawn) => Operation>>

const isWish = (what: string): what is Wish['what'] => Object.hasOwn(operations, what)
const isEnd = (what: Wish['what']) => what === 'delete' || what === 'close'
const wishes = Object.keys(operations).filter(isWish)

/** Random wishes of a few people, most of which the deciders accept. Every history has a user with an account. */
export const someWishes: fc.Arbitrary<readonly Wish[]> = fc
  .array(
    fc.record({
      // Deletions are rare, so that users live long enough.
      what: fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(...wishes.filter((what) => !isEnd(what))) },
        { weight: 1, arbitrary: fc.constantFrom(...wishes.filter(isEnd)) },
      ),
      who: fc.nat(3),
      which: fc.nat(9),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((drawn) => [
    { what: 'register', who: 0, which: 0 },
    { what: 'open', who: 0, which: 0 },
    { what: 'enable', who: 0, which: 1 },
    ...drawn,
  ])

/** Lets the deciders decide on wishes and hands their events to `record`. Refused wishes are left out. */
export function firmOf(record: (stream: string, events: readonly AnyEvent[]) => void) {
  const history = createHistory({
    passwordHash: 'hash',
    emailClaimOf: (email) => email.replace(/@.*/, ''),
    loginClaimOf: (server, login) => `${server} ${login}`,
  })
  return {
    wish({ what, who, which }: Wish): void {
      const operation = operations[what]({
        of: { at: 0, userId: idOf(who) },
        key: { at: 0, keyId: `key${who}` },
        who,
        which,
      })
      try {
        for (const { stream, events } of history.perform(operation)) record(stream, events)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
      }
    },
  }
}

export function idOf(who: number): UserId {
  return userId.parse(`user${String(who).padStart(4, '0')}`)
}

function profileOf(who: number) {
  const city = ['Berlin', 'Paris', 'London', 'Tokyo'][who % 4] ?? 'Berlin'
  return {
    fullName: `Trader ${who}`,
    email: `trader${who}@example.com`,
    country: 'de',
    city,
    street: 'Main Street',
    houseNumber: `${who}`,
  }
}
