import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { noticeKind, type UserEvent, userEvents } from '#services/identity/users/user.ts'
import { noticeEvents } from '#services/identity/users/seen-notices.ts'
import { z } from 'zod'
import {
  accountAfter,
  type AccountChangeEvent,
  accountDocument,
  type AccountDocument,
  noAccount,
  openedBy,
} from './account-document.ts'
import { currentAccount } from './current-account.ts'
import { acceptedTerms, enrolmentEvents } from '#services/identity/users/enrolment.ts'
import { accountId, enrolmentId, programmeId } from '#services/framework/ids.ts'
import { eachProfileField, profileOf } from '#services/identity/users/user-vocabulary.ts'
import { stampOf, stampOrNone } from '#services/framework/decision-stamp.ts'
import { updateExisting, projection, type RecordedEventOf } from '#services/event-sourcing/read-models/projection.ts'
import { type PayoutEvent, payoutEvents } from '#services/trading/stream/payout.ts'
import { bookedEntryEvents } from '#services/trading/stream/booked-entry.ts'
import { accountEvents } from '#services/trading/stream/account.ts'

const enrolment = z.object({
  id: enrolmentId,
  programme: programmeId,
  name: z.string(),
  version: z.int(),
  hash: z.string(),
  accepted: acceptedTerms.nullable(),
  /** The account of each stage that was begun. */
  accounts: z.array(accountId),
  at: z.int(),
  /** What the shop calls the order; null without one. */
  orderNumber: z.string().nullable().default(null),
})

const document = z.object({
  id: z.string(),
  ...eachProfileField(() => z.string()),
  emailConfirmed: z.boolean(),
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
  /** In the order in which they were opened. */
  accounts: z.array(accountDocument),
  /** The current one, by which lists filter and sort. */
  account: accountDocument,
  enrolments: z.array(enrolment),
  /** The logins of all accounts, by which lists search. */
  logins: z.string(),
  /** What people quote, by which lists search: the numbers of orders, and the references of payments made by hand. */
  quoted: z.string().default(''),
})

export type UserDocument = z.infer<typeof document>

/** One document per user, with their accounts: what a trader sees and what the administrators' table needs. */
export const users = projection(
  { ...userEvents, ...enrolmentEvents, ...noticeEvents, ...accountEvents, ...bookedEntryEvents, ...payoutEvents },
  {
    name: 'users',
    version: 13,
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
    search: ['id', 'fullName', 'email', 'logins', 'quoted'],
    documentId: ({ personId, stream }) => personId ?? parseStreamName(stream).id,
    on: {
      UserRegistered: (_, event) => newUser(event, event.data.privacyPolicyAgreed),
      UserCreated: (_, event) => newUser(event, false),
      EmailConfirmed: updateExisting((user) => ({ ...user, emailConfirmed: true })),
      PasswordReset: updateExisting((user) => ({ ...user, emailConfirmed: true })),
      EmailChangeReverted: updateExisting((user) => ({ ...user, emailConfirmed: true })),
      ProfileChanged: updateExisting((user, { data: { to, emailClaim } }) => ({
        ...user,
        emailConfirmed: user.emailConfirmed && emailClaim === null,
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

      TraderEnrolled: updateExisting((user, { at, data: { enrolmentId, account, order, ...enrolled } }) => ({
        ...user,
        enrolments: [...user.enrolments, { id: enrolmentId, ...enrolled, accounts: [account], at, orderNumber: null }],
        quoted: quoting(user, order),
      })),
      OrderNumberRecorded: updateExisting((user, { data: { enrolmentId: id, orderNumber } }) => ({
        ...withEnrolment(user, id, () => ({ orderNumber })),
        quoted: quoting(user, orderNumber),
      })),
      TermsAccepted: updateExisting((user, { at, data: { enrolmentId: id, hash } }) =>
        withEnrolment(user, id, () => ({ accepted: { hash, at } })),
      ),
      NextStageAssigned: updateExisting((user, { data: { enrolmentId: id, account } }) =>
        withEnrolment(user, id, ({ accounts }) => ({ accounts: [...accounts, account] })),
      ),
      AccountOpened: updateExisting((user, event) => withAccounts(user, [...user.accounts, openedBy(event)])),
      AccountStatusChanged: updateExisting(changed),
      BalanceChanged: updateExisting(changed),
      EntryBooked: updateExisting(changed),
      PayoutDeducted: updateExisting(changed),
      TermsSet: updateExisting(changed),
      StageBegun: updateExisting(changed),
      PayoutBookedBack: updateExisting(changed),
      PayoutForfeited: updateExisting(changed),
      PayoutForfeitReversed: updateExisting(changed),
      ProfitLossChanged: updateExisting(changed),
      RiskLimitsChanged: updateExisting(changed),
      PlatformChanged: updateExisting(changed),
      PlatformLoginAssigned: updateExisting(changed),
      PhaseChanged: updateExisting(changed),
      PayoutsEnabled: updateExisting(changed),
      PayoutsDisabled: updateExisting(changed),
      AccountClosed: updateExisting(changed),
      PaymentSent: updateExisting(paid),
      PaymentPaid: updateExisting(paid),
    },
  },
)

/** References that the portal gave begin with the trader's id, which lists search too. */
function paid(
  user: UserDocument,
  { data: { reference } }: RecordedEventOf<PayoutEvent, 'PaymentSent' | 'PaymentPaid'>,
) {
  return reference.startsWith(`${user.id}-`) ? user : { ...user, quoted: quoting(user, reference) }
}

/** What is quoted, with one more: the newest, so that a document has an end. */
function quoting({ quoted }: UserDocument, one: string | null): string {
  if (one === null || quoted.split('\n').includes(one)) return quoted
  return [...quoted.split('\n').filter(Boolean), one].slice(-MOST_QUOTED).join('\n')
}

const MOST_QUOTED = 200

function newUser(
  event: RecordedEventOf<UserEvent, 'UserRegistered' | 'UserCreated'>,
  privacyPolicyAgreed: boolean,
): UserDocument {
  if (event.personId === undefined) throw new Error(`${event.stream} is no user's stream`)
  const ban = { banned: false, banReason: null, banStamp: null }
  const notices = { mutedNotices: [], noticesSeenUpTo: 0 }
  return {
    id: event.personId,
    ...profileOf(event.data),
    emailConfirmed: false,
    privacyPolicyAgreed,
    ...ban,
    createdAt: event.at,
    ...notices,
    accounts: [],
    account: noAccount,
    enrolments: [],
    logins: '',
    quoted: '',
  }
}

type EnrolmentDocument = UserDocument['enrolments'][number]

function withEnrolment(
  user: UserDocument,
  id: string,
  change: (enrolment: EnrolmentDocument) => Partial<EnrolmentDocument>,
): UserDocument {
  const enrolments = user.enrolments.map((each) => (each.id === id ? { ...each, ...change(each) } : each))
  return { ...user, enrolments }
}

function changed(user: UserDocument, event: AccountChangeEvent): UserDocument {
  const { id } = parseStreamName(event.stream)
  return withAccounts(
    user,
    user.accounts.map((account) => (account.id === id ? accountAfter(account, event) : account)),
  )
}

function withAccounts(user: UserDocument, accounts: readonly AccountDocument[]): UserDocument {
  return {
    ...user,
    accounts: [...accounts],
    account: currentAccount(accounts) ?? noAccount,
    logins: accounts.flatMap(({ login }) => login ?? []).join(' '),
  }
}
