import { Money } from '#services/framework/api/money.ts'
import { component, described, namedObject } from '#services/framework/api/openapi-component.ts'
import { pageCursor, pageLimit, parameter } from '#services/framework/api/pagination-schemas.ts'
import { answer, get, notFound, userPath, accountPath } from '#services/framework/api/route.ts'
import { ReasonedStamp, Stamp } from '#services/framework/api/stamp-schemas.ts'
import { INVALID, LONGEST_TEXT, namedRequest, request, requiredText, text } from '#services/framework/api/text.ts'
import { accountStatuses, breachRules, platforms } from '#services/trading/stream/account-vocabulary.ts'
import { byKind, responseFields } from './account-fields.ts'
import { AccountTrade, Standing, tradingShape } from './standing-api.ts'
import { OwnAvailablePayout } from './available-payout-api.ts'
import { z } from 'zod'

/** The evidence of a breach, and the event that corrects a mistaken one. */

export const BreachRule = component('BreachRule', z.enum(breachRules, { error: 'Please select the rule' }))

/** The recorded evidence of a breach. */
export const BreachEvidence = namedObject('BreachEvidence', {
  rule: BreachRule,
  limit: z.string(),
  /** This value broke the limit. */
  value: z.string(),
  occurredAt: z.iso.datetime(),
})
export type BreachEvidence = z.infer<typeof BreachEvidence>

const WHEN = 'Please enter when it happened'

/** Evidence in a request. The server refuses times in the future by its own clock. */
export const EvidenceGiven = namedRequest('EvidenceGiven', {
  rule: BreachRule,
  limit: requiredText(LONGEST_TEXT, 'Please enter the limit'),
  value: requiredText(LONGEST_TEXT, 'Please enter the value that broke it'),
  occurredAt: described(
    'A time with its zone, not in the future',
    z
      .string({ error: WHEN })
      .max(40, { error: WHEN, abort: true })
      .check(z.iso.datetime({ offset: true, error: WHEN, abort: true }))
      .transform((time) => Date.parse(time)),
  ),
  offRecord: described(
    'Whether the loss is known although the record of the account does not show it, such as that of open positions. Without it a loss that the record contradicts is refused with 409; with false also one where nothing was traded',
    z.boolean({ error: INVALID }).optional(),
  ),
})

/** The number of an event in a request. */
export const EventNumber = z.int({ error: INVALID }).positive(INVALID)

/** The stamp of a status: its reason, the evidence of a breach, and the mistaken breach it corrects. */
export const StatusStamp = namedObject('StatusStamp', {
  ...ReasonedStamp.shape,
  evidence: BreachEvidence.nullable(),
  /** The number of the event that this one corrects. */
  corrects: z.int().positive().nullable(),
  finding: described(
    'The finding that led to the status of an account under a programme; null where a person decided',
    z.string().nullable().optional(),
  ),
})

/** The trading account: what its owner sees, and what an administrator may set (specification §3, §7). */

export const AccountStatus = component('AccountStatus', z.enum(accountStatuses, { error: INVALID }))
export type AccountStatus = z.infer<typeof AccountStatus>

/** The trading platform (specification §9). */
export const Platform = component('Platform', z.enum(platforms, { error: INVALID }))

const optionalText = z.string().nullable()

/** Every field but the master password, as responses carry it. */
export const accountShape = byKind(responseFields, {
  money: () => Money,
  profit: () => Money,
  status: () => AccountStatus,
  switch: () => z.boolean(),
  platform: () => Platform.nullable(),
  text: () => optionalText,
  limit: () => optionalText,
  target: () => optionalText,
  secret: () => optionalText,
})

/** The newest decision about each part of an account; null without one. */
export const AccountStamps = namedObject('AccountStamps', {
  status: StatusStamp.nullable(),
  phase: Stamp.nullable(),
  /** The newest of the three below. */
  limits: ReasonedStamp.nullable(),
  dailyDrawdownLimit: ReasonedStamp.nullable(),
  overallLossLimit: ReasonedStamp.nullable(),
  profitTarget: ReasonedStamp.nullable(),
  /** The enabling or disabling of payouts. */
  payouts: Stamp.nullable(),
})
export type AccountStamps = z.infer<typeof AccountStamps>

