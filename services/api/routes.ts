import { z } from 'zod'
import * as accounts from './account-schemas.ts'
import * as audit from './audit-schemas.ts'
import * as certificates from './certificate-schemas.ts'
import { described } from './openapi-component.ts'
import * as errors from './error-schemas.ts'
import * as factors from './factor-schemas.ts'
import { BASED_ON_HEADER, IDEMPOTENCY_HEADER } from './headers.ts'
import * as health from './health-schemas.ts'
import * as live from './live-schemas.ts'
import * as notices from './notice-schemas.ts'
import * as offers from './offer-schemas.ts'
import * as payouts from './payout-schemas.ts'
import * as performance from './performance-schemas.ts'
import * as sessions from './session-schemas.ts'
import * as staff from './staff-schemas.ts'
import * as statistics from './statistics-schemas.ts'
import * as system from './system-schemas.ts'
import type { Permission } from './permissions.ts'
import { INVALID, request } from './text.ts'
import * as users from './user-schemas.ts'

/**
 * All calls of the HTTP API (specification §7). The services register their handlers from this table, and the OpenAPI
 * document is derived from it, so the two cannot differ.
 */

/** As in Express and OpenAPI. */
export type Method = 'get' | 'post' | 'patch' | 'delete'

/**
 * The session a call requires; a permission is one of staff whose role has it. 'trader-or-any-admin' is any trader or any
 * access key: the handler checks that the trader owns the resource.
 */
export type Access = 'public' | 'trader' | 'trader-or-any-admin' | Permission

export type Status = 200 | 201 | 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 431 | 500 | 503

/** The answer with a status: JSON of a schema, a file, a stream of events with JSON of a schema in each, or nothing. */
export type Answer =
  | { readonly description: string; readonly empty: true }
  | { readonly description: string; readonly schema: z.ZodType }
  /** A file of one of these types. */
  | { readonly description: string; readonly files: readonly string[] }
  | { readonly description: string; readonly events: z.ZodType }

type Responses = Readonly<Partial<Record<Status, Answer>>>

export interface Route {
  readonly method: Method
  /** As in Express: '/api/admin/user/:id'. A last part '*path' is all the rest. */
  readonly path: `/${string}`
  readonly access: Access
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly headers?: Readonly<Record<string, { readonly schema: z.ZodType; readonly description: string }>>
  readonly body?: z.ZodType
  /** The body is multipart: its fields are `body`, and this is the file. */
  readonly upload?: { readonly field: string; readonly type: string; readonly largest: number }
  /**
   * Read your own writes: a success of a call that 'answers' carries the position it reached, as do all changes for which
   * one must be signed in; a call that 'waits' is answered from read models that have reached the request's position; one
   * that 'tries' waits for it only briefly.
   */
  readonly position?: 'answers' | 'waits' | 'tries'
  /** A paginated list: its answer carries the headers of `pagination-schemas.ts`. */
  readonly paged?: true
  /** The answer of a success, empty without it. */
  readonly answer?: Answer
  /** Of a success, 200 without it. */
  readonly status?: 201
  /** Refusals besides those that follow from the method, the access and the parameters. */
  readonly refuses?: Responses
  /** All answers, for a call that has none of the usual ones. */
  readonly responses?: Responses
}

const answer = <Schema extends z.ZodType>(description: string, schema: Schema) => ({ description, schema })
const refusal = (description: string) => answer(description, errors.ErrorAnswer)
const file = (...types: readonly string[]): Answer => ({ description: 'The file', files: types })

// Answers of a call besides its success, in groups.

const tooLong = { 431: { description: 'The address and the headers are too long; no content', empty: true } } as const
const anyCall = {
  ...tooLong,
  500: refusal('A server error; the X-Request-Id header names the request'),
  503: refusal('A server is unavailable, or the read models lag too far behind; retry after Retry-After seconds'),
} satisfies Responses
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
}
const trader = {
  401: refusal('Not signed in'),
  403: answer('The account is banned, or not allowed to do this', z.union([errors.BannedAnswer, errors.ErrorAnswer])),
}
const admin = {
  401: refusal('Not signed in with an access key'),
  403: refusal('This session or key is not allowed to do this'),
}
function callers(access: Access): Responses {
  if (access === 'public') return {}
  return access === 'trader' || access === 'trader-or-any-admin' ? trader : admin
}

