import { z } from 'zod'
import { accountFieldNames, byKind } from '../api/account-fields.ts'
import { accountStatus } from '../domain/account/account.ts'
import { breachEvidence } from '../domain/account/decision-reason.ts'
import { reasonedStampOrNone, stamp, stampOf, stampOrNone } from './decision-stamp.ts'
import { type RecordedEventOf, defineProjection } from './define-projection.ts'
import { encryptedFields, encryptedFieldsOf, updateExisting } from '../event-sourcing/projections/projection.ts'

const statusStamp = stamp.extend({
  reason: z.string().nullable().default(null),
  evidence: breachEvidence.nullable().default(null),
  /** The number of the breach that was a mistake. */
  corrects: z.int().nullable().default(null),
})

const text = z.string().nullable().default(null)
const cents = z.int().default(0)

/** The account. Its defaults are what a user shows before it was opened: pending, no money (specification §4). */
const account = z.object({
  ...byKind(accountFieldNames, {
    money: () => cents,
    profit: () => cents,
    status: () => accountStatus.default('pending'),
    switch: () => z.boolean().default(false),
    text: () => text,
    target: () => text,
    /** Encrypted; null until it is first recorded. */
    secret: () => encryptedFields.nullable().default(null),
  }),
  openedAt: z.int().nullable().default(null),
  /** The newest decision about each. */
  statusStamp: statusStamp.nullable().default(null),
  phaseStamp: stampOrNone,
  limitsStamp: reasonedStampOrNone,
  payoutsStamp: stampOrNone,
})
const newAccount = account.parse({})

const document = z.object({
  id: z.string(),
  fullName: z.string(),
  email: z.string(),
  country: z.string(),
  city: z.string(),
  street: z.string(),
  houseNumber: z.string(),
  privacyPolicyAgreed: z.boolean(),
  banned: z.boolean(),
  banReason: z.string().nullable(),
  /** The ban, or that it was lifted. */
  banStamp: stampOrNone,
  createdAt: z.int(),
  account,
})

export type UserDocument = z.infer<typeof document>
export type AccountDocument = z.infer<typeof account>

/** One document a user, with the trading account: what the trader sees of it and what the administrator's table needs. */
export const users = defineProjection({
  name: 'users',
  version: 4,
  document,
  filters: ['account.status', 'account.phase', 'account.payoutEnabled', 'banned'],
  sorts: [
    'createdAt',
    'fullName',
    'email',
    'account.login',
    'account.status',
    'account.phase',
    'account.payoutEnabled',
    'account.balance',
    'account.profitLoss',
  ],
  search: ['fullName', 'email', 'account.login'],
  documentId: (fact) => fact.userId,
  on: {
    UserRegistered: (_, fact) => newUser(fact, fact.data.privacyPolicyAgreed),
    UserCreated: (_, fact) => newUser(fact, false),
    ProfileChanged: updateExisting((user, { data: { to } }) => ({
      ...user,
      fullName: to.fullName ?? user.fullName,
      email: to.email ?? user.email,
      country: to.country ?? user.country,
      city: to.city ?? user.city,
      street: to.street ?? user.street,
      houseNumber: to.houseNumber ?? user.houseNumber,
    })),
    UserBanned: updateExisting((user, fact) => ({ ...user, banned: true, banReason: fact.data.reason, banStamp: stampOf(fact) })),
    UserUnbanned: updateExisting((user, fact) => ({ ...user, banned: false, banReason: null, banStamp: stampOf(fact) })),
    UserDeleted: () => null,

    AccountOpened: updateExisting((user, fact) => withAccount(user, { openedAt: fact.at, statusStamp: { ...stampOf(fact), ...noReason } })),
    AccountStatusChanged: updateExisting((user, fact) => {
      const { to, reason, evidence, corrects } = fact.data
      return withAccount(user, { status: to, statusStamp: { ...stampOf(fact), reason, evidence, corrects: corrects?.number ?? null } })
    }),
    BalanceChanged: updateExisting((user, { data }) => withAccount(user, { balance: data.to })),
    ProfitLossChanged: updateExisting((user, { data }) => withAccount(user, { profitLoss: data.to })),
    RiskLimitsChanged: updateExisting((user, fact) => withAccount(user, { ...fact.data.to, limitsStamp: { ...stampOf(fact), reason: fact.data.reason } })),
    PlatformLoginAssigned: updateExisting((user, fact) => withAccount(user, { ...fact.data.to, masterPassword: encryptedFieldsOf(fact) })),
    PhaseChanged: updateExisting((user, fact) => withAccount(user, { phase: fact.data.to, phaseStamp: stampOf(fact) })),
    PayoutsEnabled: updateExisting((user, fact) => withAccount(user, { payoutEnabled: true, payoutsStamp: stampOf(fact) })),
    PayoutsDisabled: updateExisting((user, fact) => withAccount(user, { payoutEnabled: false, payoutsStamp: stampOf(fact) })),
    AccountClosed: updateExisting((user) => withAccount(user, { payoutEnabled: false, masterPassword: null })),
  },
})

/** An account begins as it does for everybody. */
const noReason = { reason: null, evidence: null, corrects: null }

function newUser(fact: RecordedEventOf<'UserRegistered' | 'UserCreated'>, privacyPolicyAgreed: boolean): UserDocument {
  if (fact.userId === undefined) throw new Error(`${fact.stream} is no user's stream`)
  const { fullName, email, country, city, street, houseNumber } = fact.data
  const profile = { fullName, email, country, city, street, houseNumber }
  const ban = { banned: false, banReason: null, banStamp: null }
  return { id: fact.userId, ...profile, privacyPolicyAgreed, ...ban, createdAt: fact.at, account: newAccount }
}

function withAccount(user: UserDocument, change: Partial<AccountDocument>): UserDocument {
  return { ...user, account: { ...user.account, ...change } }
}