/** The stage of a programme that an account is in. */
export const AccountProgramme = namedObject('AccountProgramme', {
  id: z.string(),
  name: z.string(),
  version: z.int().positive(),
  hash: z.string(),
  enrolment: described("The enrolment's id", z.string()),
  stage: described('From 0', z.int().nonnegative()),
  funded: z.boolean(),
  size: Money,
})

/**
 * GET /api/user/account: always all eleven fields of specification §7 and the platform, null where nothing is set, and
 * their stamps.
 */
export const OwnAccount = namedObject('OwnAccount', {
  id: z.string(),
  open: z.boolean(),
  ...accountShape,
  programme: described('Null without a programme', AccountProgramme.nullable()),
  masterPassword: optionalText,
  stamps: AccountStamps,
  payout: described('Payout that the terms allow; null without terms', OwnAvailablePayout.nullable()),
})
export type OwnAccount = z.infer<typeof OwnAccount>

/** An account at a moment. */
export const AuditAccountFields = namedObject('AuditAccountFields', {
  /** False once it was closed. */
  open: z.boolean(),
  ...accountShape,
  programme: z.string().nullable(),
  masterPassword: z.string().nullable(),
})

/** The terms of an account at a moment. */
export const AuditStage = namedObject('AuditStage', {
  terms: z.string().nullable(),
  accountSize: Money.nullable(),
  split: z.string().nullable(),
  observations: z.int().nullable(),
})

/** GET /api/admin/accounts/:id/payout-terms */
export const AccountPayoutTerms = namedObject('AccountPayoutTerms', {
  set: described('The event that set the terms; null without terms', Stamp.nullable()),
  words: described(
    'The terms in plain words; empty without',
    z.array(z.object({ title: z.string(), text: z.string() })),
  ),
  payout: described('What the terms allow now, with its events; null without terms', OwnAvailablePayout.nullable()),
})
export type AccountPayoutTerms = z.infer<typeof AccountPayoutTerms>

/** An account in a list of a trader's own: GET /api/user/accounts */
export const ListedOwnAccount = namedObject('ListedOwnAccount', {
  id: z.string(),
  /** The account size of its programme; null without one. */
  size: Money.nullable(),
  phase: z.string().nullable(),
  status: AccountStatus,
  platform: Platform.nullable(),
  login: z.string().nullable(),
  server: z.string().nullable(),
  balance: Money,
  /** False once it was closed. */
  open: z.boolean(),
  /** The account used when a call names none. */
  current: z.boolean(),
  createdAt: z.iso.datetime(),
})
export type ListedOwnAccount = z.infer<typeof ListedOwnAccount>

const accountParameter = parameter(text(LONGEST_TEXT).optional())

/** `?account=ID` of calls about one account. */
export const OwnAccountQuery = request({
  account: described(
    "The account's id; by default the current account: of the open ones that are not breached a funded one first, then the newest",
    accountParameter,
  ),
})

/** `?account=ID` of lists. */
export const AccountFilter = request({
  account: described("The account's id; by default all accounts", accountParameter),
})

/** The performance of an account: its balance over time, and the decisions along the way. */

/** The balance after an event. Long histories are thinned to the lowest, highest and last point of each period. */
export const BalancePoint = namedObject('BalancePoint', {
  at: z.iso.datetime(),
  number: z.int().positive(),
  balance: Money,
  profitLoss: Money,
  traded: described('Result of trading since the account began', Money),
})

