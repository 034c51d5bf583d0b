import { z } from 'zod'
import { AccountChanges, OwnAccount } from './account-schemas.ts'
import {
  AuditAccountFound,
  AuditChange,
  AuditFact,
  AuditMoments,
  AuditSearch,
  AuditState,
  DifferenceQuery,
  ExportQuery,
  FactsQuery,
  MomentsQuery,
  PersonalExport,
  SealingKeys,
  StateQuery,
} from './audit-schemas.ts'
import { Certificate, CERTIFICATE_FIELD, CERTIFICATE_TYPE, CertificateUpload, LARGEST_CERTIFICATE } from './certificate-schemas.ts'
import { described } from './openapi-component.ts'
import { BannedAnswer, DoneAnswer, ErrorAnswer } from './error-schemas.ts'
import { BASED_ON_HEADER, IDEMPOTENCY_HEADER } from './headers.ts'
import { Health, Readiness } from './health-schemas.ts'
import { Changes, LiveStart } from './live-schemas.ts'
import { Offer } from './offer-schemas.ts'
import { AdminPayout, BasedOnHeader, IdempotencyKey, ListedPayout, Payout, PayoutExport, PayoutList, PayoutRequest, PayoutVerdict } from './payout-schemas.ts'
import { AccountHistory } from './performance-schemas.ts'
import {
  AdminAuth,
  AdminCredentials,
  Credentials,
  EmailRevert,
  OpenSession,
  PasswordChange,
  PasswordForgotten,
  PasswordReset,
  ProfileChanges,
  Registration,
  SignedInAdmin,
  User,
} from './session-schemas.ts'
import { Stats } from './statistics-schemas.ts'
import { System } from './system-schemas.ts'
import { Ban, ListedUser, NewUser, UserChanges, UserDetails, UserExport, UserList } from './user-schemas.ts'

/**
 * All calls of the HTTP API (specification §7). The services register their handlers from this table, and the OpenAPI
 * document is derived from it, so the two cannot differ.
 */

/** As in Express and OpenAPI. */
export type Method = 'get' | 'post' | 'patch' | 'delete'

/** The session a call requires. 'owner-or-any-admin' is the trader who owns the resource, or any access key. */
export type Access = 'public' | 'trader' | 'admin' | 'auditor-or-admin' | 'owner-or-any-admin'

export type Tag = 'Session' | 'Trader' | 'Administration' | 'Audit' | 'Service'

export type Status = 200 | 201 | 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 503

/** The answer with a status: JSON of a schema, a file, or a stream of events with JSON of a schema in each. */
export type Answer =
  | { readonly description: string; readonly schema: z.ZodType }
  /** A file of one of these types. */
  | { readonly description: string; readonly files: readonly string[] }
  | { readonly description: string; readonly events: z.ZodType }

export interface Route {
  readonly method: Method
  /** As in Express: '/api/admin/user/:id'. */
  readonly path: `/${string}`
  readonly access: Access
  readonly tag: Tag
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly headers?: Readonly<Record<string, { readonly schema: z.ZodType; readonly description: string }>>
  readonly body?: z.ZodType
  /** The body is multipart: its fields are `body`, and this is the file. */
  readonly upload?: { readonly field: string; readonly type: string; readonly largest: number }
  /**
   * Read your own writes: a success of a call that 'answers' carries the position it reached; a call that 'waits' is
   * answered from read models that have reached the request's position; one that 'tries' waits for it only briefly.
   */
  readonly position?: 'answers' | 'waits' | 'tries'
  /** A paginated list: its answer carries the headers of `pagination-schemas.ts`. */
  readonly paged?: true
  readonly responses: Readonly<Partial<Record<Status, Answer>>>
}

const answer = <Schema extends z.ZodType>(description: string, schema: Schema) => ({ description, schema })
const refusal = (description: string) => answer(description, ErrorAnswer)

// The answers of a call besides its success, in groups.

const anyCall = {
  500: refusal('A server error; the X-Request-Id header names the request'),
  503: refusal('A server is unavailable, or the read models lag too far behind; retry after Retry-After seconds'),
}
/** A request with parameters or a body to validate. */
const checked = { 400: refusal('The request is not valid') }
const throttled = { 429: refusal('Too many attempts; retry after Retry-After seconds') }
const unknown = { 404: refusal('Not found') }
const conflict = { 409: refusal('The current state does not allow it') }
/** Every change: only same-site, only JSON (or the upload's multipart), only up to a size. */
const change = {
  ...checked,
  403: refusal('Sent from another site'),
  413: refusal('The body is too large'),
  415: refusal('The content type of the body is not supported'),
  ...anyCall,
}
const trader = {
  401: refusal('Not signed in'),
  403: answer('The account is banned, or not allowed to do this', z.union([BannedAnswer, ErrorAnswer])),
}
const admin = {
  401: refusal('Not signed in with an access key'),
  403: refusal('This session or key is not allowed to do this'),
}

