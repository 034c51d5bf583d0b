import { z } from 'zod'
import * as errors from './error-schemas.ts'
import { accountId, certificateId, userId } from '../ids.ts'
import { described } from './openapi-component.ts'
import { takesIdempotencyKey } from './takes-idempotency-key.ts'

/** A call of the HTTP API, and the functions that describe one. Knows no subject. */

/** As in Express and OpenAPI. */
export type Method = 'get' | 'post' | 'patch' | 'delete'

/**
 * The session a call requires: 'public', 'trader', or the name of a permission, for a member of staff whose role has
 * it. 'trader-or-any-admin' is any trader or any access key: the handler checks that the trader owns the resource.
 * 'program:<scope>' is a program whose key has the scope. The list of subjects admits only those of identity/staff/permissions.ts.
 */
export type Access = string

/** The scope that a call asks of the key of a program; undefined for a call of people alone. */
export function scopeOf({ access, scope }: Pick<Route, 'access' | 'scope'>): string | undefined {
  return isOfPrograms(access) ? access.slice('program:'.length) : scope
}

/** Whether only programs can make a call. */
export function isOfPrograms(access: Access): boolean {
  return access.startsWith('program:')
}

export type Status = 200 | 201 | 202 | 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 431 | 500 | 503

/** The answer with a status: JSON of a schema, a file, a stream of events with JSON of a schema in each, or nothing. */
export type Answer =
  | { readonly description: string; readonly empty: true }
  | { readonly description: string; readonly schema: z.ZodType }
  /** A file of one of these types. */
  | { readonly description: string; readonly files: readonly string[] }
  | { readonly description: string; readonly events: z.ZodType }

export type Responses = Readonly<Partial<Record<Status, Answer>>>

export interface Route {
  readonly method: Method
  /** As in Express: '/api/admin/user/:id'. A last part '*path' is all the rest. */
  readonly path: `/${string}`
  readonly access: Access
  /** Programs whose key has this scope can make it, too. */
  readonly scope?: string
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly headers?: Readonly<Record<string, { readonly schema: z.ZodType; readonly description: string }>>
  readonly body?: z.ZodType
  /** It changes nothing, although it is no GET: what it asks may be too long for an address. */
  readonly reads?: true
  /** It opens or ends a session, or confirms who somebody is, which is done again each time that it is sent. */
  readonly ofSession?: true
  /** In bytes, for a JSON body that may be larger than most. */
  readonly largestBody?: number
  /** The body is multipart: its fields are `body`, and this is the file. */
  readonly upload?: { readonly field: string; readonly type: string; readonly largest: number }
  /**
   * Read your own writes: a success of a call that 'answers' carries the position it reached, as do all changes for
   * which one must be signed in; a call that 'waits' is answered from read models that have reached the request's
   * position; one that 'tries' waits for it only briefly.
   */
  readonly position?: 'answers' | 'waits' | 'tries'
  /** A member of staff can make it before they have the second factor that the firm requires. */
  readonly beforeEnrolment?: true
  /** A paginated list: its answer carries the headers of `pagination-schemas.ts`. */
  readonly paged?: true
  /** The answer of a success, empty without it. */
  readonly answer?: Answer
  /** The status of a success, 200 without it. */
  readonly status?: 201 | 202
  /** Refusals besides those that follow from the method, the access and the parameters. */
  readonly refuses?: Responses
  /** All answers, for a call that has none of the usual ones. */
  readonly responses?: Responses
}

export const answer = <Schema extends z.ZodType>(description: string, schema: Schema) => ({ description, schema })
export const refusal = (description: string) => answer(description, errors.ErrorAnswer)
export const file = (...types: readonly string[]): Answer => ({ description: 'The file', files: types })

// Answers of a call besides its success, in groups.