const done = answer('Done', errors.DoneAnswer)

function responsesOf({ method, access, params, query, answer: success = done, status, refuses }: Route): Responses {
  const ofRequest = method === 'get' ? (params || query) && checked : change
  return { [status ?? 200]: success, ...anyCall, ...ofRequest, ...callers(access), ...(params && unknown), ...refuses }
}

/** How exports are sent. */
const CSV_TYPE = 'text/csv'
const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain'
const BYTES_TYPE = 'application/octet-stream'

const userPath = z.object({ id: described("The user's id", z.string()) })
const staffPath = z.object({ id: described("The member's id", z.string()) })
const payoutPath = z.object({ id: described("The payout's id", z.string()) })
const sessionQuery = request({
  id: described('Only the session with this id, if it is open; without it, all but the one in use', z.string(INVALID).optional()),
})
/** The number of an event: its position in the log. */
const eventNumber = described("The event's number", z.string().regex(/^[1-9]\d{0,15}$/))
const certificatePath = z.object({ id: described("The certificate's id", z.string()) })

const sharePath = z.object({ code: described('The code of the link', z.string()) })
const sharedNotFound: Answer = { description: 'There is no shared certificate here; a page for people, the same for every such link', files: ['text/html'] }
const throttledPage = { 429: { description: 'Too many reads from this network; a page for people', files: ['text/html'] } }

type Details = Omit<Route, 'method' | 'path' | 'access'>

const call =
  <const M extends Method>(method: M) =>
  <const Path extends Route['path'], const A extends Access, const D extends Details>(path: Path, access: A, details: D) => ({
    method,
    path,
    access,
    ...details,
  })

const [get, post, patch, del] = [call('get'), call('post'), call('patch'), call('delete')]

const passkeyPath = z.object({ id: described("The passkey's id", z.string()) })

/** The calls about one's own second factors. Changes need a recent confirmation (403 'confirmation-required'); they end all other sessions. */
const factorCalls = <const Owner extends string, const A extends 'trader' | 'own-sessions'>(owner: Owner, access: A) => ({
  factors: get(`/api/${owner}/factors` as const, access, { summary: 'The own second factors', answer: answer('The factors', factors.OwnFactors) }),
  confirmationChoice: get(`/api/${owner}/factors/confirmation` as const, access, {
    summary: 'How to confirm who one is: with a second factor, or without any the password or access key',
    answer: answer('The choice, with a challenge for a passkey', factors.FactorChoice),
  }),
  confirm: post(`/api/${owner}/factors/confirmation` as const, access, {
    summary: 'Confirm who one is; this session counts as confirmed for 5 minutes',
    body: factors.Confirmation,
    refuses: { ...conflict, ...throttled },
  }),
  passkeyCreation: get(`/api/${owner}/factors/passkeys` as const, access, {
    summary: 'What a browser needs to make a passkey',
    answer: answer('Options for navigator.credentials.create()', factors.PasskeyCreation),
    refuses: conflict,
  }),
  addPasskey: post(`/api/${owner}/factors/passkeys` as const, access, { summary: 'Add a passkey', body: factors.NewPasskey, refuses: conflict }),
  renamePasskey: patch(`/api/${owner}/factors/passkeys/:id` as const, access, {
    summary: 'Rename a passkey',
    params: passkeyPath,
    body: factors.PasskeyName,
    refuses: conflict,
  }),
  removePasskey: del(`/api/${owner}/factors/passkeys/:id` as const, access, { summary: 'Remove a passkey', params: passkeyPath, refuses: conflict }),
  authenticatorSetup: get(`/api/${owner}/factors/authenticator` as const, access, {
    summary: 'A new key for an authenticator app (TOTP)',
    answer: answer('The key, which counts once a code is sent back', factors.AuthenticatorSetup),
  }),
  turnOnAuthenticator: post(`/api/${owner}/factors/authenticator` as const, access, {
    summary: 'Turn on an authenticator app with its first code',
    body: factors.NewAuthenticator,
    refuses: { ...conflict, ...throttled },
  }),
  turnOffAuthenticator: del(`/api/${owner}/factors/authenticator` as const, access, { summary: 'Turn off the authenticator app', refuses: conflict }),
  issueRecoveryCodes: post(`/api/${owner}/factors/recovery-codes` as const, access, {
    summary: 'Make ten recovery codes, shown once; older ones no longer work',
    answer: answer('The codes', factors.RecoveryCodes),
    refuses: conflict,
  }),
})

