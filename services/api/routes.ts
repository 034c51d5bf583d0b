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
import { IDEMPOTENCY_HEADER } from './headers.ts'
import { Health, Readiness } from './health-schemas.ts'
import { Changes, LiveStart } from './live-schemas.ts'
import { Offer } from './offer-schemas.ts'
import { AdminPayout, IdempotencyKey, ListedPayout, Payout, PayoutExport, PayoutList, PayoutRequest, PayoutVerdict } from './payout-schemas.ts'
import { AccountHistory } from './performance-schemas.ts'
import {
  AdminAuth,
  AdminCredentials,
  Credentials,
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
 * All calls of the HTTP interface (specification §7). The services register their handlers by this table, and
 * the OpenAPI document is made of it, so neither can know a call that the other doesn't.
 */

/** As express and OpenAPI write it. */
export type Method = 'get' | 'post' | 'patch' | 'delete'

/** Whose session a call needs. 'owner-or-any-admin' is the trader that the thing belongs to, or any access key. */
export type Access = 'public' | 'trader' | 'admin' | 'auditor-or-admin' | 'owner-or-any-admin'

export type Tag = 'Session' | 'Trader' | 'Administration' | 'Audit' | 'Service'

export type Status = 200 | 201 | 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 503

/** What comes back with a status: JSON of a schema, a file, or a stream of events with JSON of a schema in each. */
export type Answer =
  | { readonly description: string; readonly schema: z.ZodType }
  /** A file of one of these types. */
  | { readonly description: string; readonly files: readonly string[] }
  | { readonly description: string; readonly events: z.ZodType }

export interface Route {
  readonly method: Method
  /** As express writes it: '/api/admin/user/:id'. */
  readonly path: `/${string}`
  readonly access: Access
  readonly tag: Tag
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly headers?: Readonly<Record<string, { readonly schema: z.ZodType; readonly description: string }>>
  readonly body?: z.ZodType
  /** The body is multipart: its fields are `body`, and this is its file. */
  readonly upload?: { readonly field: string; readonly type: string; readonly largest: number }
  /**
   * Read your own writes: a success of a call that 'answers' carries the position it reached; a call that 'waits' is
   * answered from views that have reached the position which the request carries; one that 'tries' waits a moment for it.
   */
  readonly position?: 'answers' | 'waits' | 'tries'
  /** A list in pages: its answer carries the headers of `pages.ts`. */
  readonly paged?: true
  readonly responses: Readonly<Partial<Record<Status, Answer>>>
}

const answer = <Schema extends z.ZodType>(description: string, schema: Schema) => ({ description, schema })
const refusal = (description: string) => answer(description, ErrorAnswer)

// What a call may answer besides its success, in groups.

const anyCall = {
  500: refusal('A fault of the server; the request id is in the header X-Request-Id'),
  503: refusal('A backing store is away, or the views are too far behind; try again after Retry-After seconds'),
}
/** A request with parameters or a body that may be wrong. */
const checked = { 400: refusal('Something in the request is not valid') }
const throttled = { 429: refusal('Too many attempts; retry after Retry-After seconds') }
const unknown = { 404: refusal('There is no such thing') }
const conflict = { 409: refusal('The present state does not allow it') }
/** Every change: only from this site, only as JSON (or the upload's multipart), only up to a size. */
const change = {
  ...checked,
  403: refusal('Sent from another site'),
  413: refusal('The body is too large'),
  415: refusal('The body has another content type than the call takes'),
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
    summary: 'End the session; without one, nothing happens',
    responses: { 200: done, ...change },
  },
  forgotPassword: {
    method: 'post',
    path: '/api/forgot-password',
    access: 'public',
    tag: 'Session',
    // No position, though an event may be recorded: it would tell whose address is known.
    summary: 'Ask for a link to reset the password; the answer is the same for an unknown address',
    body: PasswordForgotten,
    responses: { 200: done, ...change, ...throttled },
  },
  resetPassword: {
    method: 'post',
    path: '/api/reset-password',
    access: 'public',
    tag: 'Session',
    summary: 'Set a new password with the token of a mailed link; every session ends',
    body: PasswordReset,
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
    summary: 'Every fact about the trader and their account: who, when, what changed, why',
    query: FactsQuery,
    paged: true,
    responses: { 200: answer('A page of facts', z.array(AuditFact)), ...checked, ...anyCall, ...trader },
  },
  ownState: {
    method: 'get',
    path: '/api/user/history/state',
    access: 'trader',
    tag: 'Trader',
    summary: "The trader's own account as it was at a moment",
    query: StateQuery,
    responses: { 200: answer('What was true then', AuditState), ...checked, ...anyCall, ...trader, ...unknown },
  },
  ownMoments: {
    method: 'get',
    path: '/api/user/history/moments',
    access: 'trader',
    tag: 'Trader',
    summary: "When the trader's own account changed: the numbers and times of its facts, all at once",
    query: MomentsQuery,
    responses: { 200: answer('The moments', AuditMoments), ...checked, ...anyCall, ...trader },
  },
  ownExport: {
    method: 'get',
    path: '/api/user/export',
    access: 'trader',
    tag: 'Trader',
    summary: 'Everything that is kept about the trader, as one file (the right of access)',
    responses: { 200: answer('What is kept', PersonalExport), ...anyCall, ...trader },
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
    summary: 'Change email or address; what is not sent stays as it is',
    body: ProfileChanges,
    position: 'answers',
    responses: { 200: done, ...change, ...trader, ...conflict },
  },
  changePassword: {
    method: 'post',
    path: '/api/user/change-password',
    access: 'trader',
    tag: 'Trader',
    summary: 'Change the password; every other session ends',
    body: PasswordChange,
    position: 'answers',
    responses: { 200: done, ...change, ...trader, ...conflict, ...throttled },
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
        description: 'Any text of your own: the same key with the same body makes one payout and gets the same answer',
      },
    },
    body: PayoutRequest,
    position: 'answers',
    responses: { 201: answer('The payout request', Payout), ...change, ...trader, ...conflict },
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
    summary: 'Whether this session belongs to an access key, and to which',
    responses: { 200: answer('Whether it does', AdminAuth), ...anyCall },
  },
  adminLogout: {
    method: 'post',
    path: '/api/admin/logout',
    access: 'public',
    tag: 'Administration',
    summary: "End the access key's session; without one, nothing happens",
    responses: { 200: done, ...change },
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
    summary: 'How the portal itself is: parts, views and their rebuilds, events set aside, mail, seals',
    position: 'tries',
    responses: { 200: answer('How it is', System), ...anyCall, ...admin },
  },
  retryEvent: {
    method: 'post',
    path: '/api/admin/system/poison/:id/retry',
    access: 'admin',
    tag: 'Administration',
    summary: 'Try an event again that was set aside; a view is built anew for it, beside what is served',
    params: z.object({ id: described('The id of the event among those set aside', z.string()) }),
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
    summary: 'The filtered list of users as CSV, without pages and without master passwords',
    query: UserExport,
    position: 'waits',
    responses: { 200: { description: 'The file', files: [CSV_TYPE] }, ...checked, ...anyCall, ...admin },
  },
  createUser: {
    method: 'post',
    path: '/api/admin/users',
    access: 'admin',
    tag: 'Administration',
    summary: 'Create a user with a trading account; the person sets a password by a mailed link',
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
    summary: 'Delete a user: sessions end, the email is free again, what was personal is erased for good',
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
    summary: 'Change a trading account; what is not sent stays as it is',
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
    summary: 'All payout requests with the persons who ask',
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
    summary: 'The filtered list of payout requests as CSV, without pages',
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
    summary: 'Find the account to look into',
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
    responses: { 200: answer('What was true then', AuditState), ...checked, ...anyCall, ...admin, ...unknown },
  },
  auditAccountFacts: {
    method: 'get',
    path: '/api/audit/accounts/:id/facts',
    access: 'auditor-or-admin',
    tag: 'Audit',
    summary: 'Every fact about a person and their account, with the sign-ins of the administrators that touched it',
    params: userPath,
    query: FactsQuery,
    paged: true,
    responses: { 200: answer('A page of facts', z.array(AuditFact)), ...checked, ...anyCall, ...admin, ...unknown },
  },
  auditMoments: {
    method: 'get',
    path: '/api/audit/accounts/:id/moments',
    access: 'auditor-or-admin',
    tag: 'Audit',
    summary: 'When an account changed: the numbers and times of its facts, all at once',
    params: userPath,
    query: MomentsQuery,
    responses: { 200: answer('The moments', AuditMoments), ...checked, ...anyCall, ...admin, ...unknown },
  },
  auditDifference: {
    method: 'get',
    path: '/api/audit/accounts/:id/difference',
    access: 'auditor-or-admin',
    tag: 'Audit',
    summary: 'What two moments of an account differ in',
    params: userPath,
    query: DifferenceQuery,
    responses: { 200: answer('The fields that differ', z.array(AuditChange)), ...checked, ...anyCall, ...admin, ...unknown },
  },
  auditExport: {
    method: 'get',
    path: '/api/audit/accounts/:id/export',
    access: 'auditor-or-admin',
    tag: 'Audit',
    summary: 'The whole story of an account as a file; as JSON with its proof, to be checked offline',
    params: userPath,
    query: ExportQuery,
    responses: { 200: { description: 'The file', files: [JSON_TYPE, CSV_TYPE] }, ...checked, ...anyCall, ...admin, ...unknown },
  },
  auditFacts: {
    method: 'get',
    path: '/api/audit/facts',
    access: 'auditor-or-admin',
    tag: 'Audit',
    summary: 'Everything that anybody did: by actor, type and time',
    query: FactsQuery,
    paged: true,
    responses: { 200: answer('A page of facts', z.array(AuditFact)), ...checked, ...anyCall, ...admin },
  },

  sealingKeys: {
    method: 'get',
    path: '/.well-known/proofdesk-key.json',
    access: 'public',
    tag: 'Audit',
    summary: 'The public keys that the log is sealed with, with their history',
    responses: { 200: answer('The keys', SealingKeys), ...anyCall },
  },
  verifyPage: {
    method: 'get',
    path: '/verify.html',
    access: 'public',
    tag: 'Audit',
    summary: 'A page that checks an export offline, in any browser',
    responses: { 200: { description: 'The file', files: ['text/html'] }, ...anyCall },
  },

  live: {
    method: 'get',
    path: '/api/live',
    access: 'owner-or-any-admin',
    tag: 'Service',
    summary: 'What changed, as it happens (server-sent events): a trader hears of what is their own, an access key of users and payouts',
    query: LiveStart,
    headers: { 'Last-Event-ID': { schema: z.string(), description: 'The id of the last event that was heard: what came after it is told' } },
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
    summary: 'Whether the service can work',
    responses: { 200: answer('It can', Health), 503: answer('It can not', Health) },
  },
  readiness: {
    method: 'get',
    path: '/readyz',
    access: 'public',
    tag: 'Service',
    summary: 'Whether everything the service leans on is there, part by part',
    responses: { 200: answer('Everything is', Readiness), 503: answer('Something is not', Readiness) },
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

/** The address of a call: `addressOf(routes.user.path, { id })`. */
export function addressOf<Path extends string>(path: Path, parameters: Readonly<Record<PathParameters<Path>, string>>): string {
  return Object.entries<string>(parameters).reduce<string>((address, [name, value]) => address.replace(`:${name}`, () => encodeURIComponent(value)), path)
}

/** A path as OpenAPI writes it: '/api/admin/user/{id}'. */
export function openApiPath(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}
