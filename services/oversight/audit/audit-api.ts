import type { fieldValue } from '#services/framework/api/stamp-schemas.ts'
import { component, described, namedObject } from '#services/framework/api/openapi-component.ts'
import { MOST_ON_A_PAGE, pageCursor, parameter, TO_MOST_ON_A_PAGE } from '#services/framework/api/pagination-schemas.ts'
import {
  answer,
  CSV_TYPE,
  file,
  get,
  JSON_TYPE,
  notFound,
  TEXT_TYPE,
  throttled,
} from '#services/framework/api/route.ts'
import { code, INVALID, request, text } from '#services/framework/api/text.ts'
import { AuditUser } from '#services/identity/users/user-api.ts'
import { AuditPayout } from '#services/payments/payouts/payout-api.ts'
import { AccountFilter, accountShape, AuditAccountFields, AuditStage } from '#services/trading/accounts/account-api.ts'
import { AuditCertificate } from '#services/trading/certificates/certificate-api.ts'
import { AuditCase } from '#services/trading/cases/case-api.ts'
import { AuditFinding } from '#services/trading/findings/finding-api.ts'
import { AuditLedger } from '#services/trading/accounts/ledger-api.ts'
import { AuditChange, AuditEvent } from './audit-event-api.ts'
import { z } from 'zod'

/** The audit: the events of an account in order, its state at a moment, and the difference between two moments. */

export type AuditValue = z.infer<typeof fieldValue>

/** An account at a moment: its id, and what each part of its state shows (account-parts.ts). */
export const AuditAccount = namedObject('AuditAccount', {
  id: z.string(),
  account: AuditAccountFields,
  ledger: AuditLedger,
  stage: AuditStage,
  findings: z.array(AuditFinding),
  payouts: z.array(AuditPayout),
  certificates: z.array(AuditCertificate),
  cases: z.array(AuditCase),
})
export type AuditAccount = z.infer<typeof AuditAccount>

/** A user and their accounts, or one of these, at a moment: GET /api/audit/accounts/:id */
export const AuditState = namedObject('AuditState', {
  /** The number of the last event it includes. */
  at: z.iso.datetime(),
  number: z.int().positive(),
  /** Null before the user existed. */
  user: AuditUser.nullable(),
  /** In the order in which they were opened. */
  accounts: z.array(AuditAccount),
})
export type AuditState = z.infer<typeof AuditState>

/**
 * When an account changed: GET /api/audit/accounts/:id/moments, and GET /api/user/history/moments for one's own. Two
 * lists rather than one of pairs: an account may have tens of thousands.
 */
export const AuditMoments = namedObject('AuditMoments', {
  /** The numbers of its events, oldest first. */
  numbers: z.array(z.int().positive()),
  /** When each was recorded, in ms since 1970. */
  times: z.array(z.int()),
})
export type AuditMoments = z.infer<typeof AuditMoments>

/** An account in the auditor's search. */
export const AuditAccountFound = namedObject('AuditAccountFound', {
  userId: z.string(),
  fullName: z.string(),
  email: z.string(),
  status: accountShape.status,
  banned: z.boolean(),
  deleted: z.boolean(),
  createdAt: z.iso.datetime(),
})
export type AuditAccountFound = z.infer<typeof AuditAccountFound>

/** GET /api/user/export: all data stored about the caller (the right of access). */
export const PersonalExport = namedObject('PersonalExport', {
  exportedAt: z.iso.datetime(),
  user: AuditUser,
  accounts: z.array(AuditAccount),
  facts: z.array(AuditEvent),
})

/** A moment in a request: the number of an event, or a time (ms since 1970). */
export type Moment = { readonly number: number } | { readonly time: number }

export const NO_MOMENT = "A moment is the number of an event, or a time such as '2026-03-03T14:07:00Z'"

const noMoment = { error: NO_MOMENT, abort: true }

/** A moment in a URL. A day without a time is its beginning, in UTC. */
export const Moment = component(
  'Moment',
  z.union(
    [
      z
        .string()
        .regex(/^[1-9][0-9]{0,15}$/, noMoment)
        .transform((number): Moment => ({ number: Number(number) })),
      z
        .union([z.iso.datetime({ offset: true, ...noMoment }).max(40, noMoment), z.iso.date(noMoment)], noMoment)
        .transform((time): Moment => ({ time: Date.parse(time) })),
    ],
    noMoment,
  ),
)