const ownFactors = factorCalls('user', 'trader')
const staffFactors = factorCalls('admin/auth', 'own-sessions')

/** The calls about second factors: of a trader, and of a member of staff. */
export const factorRoutes = [ownFactors, staffFactors] as const

/** The calls that staff can make before they have the second factor that the firm requires. */
export const enrolmentPaths: readonly string[] = Object.values(staffFactors).map(({ path }) => path)

/** The calls by their tag in the OpenAPI document. */
export const calls = {
  Session: {
    currentUser: get('/api/user', 'trader', {
      summary: 'Who is signed in',
      position: 'waits',
      answer: answer('The signed-in user', sessions.User),
    }),
    register: post('/api/register', 'public', {
      summary: 'Register, open a trading account and sign in',
      body: sessions.Registration,
      position: 'answers',
      answer: answer('The new user, signed in', sessions.User),
      status: 201,
      refuses: { ...conflict, ...throttled },
    }),
    login: post('/api/login', 'public', {
      summary: "Sign in as a trader; with a second factor, 401 'second-factor-required' until that follows",
      body: sessions.Credentials,
      answer: answer('The signed-in user', sessions.User),
      refuses: { ...trader, ...throttled, 401: refusal('Wrong email or password') },
    }),
    signInChoice: get('/api/login/factor', 'public', {
      summary: 'How to take the second step of a sign-in',
      answer: answer('The choice, with a challenge for a passkey', factors.FactorChoice),
      refuses: { 401: refusal('No sign-in waits for a second step') },
    }),
    signInFactor: post('/api/login/factor', 'public', {
      summary: 'The second step of a sign-in: a passkey, or a code of the authenticator app or of the recovery codes',
      body: factors.FactorProof,
      answer: answer('The signed-in user', sessions.User),
      refuses: { ...trader, ...conflict, ...throttled, 401: refusal('No sign-in waits for a second step') },
    }),
    passkeySignInRequest: get('/api/login/passkey', 'public', {
      summary: 'What a browser needs to sign a trader in with a passkey alone',
      answer: answer('Options for navigator.credentials.get()', factors.PasskeyRequest),
      refuses: conflict,
    }),
    passkeySignIn: post('/api/login/passkey', 'public', {
      summary: 'Sign in as a trader with a passkey alone',
      body: factors.PasskeySignIn,
      answer: answer('The signed-in user', sessions.User),
      refuses: { ...trader, ...conflict, ...throttled, 401: refusal('The passkey is not known here') },
    }),
    logout: post('/api/logout', 'public', { summary: 'End the session, if any' }),
    forgotPassword: post('/api/forgot-password', 'public', {
      // No position, though an event may be appended: it would reveal whether the address is known.
      summary: 'Request a link to reset the password; the answer is the same for unknown addresses',
      body: sessions.PasswordForgotten,
      refuses: throttled,
    }),
    resetPassword: post('/api/reset-password', 'public', {
      summary: 'Set a new password with the token of a mailed link; ends every session',
      body: sessions.PasswordReset,
      position: 'answers',
      refuses: { ...conflict, ...throttled },
    }),
    revertEmail: post('/api/revert-email', 'public', {
      summary: 'Take a change of email back with the token mailed to the address before; ends every session and mails a link to set a password',
      body: sessions.EmailRevert,
      position: 'answers',
      refuses: { ...conflict, ...throttled },
    }),
    ownSessions: get('/api/user/sessions', 'trader', {
      summary: "The trader's own sessions, the last used first",
      answer: answer('The sessions', z.array(sessions.OpenSession)),
    }),
    endOwnSessions: del('/api/user/sessions', 'trader', {
      summary: "End one of the trader's own sessions, or all except this one",
      query: sessionQuery,
    }),
    ownFactors: ownFactors.factors,
    ownConfirmationChoice: ownFactors.confirmationChoice,
    confirmTrader: ownFactors.confirm,
    ownPasskeyCreation: ownFactors.passkeyCreation,
    addOwnPasskey: ownFactors.addPasskey,
    renameOwnPasskey: ownFactors.renamePasskey,
    removeOwnPasskey: ownFactors.removePasskey,
    ownAuthenticatorSetup: ownFactors.authenticatorSetup,
    turnOnOwnAuthenticator: ownFactors.turnOnAuthenticator,
    turnOffOwnAuthenticator: ownFactors.turnOffAuthenticator,
    issueOwnRecoveryCodes: ownFactors.issueRecoveryCodes,
  },
  Trader: {
    ownAccount: get('/api/user/account', 'trader', {
      summary: "The trader's own account, with its platform login",
      position: 'waits',
      answer: answer('The account', accounts.OwnAccount),
      refuses: unknown,
    }),
    ownHistory: get('/api/user/account/history', 'trader', {
      summary: "The balance of the trader's own account over time, with the decisions along the way",
      position: 'waits',
      answer: answer('Points and markers, oldest first', performance.AccountHistory),
    }),
    ownStory: get('/api/user/history', 'trader', {
      summary: 'All events of the trader and their account: who, when, what changed, why',
      query: audit.EventsQuery,
      paged: true,
      answer: answer('A page of events', z.array(audit.AuditFact)),
    }),
    ownState: get('/api/user/history/state', 'trader', {
      summary: "The trader's own account as it was at a moment",
      query: audit.StateQuery,
      answer: answer('The state at that moment', audit.AuditState),
      refuses: unknown,
    }),
    ownMoments: get('/api/user/history/moments', 'trader', {
      summary: "When the trader's own account changed: the numbers and times of all events",
      query: audit.MomentsQuery,
      answer: answer('The moments', audit.AuditMoments),
    }),
    ownExport: get('/api/user/export', 'trader', {
      summary: 'All data stored about the trader, as one file (the right of access); it proves nothing',
      answer: answer('The data', audit.PersonalExport),
      refuses: throttled,
    }),
    ownProof: get('/api/user/history/proof', 'trader', {
      summary: "The trader's own history with its proof (proofdesk export 2), to be verified offline with the page at /verify",
      answer: file(JSON_TYPE),
      refuses: throttled,
    }),
    ownReceipt: get('/api/user/history/:number/receipt', 'trader', {
      summary: "A receipt for one of the trader's own events: a C2SP tlog-proof, to be checked offline",
      params: z.object({ number: eventNumber }),
      answer: file(TEXT_TYPE),
      refuses: throttled,
    }),
    changeProfile: patch('/api/user/profile', 'trader', {
      summary: 'Change email or address; absent fields are unchanged',
      body: sessions.ProfileChanges,
      refuses: { ...conflict, ...throttled },
    }),
    notices: get('/api/user/notices', 'trader', {
      summary: 'What is new on the own account, and what is not mailed',
      answer: answer('The newest notices', notices.Notices),
    }),
    changeNotices: patch('/api/user/notices', 'trader', {
      summary: 'Choose what is not mailed, or record which notices were seen',
      body: notices.NoticeChanges,
      refuses: throttled,
    }),
    changePassword: post('/api/user/change-password', 'trader', {
      summary: 'Change the password; ends every other session',
      body: sessions.PasswordChange,
      refuses: { ...conflict, ...throttled },
    }),
    ownPayouts: get('/api/user/payouts', 'trader', {
      summary: "The trader's own payout requests, newest first",
      position: 'waits',
      answer: answer('The payout requests', z.array(payouts.ListedPayout)),
    }),
    requestPayout: post('/api/user/payouts', 'trader', {
      summary: 'Request a payout; only while payouts are enabled for the account',
      headers: {
        [IDEMPOTENCY_HEADER]: {
          schema: payouts.IdempotencyKey,
          description: 'A text of your choice: repeating a request with the same key creates no second payout and returns the same answer',
        },
      },
      body: payouts.PayoutRequest,
      answer: answer('The payout request', payouts.Payout),
      status: 201,
      refuses: { ...conflict, ...throttled },
    }),
    ownCertificates: get('/api/user/certificates', 'trader', {
      summary: "The trader's own certificates",
      position: 'waits',
      answer: answer('The certificates', z.array(certificates.Certificate)),
    }),
    shareCertificate: post('/api/user/certificates/:id/share', 'trader', {
      summary: 'Share a certificate under a public link, or change whether its page shows the name; the link stays the same',
      params: certificatePath,
      body: certificates.CertificateSharing,
      answer: answer('The link', certificates.CertificateShare),
      refuses: { ...conflict, ...throttled },
    }),
    endCertificateSharing: del('/api/user/certificates/:id/share', 'trader', {
      summary: 'End the public link of a certificate for good; nothing happens where there is none',
      params: certificatePath,
      refuses: throttled,
    }),
    certificateFile: get('/api/certificates/:id/file', 'trader-or-any-admin', {
      summary: "A certificate's PDF",
      params: certificatePath,
      position: 'waits',
      answer: file(certificates.CERTIFICATE_TYPE),
    }),
    offers: get('/api/offers', 'public', {
      summary: 'The evaluation accounts for sale',
      answer: answer('The six offers', z.array(offers.Offer)),
    }),
  },
  Administration: {
    adminLogin: post('/api/admin/login', 'public', {
      summary: "Sign in with an access key; with a second factor, 401 'second-factor-required' until that follows",
      body: sessions.AdminCredentials,
      answer: answer('Signed in', sessions.SignedInAdmin),
      refuses: { 401: refusal('Invalid access key'), ...throttled },
    }),
    staffSignInChoice: get('/api/admin/login/factor', 'public', {
      summary: 'How to take the second step of a sign-in with an access key',
      answer: answer('The choice, with a challenge for a passkey', factors.FactorChoice),
      refuses: { 401: refusal('No sign-in waits for a second step') },
    }),
    staffSignInFactor: post('/api/admin/login/factor', 'public', {
      summary: 'The second step of a sign-in with an access key',
      body: factors.FactorProof,
      answer: answer('Signed in', sessions.SignedInAdmin),
      refuses: { 401: refusal('No sign-in waits for a second step'), ...conflict, ...throttled },
    }),
    adminAuth: get('/api/admin/auth', 'public', {
      summary: 'The access key of this session, if any',
      answer: answer('The access key', sessions.AdminAuth),
    }),
    adminLogout: post('/api/admin/logout', 'public', { summary: "End the access key's session; without one, nothing happens" }),
    staffSessions: get('/api/admin/auth/sessions', 'own-sessions', {
      summary: 'The sessions of the own access key, the last used first',
      answer: answer('The sessions', z.array(sessions.OpenSession)),
    }),
    endStaffSessions: del('/api/admin/auth/sessions', 'own-sessions', {
      summary: 'End a session of the own access key, or all except this one',
      query: sessionQuery,
    }),
    staffFactors: staffFactors.factors,
    staffConfirmationChoice: staffFactors.confirmationChoice,
    confirmStaff: staffFactors.confirm,
    staffPasskeyCreation: staffFactors.passkeyCreation,
    addStaffPasskey: staffFactors.addPasskey,
    renameStaffPasskey: staffFactors.renamePasskey,
    removeStaffPasskey: staffFactors.removePasskey,
    staffAuthenticatorSetup: staffFactors.authenticatorSetup,
    turnOnStaffAuthenticator: staffFactors.turnOnAuthenticator,
    turnOffStaffAuthenticator: staffFactors.turnOffAuthenticator,
    issueStaffRecoveryCodes: staffFactors.issueRecoveryCodes,
    removeUserFactors: del('/api/admin/user/:id/factors', 'remove-factors', {
      summary: 'Remove all second factors of a user who lost them; the user gets a mail and sees it in the history',
      params: userPath,
      refuses: conflict,
    }),
    staff: get('/api/admin/staff', 'see-staff', {
      summary: 'The members of staff, with their roles, and when their keys expire and were last used',
      position: 'waits',
      answer: answer('The members', staff.StaffList),
    }),
    addStaffMember: post('/api/admin/staff', 'manage-staff', {
      summary: 'Add a member of staff, and show their access key, this once',
      body: staff.NewStaffMember,
      answer: answer('The access key', staff.IssuedAccessKey),
      status: 201,
    }),
    changeStaffMember: patch('/api/admin/staff/:id', 'manage-staff', {
      summary: "Change a member's name, role or expiry; absent fields are unchanged. Ends the member's sessions",
      params: staffPath,
      body: staff.StaffMemberChanges,
      refuses: conflict,
    }),
    replaceStaffKey: post('/api/admin/staff/:id/key', 'manage-staff', {
      summary: "Replace a member's access key, and show the new one, this once. The key before and its sessions end",
      params: staffPath,
      body: staff.KeyReplacement,
      answer: answer('The access key', staff.IssuedAccessKey),
      refuses: conflict,
    }),
    revokeStaffMember: del('/api/admin/staff/:id', 'manage-staff', {
      summary: "Revoke a member's access for good, and end their sessions",
      params: staffPath,
      refuses: conflict,
    }),
    userSessions: get('/api/admin/user/:id/sessions', 'read', {
      summary: "A user's sessions, the last used first",
      params: userPath,
      position: 'waits',
      answer: answer('The sessions', z.array(sessions.OpenSession)),
    }),
    endUserSessions: del('/api/admin/user/:id/sessions', 'ban-users', {
      summary: 'End every session of a user; the user sees it in the history',
      params: userPath,
      refuses: conflict,
    }),
    stats: get('/api/admin/stats', 'read', {
      summary: 'Counts and sums of the dashboard, and the newest users',
      position: 'waits',
      answer: answer('The figures', statistics.Stats),
    }),
    statsDays: get('/api/admin/stats/days', 'read', {
      summary: 'New accounts and approved payouts of each of the last 84 days in UTC, the oldest first',
      position: 'waits',
      answer: answer('The days', z.array(statistics.FirmDay)),
    }),
    system: get('/api/admin/system', 'read', {
      summary: 'The state of the portal: parts, read models and their rebuilds, dead letters, mail, seals',
      position: 'tries',
      answer: answer('The state', system.System),
    }),
    retryEvent: post('/api/admin/system/poison/:id/retry', 'operate', {
      summary: 'Retry a dead letter; a read model is rebuilt for it beside the one in use',
      params: z.object({ id: described('The id of the dead letter', z.string()) }),
    }),
    users: get('/api/admin/users', 'read', {
      summary: 'All users with their trading accounts',
      query: users.UserList,
      paged: true,
      position: 'waits',
      answer: answer('A page of users', z.array(users.ListedUser)),
    }),
    usersExport: get('/api/admin/users.csv', 'export', {
      summary: 'The filtered list of users as CSV, without pagination and master passwords',
      query: users.UserExport,
      position: 'waits',
      answer: file(CSV_TYPE),
      refuses: throttled,
    }),
    createUser: post('/api/admin/users', 'change-accounts', {
      summary: 'Create a user with a trading account; the user sets a password by a mailed link',
      body: users.NewUser,
      answer: answer('The new user', sessions.User),
      status: 201,
      refuses: conflict,
    }),
    user: get('/api/admin/user/:id', 'read', {
      summary: 'One user with the trading account; its master password is masked',
      params: userPath,
      position: 'waits',
      answer: answer('The user', users.UserDetails),
    }),
    showMasterPassword: post('/api/admin/user/:id/account/master-password', 'show-passwords', {
      summary: 'Show the master password of an account; it is recorded, and the trader sees it in the history',
      params: userPath,
      answer: answer('The master password', users.ShownPassword),
      refuses: { ...conflict, ...throttled },
    }),
    history: get('/api/admin/user/:id/account/history', 'read', {
      summary: "The balance of a user's account over time, with the decisions along the way",
      params: userPath,
      position: 'waits',
      answer: answer('Points and markers, oldest first', performance.AccountHistory),
    }),
    changeUser: patch('/api/admin/user/:id', 'edit-users', {
      summary: "Change a user's name, email or address; what is not sent stays as it is",
      params: userPath,
      body: users.UserChanges,
      refuses: conflict,
    }),
    deleteUser: del('/api/admin/user/:id', 'delete-users', {
      summary: 'Delete a user: ends sessions, frees the email and erases personal data for good',
      params: userPath,
      refuses: conflict,
    }),
    setAccount: post('/api/admin/user/:id/account', 'change-accounts', {
      summary: "Set the first values of a new user's trading account",
      params: userPath,
      body: accounts.AccountChanges,
      refuses: conflict,
    }),
    changeAccount: patch('/api/admin/user/:id/account', 'change-accounts', {
      summary: 'Change a trading account; absent fields are unchanged',
      params: userPath,
      body: accounts.AccountChanges,
      refuses: conflict,
    }),
    banUser: patch('/api/admin/user/:id/ban', 'ban-users', {
      summary: 'Ban a user with a reason, or unban one',
      params: userPath,
      body: users.Ban,
      refuses: conflict,
    }),
    payouts: get('/api/admin/payouts', 'read', {
      summary: 'All payout requests with their users',
      query: payouts.PayoutList,
      paged: true,
      position: 'waits',
      answer: answer('A page of payout requests', z.array(payouts.AdminPayout)),
    }),
    payoutsExport: get('/api/admin/payouts.csv', 'export', {
      summary: 'The filtered list of payout requests as CSV, without pagination',
      query: payouts.PayoutExport,
      position: 'waits',
      answer: file(CSV_TYPE),
      refuses: throttled,
    }),
    decidePayout: patch('/api/admin/payouts/:id', 'decide-payouts', {
      summary: 'Approve a payout request, or reject it with notes; above SECOND_APPROVAL_ABOVE the first approval leaves it pending',
      params: payoutPath,
      headers: {
        [BASED_ON_HEADER]: {
          schema: payouts.BasedOnHeader,
          description:
            "The payout's firstApproval.at or decidedAt as it was seen, or 'undecided': a verdict or first approval given since is then not overruled, but named in a 409",
        },
      },
      body: payouts.PayoutVerdict,
      answer: answer("The payout's status afterwards", payouts.VerdictGiven),
      refuses: conflict,
    }),
    userCertificates: get('/api/admin/user/:id/certificates', 'read', {
      summary: "A user's certificates, newest first; links that the trader shares are left out",
      params: userPath,
      position: 'waits',
      answer: answer('The certificates', z.array(certificates.Certificate)),
    }),
    revokeCertificate: post('/api/admin/certificates/:id/revoke', 'issue-certificates', {
      summary: 'Declare a certificate invalid, for good; its trader gets a mail, and a shared page says so',
      params: certificatePath,
      body: certificates.CertificateRevocation,
      refuses: conflict,
    }),
    issueCertificate: post('/api/admin/certificates', 'issue-certificates', {
      summary: 'Issue a certificate to a user',
      body: certificates.CertificateUpload,
      upload: { field: certificates.CERTIFICATE_FIELD, type: certificates.CERTIFICATE_TYPE, largest: certificates.LARGEST_CERTIFICATE },
      answer: answer('The certificate', certificates.Certificate),
      status: 201,
      refuses: { ...unknown, ...conflict },
    }),
  },
  Audit: {
    auditAccounts: get('/api/audit/accounts', 'read', {
      summary: 'Find an account to audit',
      query: audit.AuditSearch,
      paged: true,
      position: 'waits',
      answer: answer('A page of accounts', z.array(audit.AuditAccountFound)),
    }),
    auditAccount: get('/api/audit/accounts/:id', 'read', {
      summary: 'An account as it was at a moment',
      params: userPath,
      query: audit.StateQuery,
      answer: answer('The state at that moment', audit.AuditState),
    }),
    auditAccountFacts: get('/api/audit/accounts/:id/facts', 'read', {
      summary: 'All events of a user and their account, with the sign-ins of administrators who changed it',
      params: userPath,
      query: audit.EventsQuery,
      paged: true,
      answer: answer('A page of events', z.array(audit.AuditFact)),
    }),
    auditMoments: get('/api/audit/accounts/:id/moments', 'read', {
      summary: 'When an account changed: the numbers and times of all events',
      params: userPath,
      query: audit.MomentsQuery,
      answer: answer('The moments', audit.AuditMoments),
    }),
    auditDifference: get('/api/audit/accounts/:id/difference', 'read', {
      summary: 'The difference between two moments of an account',
      params: userPath,
      query: audit.DifferenceQuery,
      answer: answer('The changed fields', z.array(audit.AuditChange)),
    }),
    auditExport: get('/api/audit/accounts/:id/export', 'export', {
      summary: 'The complete history of an account as a file: as JSON with its proof (proofdesk export 2), or as CSV, which proves nothing',
      params: userPath,
      query: audit.ExportQuery,
      answer: file(JSON_TYPE, CSV_TYPE),
      refuses: throttled,
    }),
    auditFacts: get('/api/audit/facts', 'read', {
      summary: 'The events of all accounts, filtered by actor, type and time',
      query: audit.EventsQuery,
      paged: true,
      answer: answer('A page of events', z.array(audit.AuditFact)),
    }),
    auditReceipt: get('/api/audit/accounts/:id/facts/:number/receipt', 'read', {
      summary: 'A receipt for one event of an account: a C2SP tlog-proof, to be checked offline',
      params: userPath.extend({ number: eventNumber }),
      answer: file(TEXT_TYPE),
      refuses: throttled,
    }),
    logCheckpoint: get('/log/checkpoint', 'public', {
      summary: 'The signed head of the tree over all events: a C2SP tlog-checkpoint',
      answer: file(TEXT_TYPE),
      refuses: { ...unknown, ...throttled },
    }),
    logTile: get('/log/tile/*path', 'public', {
      summary: 'Hashes of the tree, up to 256 of a level, as C2SP tlog-tiles. It has no entry bundles: what happened is not public',
      params: z.object({ path: described('As in tlog-tiles: 0/x001/234.p/5', z.string()) }),
      answer: file(BYTES_TYPE),
      refuses: throttled,
    }),
    sealingKeys: get('/.well-known/proofdesk-key.json', 'public', {
      summary: "The public keys that sign the log's seals, with their history",
      answer: answer('The keys', audit.SealingKeys),
    }),
    sharedCertificate: get('/c/:code', 'public', {
      summary: 'The page of a shared certificate: what was issued, when, by whom, and whether it is still valid',
      params: sharePath,
      position: 'waits',
      responses: { 200: file('text/html'), 404: sharedNotFound, ...throttledPage, ...anyCall },
    }),
    sharedReceipt: get('/c/:code/receipt', 'public', {
      summary: 'A receipt for the issue of a shared certificate: a C2SP tlog-proof, to be checked offline',
      params: sharePath,
      position: 'waits',
      responses: { 200: file(TEXT_TYPE), 404: sharedNotFound, ...throttledPage, ...anyCall },
    }),
    verifyPage: get('/verify', 'public', {
      summary: 'A page that verifies an export in any browser, and sends nothing',
      answer: file('text/html'),
    }),
    verifyFile: get('/verify.html', 'public', {
      summary: 'The same page as a file, to keep and to use offline',
      answer: file('text/html'),
    }),
  },
  Service: {
    live: get('/api/live', 'trader-or-any-admin', {
      summary: 'Changes as server-sent events: for a trader those of their own data, for an access key those of users and payouts',
      query: live.LiveStart,
      headers: { 'Last-Event-ID': { schema: z.string(), description: 'The id of the last event received; the stream resumes after it' } },
      answer: { description: 'The changes', events: live.Changes },
      refuses: throttled,
    }),
    openApi: get('/api/openapi.json', 'public', {
      summary: 'This description',
      answer: answer('An OpenAPI 3.1 document', z.looseObject({ openapi: z.string() })),
    }),
    health: get('/healthz', 'public', {
      summary: 'Whether the service works',
      responses: { 200: answer('It does', health.Health), ...tooLong, 503: answer('It does not', health.Health) },
    }),
    readiness: get('/readyz', 'public', {
      summary: "Whether the service's dependencies are available; part by part for staff who are signed in",
      responses: { 200: answer('All are', health.Readiness), ...tooLong, 503: answer('Some are not', health.Readiness) },
    }),
  },
} satisfies Readonly<Record<string, Readonly<Record<string, Route>>>>

export const routes = { ...calls.Session, ...calls.Trader, ...calls.Administration, ...calls.Audit, ...calls.Service }

export interface NamedRoute extends Route {
  readonly name: string
  readonly tag: string
  readonly responses: Responses
}

/** Every call as a list, each with its name. */
export const allRoutes: readonly NamedRoute[] = Object.entries(calls).flatMap(([tag, group]) =>
  Object.entries<Route>(group).map(([name, route]) => ({
    ...route,
    ...(route.method !== 'get' && route.access !== 'public' && { position: 'answers' }),
    name,
    tag,
    responses: route.responses ?? responsesOf(route),
  })),
)

/** A path as OpenAPI writes it: '/api/admin/user/{id}'. */
export function openApiPath(path: string): string {
  return path.replace(/[:*](\w+)/g, '{$1}')
}
