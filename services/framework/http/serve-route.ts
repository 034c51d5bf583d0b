import type { Express, Request, Response } from 'express'
import type { z } from 'zod'
import type { Position } from '#infra/event-store/event-store.ts'
import { isOfPrograms, type Route, scopeOf, type Status } from '#services/framework/api/route.ts'
import { systemContext, type Context, type OnceOnly } from '#services/event-sourcing/codec/metadata.ts'
import { actorOf, type Authorization, type Caller, type CallerOf, type ProgramCaller } from './caller.ts'
import { HttpError, parsed, parsedPath } from './http-errors.ts'
import { sendBytes } from './memory-file.ts'
import { onceOnlyOf, type RequestDigests } from './once-only.ts'
import { latestKnownPosition, setPositionHeader } from './position-header.ts'

/** A call as its handler sees it: the caller and the parsed request. */
export type Call<R extends Route> = CallWith<
  CallerOf<R['access']> | (R extends { readonly scope: string } ? ProgramCaller : never),
  Parsed<R['body']>,
  Parsed<R['params']>,
  Parsed<R['query']>
>

interface CallWith<From, Body, Params, Query> {
  readonly caller: From
  readonly body: Body
  readonly params: Params
  readonly query: Query
  /** The metadata of the events that this call appends. */
  readonly context: Context
  readonly request: Request
  readonly response: Response
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** A handler's answer. A handler that sends a file itself returns none. */
export interface Reply {
  readonly status?: Status
  readonly body: unknown
  /** The log position that a change reached. */
  readonly position?: Position
}

export interface ServeOptions {
  readonly accessControl: Authorization
  readonly secureCookies: boolean
  /** Receives a multipart body before the handler runs; only for routes with an upload. */
  readonly receive?: ((request: Request, response: Response) => Promise<void>) | undefined
  /** The end of the log, for handlers that change something. */
  readonly end?: () => Promise<Position>
  /** For handlers that change something: a request with an Idempotency-Key takes effect once. */
  readonly secrets?: RequestDigests | undefined
}

/** Registers a handler for an API call: authorizes the caller, parses the request and sends the answer. */
export function serve<const R extends Route>(
  app: Express,
  route: R,
  { accessControl, secureCookies, receive, end, secrets }: ServeOptions,
  handle: (call: Call<R>) => Promise<Reply | undefined>,
): void {
  const handler = async (request: Request, response: Response): Promise<void> => {
    const call = await callOf(route, { accessControl, receive, secrets }, request, response)
    // It would be recorded and counted as a download, which it is not.
    if (request.method === 'HEAD' && isDownload(route)) return void response.end()
    const reply = await handle(call)
    if (!reply) return
    if (reply.position)
      setPositionHeader(
        response,
        end ? await latestKnownPosition(request, reply.position, end) : reply.position,
        secureCookies,
      )
    sendBytes(response.status(reply.status ?? 200), 'json', Buffer.from(JSON.stringify(reply.body)))
  }
  if (!/[:*]/.test(route.path)) fixedPathsOf(app).set(`${route.method.toUpperCase()} ${route.path}`, { route, handler })
  app[route.method](route.path, handler)
  const paths = fixedPaths.get(app)
  if (paths) paths.layers = app.router.stack.length
}

/** A file, or what is counted like one, for somebody who is signed in. What is public is not recorded. */
function isDownload({ access, answer, refuses }: Route): boolean {
  if (access === 'public' || !answer || 'events' in answer) return false
  return 'files' in answer || refuses?.[429] !== undefined
}

interface FixedPath {
  readonly route: Route
  readonly handler: (request: Request, response: Response) => Promise<void>
}

/** The fixed paths of each app since its last middleware, and how many layers it had when the last route was added. */
const fixedPaths = new WeakMap<Express, { readonly handlers: Map<string, FixedPath>; layers: number }>()

/**
 * The handlers of paths without parameters, by method and path as they are usually written. They are found at once:
 * Express tries the pattern of each route in turn, of which there are hundreds.
 */
function fixedPathsOf(app: Express): Map<string, FixedPath> {
  const existing = fixedPaths.get(app)
  // A route does not get before middleware that was added before it.
  if (existing?.layers === app.router.stack.length) return existing.handlers
  const handlers = new Map<string, FixedPath>()
  fixedPaths.set(app, { handlers, layers: 0 })
  app.use((request, response, next) => {
    const found = handlers.get(`${request.method} ${request.path}`)
    if (!found) return next()
    // As Express does, for the metrics.
    request.route = found.route
    return found.handler(request, response)
  })
  return handlers
}

/** Authorizes the caller and parses the request. @throws {HttpError} */
export async function callOf<const R extends Route>(
  route: R,
  { accessControl, receive, secrets }: Pick<ServeOptions, 'accessControl' | 'receive' | 'secrets'>,
  request: Request,
  response: Response,
): Promise<Call<R>> {
  const caller = await accessControl.authorize(route, request)
  if (receive) await receive(request, response)
  else if (route.method !== 'get') checkContentType(request)
  const call = {
    caller,
    params: route.params && parsedPath(route.params, joined(request.params)),
    query: route.query && parsed(route.query, request.query),
    body: route.body && parsed(route.body, request.body ?? {}),
    context: contextOf(caller, request, secrets && onceOnlyOf(route, caller, request, secrets)),
    request,
    response,
  }
  if (!admitted(route, call)) throw new TypeError(`${route.path} got a caller its access does not permit`)
  return call
}

/** An empty answer, with the position of the change. */
export function done(position?: Position): Reply {
  return position ? { body: {}, position } : { body: {} }
}

/** The event metadata for a request. */
function contextOf(caller: Caller, { requestId }: Request, once: OnceOnly | undefined): Context {
  return { ...systemContext('request', requestId), actor: actorOf(caller), ...(once && { request: once }) }
}

/** A wildcard's parts as one path. */
function joined(params: Readonly<Record<string, string | string[]>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? value : value.join('/')]),
  )
}

/** Tells the type system that the parts above match the route: its own schemas and its access made them. */
function admitted<R extends Route>(route: R, call: { readonly caller: Caller }): call is Call<R> {
  return callersOf(route).includes(call.caller.kind)
}

function callersOf(route: Pick<Route, 'access' | 'scope'>): readonly Caller['kind'][] {
  const { access } = route
  if (access === 'public') return ['anyone']
  if (access === 'trader') return ['trader']
  if (isOfPrograms(access)) return ['program']
  if (access === 'trader-or-any-admin') return ['trader', 'admin']
  return scopeOf(route) === undefined ? ['admin'] : ['admin', 'program']
}

/** Other sites' forms can send text or form data without a preflight, but not JSON (security checklist 3.5.2). */
function checkContentType(request: Request): void {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
  if (hasBody && !request.is('application/json'))
    throw new HttpError(415, { message: 'Please send JSON (Content-Type: application/json)' })
}