const optionalMoment = () => parameter(Moment.optional())

const limit = described(
  `The size of a page: 1 to ${MOST_ON_A_PAGE}, by default 100`,
  parameter(
    z
      .string({ error: INVALID })
      .regex(TO_MOST_ON_A_PAGE, { error: INVALID, abort: true })
      .transform(Number)
      .default(100),
  ),
)

const eventFilters = {
  from: described('Only events from this moment on', optionalMoment()),
  to: described('Only events up to this moment', optionalMoment()),
  type: described(
    "Only events of this type, or of these: 'PayoutApproved,PayoutRejected'",
    parameter(
      code(/^[A-Za-z]+(,[A-Za-z]+)*$/, 2_000)
        .transform((types): ReadonlySet<string> => new Set(types.split(',')))
        .optional(),
    ),
  ),
  actor: described(
    "Only events by this actor: 'trader', 'admin', 'program', 'system', or the exact label of an access key or a program",
    parameter(text(500).optional()),
  ),
}

const paging = {
  order: described("'asc' is oldest first", parameter(z.enum(['asc', 'desc'], { error: INVALID }).optional())),
  limit,
  cursor: described(
    "The start of the page, from the previous page's Link header",
    parameter(
      z
        .string({ error: INVALID })
        .regex(/^\d{1,16}$/, INVALID)
        .transform(Number)
        .optional(),
    ),
  ),
}

/** The filters of one person's history. Typed texts are encrypted in the log, so the whole log cannot be searched. */
const historyFilters = {
  ...eventFilters,
  search: described(
    'Only events that contain all of these words: in title, fields, values, reason, evidence, actor, number or request',
    parameter(text(200).optional()),
  ),
}

/** GET /api/audit/accounts/:id/events and /api/user/history, oldest first unless asked otherwise. */
export const EventsQuery = request({ ...historyFilters, ...paging })
export type EventsQuery = z.infer<typeof EventsQuery>

/** GET /api/audit/events, newest first unless asked otherwise. */
export const ActivityQuery = request({ ...eventFilters, ...paging, cursor: pageCursor() })

/** GET /api/audit/events.csv */
export const ActivityExport = ActivityQuery.omit({ limit: true, cursor: true })

/** The events that a CSV file of the activity may hold. */
export const MOST_EXPORTED_EVENTS = 100_000

/** GET /api/audit/accounts/:id/moments and /api/user/history/moments, without pagination. */
export const MomentsQuery = request(historyFilters)

/** GET /api/audit/accounts */
export const AuditSearch = request({
  search: described(
    "A name, email, broker login, or a user's id; also the id of a deleted user",
    parameter(text(200).optional()),
  ),
  limit,
  cursor: pageCursor(),
})

/** GET /api/audit/accounts/:id */
export const StateQuery = request({
  at: described('The number of an event of this account, or a time; by default now', optionalMoment()),
})

/** GET /api/audit/accounts/:id/difference */
export const DifferenceQuery = request({
  from: described('The first moment; by default the first event', optionalMoment()),
  to: described('The second moment; by default now', optionalMoment()),
})

/** GET /api/audit/accounts/:id/export */
export const ExportQuery = request({
  format: described(
    "'json' or 'csv'; by default json",
    parameter(z.enum(['json', 'csv'], { error: INVALID }).default('json')),
  ),
})

/** A trader's own history is of one account, or of all. */
const ownQuery = <Shape extends z.ZodRawShape>(query: z.ZodObject<Shape>) => query.extend(AccountFilter.shape)

/** The number of an event: its position in the log. */
const eventNumber = described("The event's number", z.string().regex(/^[1-9]\d{0,15}$/))

/** A timeline is of a user with all accounts; an account's id is good too. */
const timelinePath = z.object({ id: described("The user's id", z.string()) })