export const tooLong = {
  431: { description: 'The address and the headers are too long; no content', empty: true },
} as const
export const anyCall = {
  ...tooLong,
  500: refusal('A server error; the X-Request-Id header names the request'),
  503: refusal('A server is unavailable, or the read models lag too far behind; retry after Retry-After seconds'),
} satisfies Responses
/** A request with parameters or a body to validate. */
const checked = { 400: refusal('The request is not valid') }
export const throttled = { 429: refusal('Too many attempts; retry after Retry-After seconds') }
export const notFound = { 404: refusal('Not found') }
export const conflict = { 409: refusal('The current state does not allow it') }
/** Every change: only same-site, only JSON (or the upload's multipart), only up to a size. */
const change = {
  ...checked,
  403: refusal('Sent from another site'),
  413: refusal('The body is too large'),
  415: refusal('The content type of the body is not supported'),
}
export const traderRefusals = {
  401: refusal('Not signed in'),
  403: answer('The account is banned, or not allowed to do this', z.union([errors.BannedAnswer, errors.ErrorAnswer])),
}
const admin = {
  401: refusal('Not signed in with an access key'),
  403: refusal('This session or key is not allowed to do this'),
}
const program = {
  401: refusal('No key, or one that is unknown, revoked or expired'),
  403: refusal('The key does not allow this'),
  429: refusal('Too many calls; retry after Retry-After seconds'),
}
function callers(route: Pick<Route, 'access' | 'scope'>): Responses {
  const { access } = route
  if (access === 'public') return {}
  if (isOfPrograms(access)) return program
  if (scopeOf(route) !== undefined) return { ...admin, ...throttled }
  return access === 'trader' || access === 'trader-or-any-admin' ? traderRefusals : admin
}

const done = answer('Done', errors.DoneAnswer)

export function responsesOf(route: Route): Responses {
  const { method, params, query, answer: success = done, status, refuses } = route
  const ofKey = takesIdempotencyKey(route) && conflict
  const ofRequest = method === 'get' ? (params || query) && checked : change
  return {
    [status ?? 200]: success,
    ...anyCall,
    ...ofRequest,
    ...callers(route),
    ...(params && notFound),
    ...ofKey,
    ...refuses,
  }
}

/** How exports are sent. */
export const CSV_TYPE = 'text/csv'
export const JSON_TYPE = 'application/json'
export const TEXT_TYPE = 'text/plain'
export const BYTES_TYPE = 'application/octet-stream'

/** The path of a call about one thing. A text that is no id is answered like the id of none, with 404. */
export function pathOf<Id extends z.ZodType>(description: string, id: Id, notFoundMessage: string) {
  const text = z.string().transform((value, payload): z.output<Id> => {
    const { data, success } = id.safeParse(value)
    if (success) return data
    payload.issues.push({ code: 'custom', message: notFoundMessage, input: value })
    return z.NEVER
  })
  return z.object({ id: described(description, text) })
}

export const userPath = pathOf("The user's id", userId, 'User not found')
export const accountPath = pathOf("The account's id", accountId, 'Account not found')
export const certificatePath = pathOf("The certificate's id", certificateId, 'Certificate not found')

type Details = Omit<Route, 'method' | 'path' | 'access'>

const call =
  <const M extends Method>(method: M) =>
  <const Path extends Route['path'], const A extends Access, const D extends Details>(
    path: Path,
    access: A,
    details: D,
  ) => ({
    method,
    path,
    access,
    ...details,
  })

export const [get, post, patch, del] = [call('get'), call('post'), call('patch'), call('delete')]

/** The calls of a subject. */
export interface RouteGroup {
  /** Its tag in the OpenAPI document. */
  readonly title: string
  readonly about: string
  readonly routes: Readonly<Record<string, Route>>
}

export interface NamedRoute extends Route {
  readonly name: string
  readonly tag: string
  readonly responses: Responses
}

/** Every call as a list, each with its name. */
export function namedRoutes(groups: readonly RouteGroup[]): readonly NamedRoute[] {
  return groups.flatMap(({ title, routes }) =>
    Object.entries(routes).map(([name, route]) => ({
      ...route,
      ...(isSignedInChange(route) && { position: 'answers' as const }),
      name,
      tag: title,
      responses: route.responses ?? responsesOf(route),
    })),
  )
}

function isSignedInChange({ method, reads, access }: Route): boolean {
  return method !== 'get' && !reads && access !== 'public'
}

/** A path as OpenAPI writes it: '/api/admin/user/{id}'. */
export function openApiPath(path: string): string {
  return path.replace(/[:*](\w+)/g, '{$1}')
}