const done = answer('Done', DoneAnswer)

/** How exports are sent. */
const CSV_TYPE = 'text/csv'
const JSON_TYPE = 'application/json'

const userPath = z.object({ id: described("The user's id", z.string()) })
const payoutPath = z.object({ id: described("The payout's id", z.string()) })
const sessionQuery = z.object({ id: described('Only the session with this id, if it is open; without it, all but the one in use', z.string().optional()) })
const certificatePath = z.object({ id: described("The certificate's id", z.string()) })

export const routes = {
  currentUser: {
    method: 'get',
    path: '/api/user',
    access: 'trader',
    tag: 'Session',
    summary: 'Who is signed in',
    position: 'waits',
    responses: { 200: answer('The signed-in user', User), ...anyCall, ...trader },
  },
  register: {
    method: 'post',
    path: '/api/register',
    access: 'public',
    tag: 'Session',
    summary: 'Register, open a trading account and sign in',
    body: Registration,
    position: 'answers',
    responses: { 201: answer('The new user, signed in', User), ...change, ...conflict, ...throttled },
  },
  login: {
    method: 'post',
    path: '/api/login',
    access: 'public',
    tag: 'Session',
    summary: 'Sign in as a trader',
    body: Credentials,
    responses: {
      200: answer('The signed-in user', User),
      ...change,
      ...trader,
      ...throttled,
      401: refusal('Wrong email or password'),
    },
  },
  logout: {
    method: 'post',
    path: '/api/logout',
    access: 'public',
    tag: 'Session',
    summary: 'End the session, if any',
    responses: { 200: done, ...change },
  },
  forgotPassword: {
    method: 'post',
    path: '/api/forgot-password',
    access: 'public',
    tag: 'Session',
    // No position, though an event may be appended: it would reveal whether the address is known.
    summary: 'Request a link to reset the password; the answer is the same for unknown addresses',
    body: PasswordForgotten,
    responses: { 200: done, ...change, ...throttled },
  },
  resetPassword: {
    method: 'post',
    path: '/api/reset-password',
    access: 'public',
    tag: 'Session',
    summary: 'Set a new password with the token of a mailed link; ends every session',
    body: PasswordReset,
    position: 'answers',
    responses: { 200: done, ...change, ...conflict, ...throttled },
  },
  revertEmail: {
    method: 'post',
    path: '/api/revert-email',
    access: 'public',
    tag: 'Session',
    summary: 'Take a change of email back with the token mailed to the address before; ends every session and mails a link to set a password',
    body: EmailRevert,
    position: 'answers',
    responses: { 200: done, ...change, ...conflict, ...throttled },
  },

  ownAccount: {
    method: 'get',
    path: '/api/user/account',
    access: 'trader',
    tag: 'Trader',
    summary: "The trader's own account, with its platform login",
    position: 'waits',
    responses: { 200: answer('The account', OwnAccount), ...anyCall, ...trader, ...unknown },
  },
  ownHistory: {
    method: 'get',
    path: '/api/user/account/history',
    access: 'trader',
    tag: 'Trader',
    summary: "The balance of the trader's own account over time, with the decisions along the way",
    position: 'waits',
    responses: { 200: answer('Points and markers, oldest first', AccountHistory), ...anyCall, ...trader },
  },
  ownStory: {
    method: 'get',
    path: '/api/user/history',
    access: 'trader',
    tag: 'Trader',
    summary: 'All events of the trader and their account: who, when, what changed, why',
    query: FactsQuery,
    paged: true,
    responses: { 200: answer('A page of events', z.array(AuditFact)), ...checked, ...anyCall, ...trader },
  },
  ownState: {
    method: 'get',
    path: '/api/user/history/state',
    access: 'trader',
    tag: 'Trader',
    summary: "The trader's own account as it was at a moment",
    query: StateQuery,
    responses: { 200: answer('The state at that moment', AuditState), ...checked, ...anyCall, ...trader, ...unknown },
  },
  ownMoments: {
    method: 'get',
    path: '/api/user/history/moments',
    access: 'trader',
    tag: 'Trader',
    summary: "When the trader's own account changed: the numbers and times of all events",
    query: MomentsQuery,
    responses: { 200: answer('The moments', AuditMoments), ...checked, ...anyCall, ...trader },
  },
  ownExport: {
    method: 'get',
    path: '/api/user/export',
    access: 'trader',
    tag: 'Trader',
    summary: 'All data stored about the trader, as one file (the right of access)',
    responses: { 200: answer('The data', PersonalExport), ...anyCall, ...trader },
  },
  ownProof: {
    method: 'get',
    path: '/api/user/history/proof',
    access: 'trader',
    tag: 'Trader',
    summary: "The trader's own history with its proof, to be checked offline with verify.html",
    responses: { 200: { description: 'The file', files: [JSON_TYPE] }, ...anyCall, ...trader },
  },
  changeProfile: {
    method: 'patch',
    path: '/api/user/profile',
    access: 'trader',
    tag: 'Trader',
    summary: 'Change email or address; absent fields are unchanged',
    body: ProfileChanges,
    position: 'answers',
    responses: { 200: done, ...change, ...trader, ...conflict, ...throttled },
  },
  changePassword: {
    method: 'post',
    path: '/api/user/change-password',
    access: 'trader',
    tag: 'Trader',
    summary: 'Change the password; ends every other session',
    body: PasswordChange,
    position: 'answers',
    responses: { 200: done, ...change, ...trader, ...conflict, ...throttled },
  },
  ownSessions: {
    method: 'get',
    path: '/api/user/sessions',
    access: 'trader',
    tag: 'Session',
    summary: "The trader's own sessions, the last used first",
    responses: { 200: answer('The sessions', z.array(OpenSession)), ...anyCall, ...trader },
  },
  endOwnSessions: {
    method: 'delete',
    path: '/api/user/sessions',
    access: 'trader',
    tag: 'Session',
    summary: "End one of the trader's own sessions, or all except this one",
    query: sessionQuery,
    responses: { 200: done, ...change, ...trader },
  },
  ownPayouts: {
    method: 'get',
    path: '/api/user/payouts',
    access: 'trader',
    tag: 'Trader',
    summary: "The trader's own payout requests, newest first",
    position: 'waits',
    responses: { 200: answer('The payout requests', z.array(ListedPayout)), ...anyCall, ...trader },
  },
  requestPayout: {
    method: 'post',
    path: '/api/user/payouts',
    access: 'trader',
    tag: 'Trader',
    summary: 'Request a payout; only while payouts are enabled for the account',
    headers: {
      [IDEMPOTENCY_HEADER]: {
        schema: IdempotencyKey,
        description: 'A text of your choice: repeating a request with the same key creates no second payout and returns the same answer',
      },
    },
    body: PayoutRequest,
    position: 'answers',
    responses: { 201: answer('The payout request', Payout), ...change, ...trader, ...conflict, ...throttled },
  },
  ownCertificates: {
    method: 'get',
    path: '/api/user/certificates',
    access: 'trader',
    tag: 'Trader',
    summary: "The trader's own certificates",
    position: 'waits',
    responses: { 200: answer('The certificates', z.array(Certificate)), ...anyCall, ...trader },
  },
  certificateFile: {
    method: 'get',
    path: '/api/certificates/:id/file',
    access: 'owner-or-any-admin',
    tag: 'Trader',
    summary: "A certificate's PDF",
    params: certificatePath,
    position: 'waits',
    responses: { 200: { description: 'The file', files: [CERTIFICATE_TYPE] }, ...checked, ...anyCall, ...trader, ...unknown },
  },
  offers: {
    method: 'get',
    path: '/api/offers',
    access: 'public',
    tag: 'Trader',
    summary: 'The evaluation accounts for sale',
    responses: { 200: answer('The six offers', z.array(Offer)), ...anyCall },
  },

  adminLogin: {
    method: 'post',
    path: '/api/admin/login',
    access: 'public',
    tag: 'Administration',
    summary: 'Sign in with an access key',
    body: AdminCredentials,
    responses: { 200: answer('Signed in', SignedInAdmin), ...change, 401: refusal('Invalid access key'), ...throttled },
  },
  adminAuth: {
    method: 'get',
    path: '/api/admin/auth',
    access: 'public',
    tag: 'Administration',
    summary: 'The access key of this session, if any',
    responses: { 200: answer('The access key', AdminAuth), ...anyCall },
  },
  adminLogout: {
    method: 'post',
    path: '/api/admin/logout',
    access: 'public',
    tag: 'Administration',
    summary: "End the access key's session; without one, nothing happens",
    responses: { 200: done, ...change },
  },
  staffSessions: {
    method: 'get',
    path: '/api/admin/auth/sessions',
    access: 'auditor-or-admin',
    tag: 'Administration',
    summary: 'The sessions of the own access key, the last used first',
    responses: { 200: answer('The sessions', z.array(OpenSession)), ...anyCall, ...admin },
  },
  endStaffSessions: {
    method: 'delete',
    path: '/api/admin/auth/sessions',
    access: 'auditor-or-admin',
    tag: 'Administration',
    summary: 'End a session of the own access key, or all except this one',
    query: sessionQuery,
    responses: { 200: done, ...change, ...admin },
  },
  userSessions: {
    method: 'get',
    path: '/api/admin/user/:id/sessions',
    access: 'auditor-or-admin',
    tag: 'Administration',
    summary: "A user's sessions, the last used first",
    params: userPath,
    position: 'waits',
    responses: { 200: answer('The sessions', z.array(OpenSession)), ...checked, ...anyCall, ...admin, ...unknown },
  },
  endUserSessions: {
    method: 'delete',
    path: '/api/admin/user/:id/sessions',
    access: 'admin',
    tag: 'Administration',
    summary: 'End every session of a user; the user sees it in the history',
    params: userPath,
    position: 'answers',
    responses: { 200: done, ...change, ...admin, ...unknown, ...conflict },
  },
  stats: {
    method: 'get',
    path: '/api/admin/stats',
    access: 'auditor-or-admin',
    tag: 'Administration',
    summary: 'Counts and sums of the dashboard, and the newest users',
    position: 'waits',
    responses: { 200: answer('The figures', Stats), ...anyCall, ...admin },
  },
  system: {
    method: 'get',
    path: '/api/admin/system',
    access: 'auditor-or-admin',
    tag: 'Administration',
    summary: 'The state of the portal: parts, read models and their rebuilds, dead letters, mail, seals',
    position: 'tries',
    responses: { 200: answer('The state', System), ...anyCall, ...admin },
  },
  retryEvent: {
    method: 'post',
    path: '/api/admin/system/poison/:id/retry',
    access: 'admin',
    tag: 'Administration',
    summary: 'Retry a dead letter; a read model is rebuilt for it beside the one in use',
    params: z.object({ id: described('The id of the dead letter', z.string()) }),
    position: 'answers',
    responses: { 200: done, ...change, ...admin, ...unknown },
  },
  users: {
    method: 'get',
    path: '/api/admin/users',
    access: 'auditor-or-admin',
    tag: 'Administration',
    summary: 'All users with their trading accounts',
    query: UserList,
    paged: true,
    position: 'waits',
    responses: { 200: answer('A page of users', z.array(ListedUser)), ...checked, ...anyCall, ...admin },
  },
  usersExport: {
    method: 'get',
    path: '/api/admin/users.csv',
    access: 'auditor-or-admin',
    tag: 'Administration',
    summary: 'The filtered list of users as CSV, without pagination and master passwords',
    query: UserExport,
    position: 'waits',
    responses: { 200: { description: 'The file', files: [CSV_TYPE] }, ...checked, ...anyCall, ...admin },
  },
  createUser: {
    method: 'post',
    path: '/api/admin/users',
    access: 'admin',
    tag: 'Administration',
    summary: 'Create a user with a trading account; the user sets a password by a mailed link',
    body: NewUser,
    position: 'answers',
    responses: { 201: answer('The new user', User), ...change, ...admin, ...conflict },
  },
  user: {
    method: 'get',
    path: '/api/admin/user/:id',
    access: 'auditor-or-admin',
    tag: 'Administration',
    summary: 'One user with the trading account and its platform login',
    params: userPath,
    position: 'waits',
    responses: { 200: answer('The user', UserDetails), ...checked, ...anyCall, ...admin, ...unknown },
  },
  history: {
    method: 'get',
    path: '/api/admin/user/:id/account/history',
    access: 'auditor-or-admin',
    tag: 'Administration',
    summary: "The balance of a user's account over time, with the decisions along the way",
    params: userPath,
    position: 'waits',
    responses: { 200: answer('Points and markers, oldest first', AccountHistory), ...checked, ...anyCall, ...admin, ...unknown },
  },
  changeUser: {
    method: 'patch',
    path: '/api/admin/user/:id',
    access: 'admin',
    tag: 'Administration',
    summary: "Change a user's name, email or address; what is not sent stays as it is",
    params: userPath,
    body: UserChanges,
    position: 'answers',
    responses: { 200: done, ...change, ...admin, ...unknown, ...conflict },
  },
  deleteUser: {
    method: 'delete',
    path: '/api/admin/user/:id',
    access: 'admin',
    tag: 'Administration',
    summary: 'Delete a user: ends sessions, frees the email and erases personal data for good',
    params: userPath,
    position: 'answers',
    responses: { 200: done, ...change, ...admin, ...unknown, ...conflict },
  },
  setAccount: {
    method: 'post',
    path: '/api/admin/user/:id/account',
    access: 'admin',
    tag: 'Administration',
    summary: "Set the first values of a new user's trading account",
    params: userPath,
    body: AccountChanges,
    position: 'answers',
    responses: { 200: done, ...change, ...admin, ...unknown, ...conflict },
  },
  changeAccount: {
    method: 'patch',
    path: '/api/admin/user/:id/account',
    access: 'admin',
    tag: 'Administration',
    summary: 'Change a trading account; absent fields are unchanged',
    params: userPath,
    body: AccountChanges,
    position: 'answers',
    responses: { 200: done, ...change, ...admin, ...unknown, ...conflict },
  },
  banUser: {
    method: 'patch',
    path: '/api/admin/user/:id/ban',
    access: 'admin',
    tag: 'Administration',
    summary: 'Ban a user with a reason, or unban one',
    params: userPath,
    body: Ban,
    position: 'answers',
    responses: { 200: done, ...change, ...admin, ...unknown, ...conflict },
  },
  payouts: {
    method: 'get',
    path: '/api/admin/payouts',
    access: 'auditor-or-admin',
    tag: 'Administration',
    summary: 'All payout requests with their users',
    query: PayoutList,
    paged: true,
    position: 'waits',
    responses: { 200: answer('A page of payout requests', z.array(AdminPayout)), ...checked, ...anyCall, ...admin },
  },
  payoutsExport: {
    method: 'get',
    path: '/api/admin/payouts.csv',
    access: 'auditor-or-admin',
    tag: 'Administration',
    summary: 'The filtered list of payout requests as CSV, without pagination',
    query: PayoutExport,
    position: 'waits',
    responses: { 200: { description: 'The file', files: [CSV_TYPE] }, ...checked, ...anyCall, ...admin },
  },
  decidePayout: {
    method: 'patch',
    path: '/api/admin/payouts/:id',
    access: 'admin',
    tag: 'Administration',
    summary: 'Approve a payout request, or reject it with notes',
    params: payoutPath,
    headers: {
      [BASED_ON_HEADER]: {
        schema: BasedOnHeader,
        description: "The payout's decidedAt as it was seen, or 'undecided': a verdict given since is then not overruled, but named in a 409",
      },
    },
    body: PayoutVerdict,
    position: 'answers',
    responses: { 200: done, ...change, ...admin, ...unknown, ...conflict },
  },
  issueCertificate: {
    method: 'post',
    path: '/api/admin/certificates',
    access: 'admin',
    tag: 'Administration',
    summary: 'Issue a certificate to a user',
    body: CertificateUpload,
    upload: { field: CERTIFICATE_FIELD, type: CERTIFICATE_TYPE, largest: LARGEST_CERTIFICATE },
    position: 'answers',
    responses: { 201: answer('The certificate', Certificate), ...change, ...admin, ...unknown, ...conflict },
  },

  auditAccounts: {
    method: 'get',
    path: '/api/audit/accounts',
    access: 'auditor-or-admin',
    tag: 'Audit',
    summary: 'Find an account to audit',
    query: AuditSearch,
    paged: true,
    position: 'waits',
    responses: { 200: answer('A page of accounts', z.array(AuditAccountFound)), ...checked, ...anyCall, ...admin },
  },
  auditAccount: {
    method: 'get',
    path: '/api/audit/accounts/:id',
    access: 'auditor-or-admin',
    tag: 'Audit',
    summary: 'An account as it was at a moment',
    params: userPath,
    query: StateQuery,
    responses: { 200: answer('The state at that moment', AuditState), ...checked, ...anyCall, ...admin, ...unknown },
  },
  auditAccountFacts: {
    method: 'get',
    path: '/api/audit/accounts/:id/facts',
    access: 'auditor-or-admin',
    tag: 'Audit',
    summary: 'All events of a user and their account, with the sign-ins of administrators who changed it',
    params: userPath,
    query: FactsQuery,
    paged: true,
    responses: { 200: answer('A page of events', z.array(AuditFact)), ...checked, ...anyCall, ...admin, ...unknown },
  },
  auditMoments: {
    method: 'get',
    path: '/api/audit/accounts/:id/moments',
    access: 'auditor-or-admin',
    tag: 'Audit',
    summary: 'When an account changed: the numbers and times of all events',
    params: userPath,
    query: MomentsQuery,
    responses: { 200: answer('The moments', AuditMoments), ...checked, ...anyCall, ...admin, ...unknown },
  },
  auditDifference: {
    method: 'get',
    path: '/api/audit/accounts/:id/difference',
    access: 'auditor-or-admin',
    tag: 'Audit',
    summary: 'The difference between two moments of an account',
    params: userPath,
    query: DifferenceQuery,
    responses: { 200: answer('The changed fields', z.array(AuditChange)), ...checked, ...anyCall, ...admin, ...unknown },
  },
  auditExport: {
    method: 'get',
    path: '/api/audit/accounts/:id/export',
    access: 'auditor-or-admin',
    tag: 'Audit',
    summary: 'The complete history of an account as a file; as JSON with a proof that can be verified offline',
    params: userPath,
    query: ExportQuery,
    responses: { 200: { description: 'The file', files: [JSON_TYPE, CSV_TYPE] }, ...checked, ...anyCall, ...admin, ...unknown },
  },
  auditFacts: {
    method: 'get',
    path: '/api/audit/facts',
    access: 'auditor-or-admin',
    tag: 'Audit',
    summary: 'The events of all accounts, filtered by actor, type and time',
    query: FactsQuery,
    paged: true,
    responses: { 200: answer('A page of events', z.array(AuditFact)), ...checked, ...anyCall, ...admin },
  },

  sealingKeys: {
    method: 'get',
    path: '/.well-known/proofdesk-key.json',
    access: 'public',
    tag: 'Audit',
    summary: "The public keys that sign the log's seals, with their history",
    responses: { 200: answer('The keys', SealingKeys), ...anyCall },
  },
  verifyPage: {
    method: 'get',
    path: '/verify.html',
    access: 'public',
    tag: 'Audit',
    summary: 'A page that verifies an export offline, in any browser',
    responses: { 200: { description: 'The file', files: ['text/html'] }, ...anyCall },
  },

  live: {
    method: 'get',
    path: '/api/live',
    access: 'owner-or-any-admin',
    tag: 'Service',
    summary: 'Changes as server-sent events: for a trader those of their own data, for an access key those of users and payouts',
    query: LiveStart,
    headers: { 'Last-Event-ID': { schema: z.string(), description: 'The id of the last event received; the stream resumes after it' } },
    responses: { 200: { description: 'The changes', events: Changes }, ...checked, ...anyCall, ...trader, ...throttled },
  },

  openApi: {
    method: 'get',
    path: '/api/openapi.json',
    access: 'public',
    tag: 'Service',
    summary: 'This description',
    responses: { 200: answer('An OpenAPI 3.1 document', z.looseObject({ openapi: z.string() })), ...anyCall },
  },
  health: {
    method: 'get',
    path: '/healthz',
    access: 'public',
    tag: 'Service',
    summary: 'Whether the service works',
    responses: { 200: answer('It does', Health), 503: answer('It does not', Health) },
  },
  readiness: {
    method: 'get',
    path: '/readyz',
    access: 'public',
    tag: 'Service',
    summary: "Whether the service's dependencies are available, part by part",
    responses: { 200: answer('All are', Readiness), 503: answer('Some are not', Readiness) },
  },
} as const satisfies Readonly<Record<string, Route>>

export type RouteName = keyof typeof routes

export interface NamedRoute extends Route {
  readonly name: string
}

/** Every call as a list, each with its name. */
export const allRoutes: readonly NamedRoute[] = Object.entries<Route>(routes).map(([name, route]) => ({ name, ...route }))

/** Names of the parameters of a path: 'id' for '/api/admin/user/:id'. */
export type PathParameters<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameters<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** The URL of a call: `addressOf(routes.user.path, { id })`. */
export function addressOf<Path extends string>(path: Path, parameters: Readonly<Record<PathParameters<Path>, string>>): string {
  return Object.entries<string>(parameters).reduce<string>((address, [name, value]) => address.replace(`:${name}`, () => encodeURIComponent(value)), path)
}

/** A path as OpenAPI writes it: '/api/admin/user/{id}'. */
export function openApiPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}