/** The calls about the audit. */
export const auditRoutes = {
  ownStory: get('/api/user/history', 'trader', {
    summary: 'All events of the trader and their account: who, when, what changed, why',
    query: ownQuery(EventsQuery),
    paged: true,
    answer: answer('A page of events', z.array(AuditEvent)),
    refuses: notFound,
  }),
  ownState: get('/api/user/history/state', 'trader', {
    summary: "The trader's own account as it was at a moment",
    query: ownQuery(StateQuery),
    answer: answer('The state at that moment', AuditState),
    refuses: notFound,
  }),
  ownMoments: get('/api/user/history/moments', 'trader', {
    summary: "When the trader's own account changed: the numbers and times of all events",
    query: ownQuery(MomentsQuery),
    answer: answer('The moments', AuditMoments),
    refuses: notFound,
  }),
  ownExport: get('/api/user/export', 'trader', {
    summary: 'All data stored about the trader, as one file (the right of access); it proves nothing',
    answer: answer('The data', PersonalExport),
    refuses: throttled,
  }),
  ownProof: get('/api/user/history/proof', 'trader', {
    summary:
      "The trader's own history with its proof (proofdesk export 4), to be verified offline with the page at /verify",
    query: AccountFilter,
    answer: file(JSON_TYPE),
    refuses: { ...notFound, ...throttled },
  }),
  ownReceipt: get('/api/user/history/:number/receipt', 'trader', {
    summary: "A receipt for one of the trader's own events: a C2SP tlog-proof, to be checked offline",
    params: z.object({ number: eventNumber }),
    answer: file(TEXT_TYPE),
    refuses: throttled,
  }),
  auditAccounts: get('/api/audit/accounts', 'read', {
    summary: 'Find an account to audit',
    query: AuditSearch,
    paged: true,
    position: 'waits',
    answer: answer('A page of accounts', z.array(AuditAccountFound)),
  }),
  auditAccount: get('/api/audit/accounts/:id', 'read', {
    summary: 'An account as it was at a moment',
    params: timelinePath,
    query: StateQuery,
    answer: answer('The state at that moment', AuditState),
  }),
  auditAccountEvents: get('/api/audit/accounts/:id/events', 'read', {
    summary: 'All events of a user and their account, with the sign-ins of administrators who changed it',
    params: timelinePath,
    query: EventsQuery,
    paged: true,
    answer: answer('A page of events', z.array(AuditEvent)),
  }),
  auditMoments: get('/api/audit/accounts/:id/moments', 'read', {
    summary: 'When an account changed: the numbers and times of all events',
    params: timelinePath,
    query: MomentsQuery,
    answer: answer('The moments', AuditMoments),
  }),
  auditDifference: get('/api/audit/accounts/:id/difference', 'read', {
    summary: 'The difference between two moments of an account',
    params: timelinePath,
    query: DifferenceQuery,
    answer: answer('The changed fields', z.array(AuditChange)),
  }),
  auditExport: get('/api/audit/accounts/:id/export', 'export', {
    summary:
      'The complete history of an account as a file: as JSON with its proof (proofdesk export 4), or as CSV, which proves nothing',
    params: timelinePath,
    query: ExportQuery,
    answer: file(JSON_TYPE, CSV_TYPE),
    refuses: throttled,
  }),
  auditEvents: get('/api/audit/events', 'read', {
    summary: 'The events of all accounts, filtered by actor, type and time',
    query: ActivityQuery,
    paged: true,
    position: 'waits',
    answer: answer('A page of events', z.array(AuditEvent)),
  }),
  activityExport: get('/api/audit/events.csv', 'export', {
    summary: `The filtered events of all accounts as CSV, a row for each changed field; up to ${MOST_EXPORTED_EVENTS} events`,
    query: ActivityExport,
    position: 'waits',
    answer: file(CSV_TYPE),
    refuses: throttled,
  }),
  auditReceipt: get('/api/audit/accounts/:id/events/:number/receipt', 'read', {
    summary: 'A receipt for one event of an account: a C2SP tlog-proof, to be checked offline',
    params: timelinePath.extend({ number: eventNumber }),
    answer: file(TEXT_TYPE),
    refuses: throttled,
  }),
  verifyPage: get('/verify', 'public', {
    summary: 'A page that verifies an export in any browser, and sends nothing',
    answer: file('text/html'),
  }),
  verifyFile: get('/verify.html', 'public', {
    summary: 'The same page as a file, to keep and to use offline',
    answer: file('text/html'),
  }),
}