/** An event marked on the curve. */
export const AccountMarker = namedObject('AccountMarker', {
  ...Stamp.shape,
  /** The stream of the event: the account's, or the user's (bans). */
  stream: z.enum(['account', 'user']),
  /** The type of the event: 'AccountStatusChanged'. */
  type: z.string(),
  /** Its label: 'Status: pending to active'. */
  label: z.string(),
  amount: described('The amount of a payout', Money.nullable()),
  to: described("What the account's status or phase became", z.string().nullable()),
  corrects: described('The number of the mistaken breach that it corrects', z.int().nullable()),
  occurredAt: described('When a breach happened, by its evidence', z.iso.datetime().optional()),
  /** Its reason or notes. */
  why: z.string().nullable(),
})

/** GET /api/user/account/history and GET /api/admin/user/:id/account/history: all lists oldest first. */
export const AccountHistory = namedObject('AccountHistory', {
  points: z.array(BalancePoint),
  ...tradingShape,
  markers: z.array(AccountMarker),
  /** The number of older markers that are left out. */
  olderMarkers: z.int().nonnegative(),
})
export type AccountHistory = z.infer<typeof AccountHistory>

const tradePage = {
  only: described(
    "'marked': only trades that hit a rule",
    parameter(z.enum(['marked'], { error: INVALID }).optional()),
  ),
  limit: pageLimit(),
  cursor: pageCursor(),
}

/** The calls about trading accounts. */
export const accountRoutes = {
  ownAccounts: get('/api/user/accounts', 'trader', {
    summary: "The trader's own accounts, the newest first",
    position: 'waits',
    answer: answer('The accounts', z.array(ListedOwnAccount)),
  }),
  ownAccount: get('/api/user/account', 'trader', {
    summary: "The trader's own account, with its platform login",
    query: OwnAccountQuery,
    position: 'waits',
    answer: answer('The account', OwnAccount),
    refuses: notFound,
  }),
  ownStanding: get('/api/user/account/standing', 'trader', {
    summary: "Where the trader's own account stands: floors, room and target, each with the event that set it",
    query: OwnAccountQuery,
    position: 'waits',
    answer: answer('A line of `rules evaluate` at this moment', Standing),
    refuses: notFound,
  }),
  account: get('/api/admin/accounts/:id', 'read', {
    summary: 'An account as its trader sees it; its master password is masked',
    params: accountPath,
    position: 'waits',
    answer: answer('The account', OwnAccount),
  }),
  standing: get('/api/admin/accounts/:id/standing', 'read', {
    summary: 'Where an account stands: floors, room and target, each with the event that set it',
    params: accountPath,
    position: 'waits',
    answer: answer('A line of `rules evaluate` at this moment', Standing),
  }),
  payoutTerms: get('/api/admin/accounts/:id/payout-terms', 'read', {
    summary: 'The payout terms of an account, and what they allow now, with the events behind it',
    params: accountPath,
    position: 'waits',
    answer: answer('The terms, or none', AccountPayoutTerms),
  }),
  ownHistory: get('/api/user/account/history', 'trader', {
    summary: "The balance of the trader's own account over time, with the decisions along the way",
    query: OwnAccountQuery,
    position: 'waits',
    answer: answer('Points and markers, oldest first', AccountHistory),
    refuses: notFound,
  }),
  ownTrades: get('/api/user/account/trades', 'trader', {
    summary: "The trades of the trader's own account under a programme, the newest first",
    query: request({ ...OwnAccountQuery.shape, ...tradePage }),
    position: 'waits',
    paged: true,
    answer: answer('The trades; none where only balances are known', z.array(AccountTrade)),
    refuses: notFound,
  }),
  trades: get('/api/admin/accounts/:id/trades', 'read', {
    summary: 'The trades of an account under a programme, the newest first',
    params: accountPath,
    query: request(tradePage),
    position: 'waits',
    paged: true,
    answer: answer('The trades; none where only balances are known', z.array(AccountTrade)),
  }),
  history: get('/api/admin/user/:id/account/history', 'read', {
    summary: "The balance of a user's account over time, with the decisions along the way",
    params: userPath,
    query: OwnAccountQuery,
    position: 'waits',
    answer: answer('Points and markers, oldest first', AccountHistory),
  }),
}
