import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { noticeKind } from './user.ts'
import { z } from 'zod'
import { accountFieldNames, byKind } from '#services/modules/accounts/account-fields.ts'
import { accountStatus } from '#services/modules/accounts/account.ts'
import { breachEvidence } from '#services/modules/accounts/decision-reason.ts'
import { eachProfileField, profileOf } from './profile.ts'
import { reasonedStampOrNone, stamp, stampOf, stampOrNone } from '#services/modules/decision-stamp.ts'
import { type RecordedEventOf, defineProjection } from '#services/modules/define-read-model.ts'
import { encryptedFields, encryptedFieldsOf, updateExisting } from '#services/event-sourcing/read-models/projection.ts'

const statusStamp = stamp.extend({
  reason: z.string().nullable(),
  evidence: breachEvidence.nullable(),
  /** The number of the breach that was a mistake. */
  corrects: z.int().nullable(),
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
    limit: () => text,
    target: () => text,
    /** Encrypted; null until it is first recorded. */
    secret: () => encryptedFields.nullable().default(null),
  }),
  openedAt: z.int().nullable().default(null),
  /** The newest decision about each. */
  statusStamp: statusStamp.nullable().default(null),
  phaseStamp: stampOrNone.default(null),
  limitsStamp: reasonedStampOrNone.default(null),
  payoutsStamp: stampOrNone.default(null),
})
const newAccount = account.parse({})

const document = z.object({
  id: z.string(),
  ...eachProfileField(() => z.string()),
  privacyPolicyAgreed: z.boolean(),
  banned: z.boolean(),
  banReason: z.string().nullable(),
  /** The ban, or that it was lifted. */
  banStamp: stampOrNone,
  createdAt: z.int(),
  /** Kinds of notices that are not mailed. */
  mutedNotices: z.array(noticeKind).default([]),
  /** The number of the newest event whose notice was seen; 0 for none. */
  noticesSeenUpTo: z.int().default(0),
  account,
})

export type UserDocument = z.infer<typeof document>
export type AccountDocument = z.infer<typeof account>

/** One document per user, with the trading account: what its trader sees and what the administrator's table needs. */
export const users = defineProjection({
  name: 'users',
  version: 5,
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
  documentId: ({ stream }) => parseStreamName(stream).id,
  on: {
    UserRegistered: (_, event) => newUser(event, event.data.privacyPolicyAgreed),
    UserCreated: (_, event) => newUser(event, false),
    ProfileChanged: updateExisting((user, { data: { to } }) => ({
      ...user,
      ...eachProfileField((field) => to[field] ?? user[field]),
    })),
    UserBanned: updateExisting((user, event) => ({
      ...user,
      banned: true,
      banReason: event.data.reason,
      banStamp: stampOf(event),
    })),
    UserUnbanned: updateExisting((user, event) => ({
      ...user,
      banned: false,
      banReason: null,
      banStamp: stampOf(event),
    })),
    NoticesChosen: updateExisting((user, { data }) => ({ ...user, mutedNotices: data.to })),
    NoticesSeen: updateExisting((user, { data }) => ({ ...user, noticesSeenUpTo: data.upTo })),
    UserDeleted: () => null,

    AccountOpened: updateExisting((user, event) =>
      withAccount(user, { openedAt: event.at, statusStamp: { ...stampOf(event), ...noReason } }),
    ),
    AccountStatusChanged: updateExisting((user, event) => {
      const { to, reason, evidence, corrects } = event.data
      return withAccount(user, {
        status: to,
        statusStamp: { ...stampOf(event), reason, evidence, corrects: corrects?.number ?? null },
      })
    }),
    BalanceChanged: updateExisting((user, { data }) => withAccount(user, { balance: data.to })),
    ProfitLossChanged: updateExisting((user, { data }) => withAccount(user, { profitLoss: data.to })),
    RiskLimitsChanged: updateExisting((user, event) =>
      withAccount(user, { ...event.data.to, limitsStamp: { ...stampOf(event), reason: event.data.reason } }),
    ),
    PlatformLoginAssigned: updateExisting((user, event) =>
      withAccount(user, { ...event.data.to, masterPassword: encryptedFieldsOf(event) }),
    ),
    PhaseChanged: updateExisting((user, event) =>
      withAccount(user, { phase: event.data.to, phaseStamp: stampOf(event) }),
    ),
    PayoutsEnabled: updateExisting((user, event) =>
      withAccount(user, { payoutEnabled: true, payoutsStamp: stampOf(event) }),
    ),
    PayoutsDisabled: updateExisting((user, event) =>
      withAccount(user, { payoutEnabled: false, payoutsStamp: stampOf(event) }),
    ),
    AccountClosed: updateExisting((user) => withAccount(user, { payoutEnabled: false, masterPassword: null })),
  },
})

/** Every account begins the same. */
const noReason = { reason: null, evidence: null, corrects: null }

function newUser(event: RecordedEventOf<'UserRegistered' | 'UserCreated'>, privacyPolicyAgreed: boolean): UserDocument {
  if (event.personId === undefined) throw new Error(`${event.stream} is no user's stream`)
  const ban = { banned: false, banReason: null, banStamp: null }
  const notices = { mutedNotices: [], noticesSeenUpTo: 0 }
  return {
    id: event.personId,
    ...profileOf(event.data),
    privacyPolicyAgreed,
    ...ban,
    createdAt: event.at,
    ...notices,
    account: newAccount,
  }
}

function withAccount(user: UserDocument, change: Partial<AccountDocument>): UserDocument {
  return { ...user, account: { ...user.account, ...change } }
}
