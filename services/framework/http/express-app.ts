import { randomUUID } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import type { Logger } from 'pino'
import type { Route } from '#services/framework/api/route.ts'
import { RETRY_HEADER } from '#services/framework/api/headers.ts'
import { HttpError, isDisconnect, toHttpError } from './http-errors.ts'
import { limits } from './limits.ts'

declare module 'express-serve-static-core' {
  interface Request {
    /** Identifies the request in its answer, in the log and in the events it causes. */
    requestId: string
  }
}

export interface MiddlewareOptions {
  readonly log: Logger
  /** The public address of the portal; its scheme decides about Secure cookies and HSTS. */
  readonly publicUrl: URL
  /** How many trusted reverse proxies are in front; they may set the client's address. */
  readonly trustedProxies: number
  /** Downloads that are recorded: a link on another site must not put one into the history in a member's name. */
  readonly recordedDownloads: readonly Route[]
  /** Calls with a `largestBody`. */
  readonly largeBodies: readonly Route[]
  /** An API call was answered with 5xx. */
  readonly onServerError?: () => void
}

/**
 * The classes of which a server is to create this app's messages. Express replaces each message's prototype by its
 * app's. V8 then has no known shape for the message and looks up each of its properties separately, which took half the
 * processor time of a small request. A message that is created with this prototype keeps its shape.
 */
export function messageClassesOf(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request)
  Object.setPrototypeOf(AppResponse.prototype, app.response)
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype })
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse }
}

/**
 * Registers the middleware that every service needs; call it before all routes, and {@link registerErrorHandling} after
 * them.
 */
export function registerMiddleware(
  app: Express,
  { log, publicUrl, trustedProxies, recordedDownloads, largeBodies, onServerError }: MiddlewareOptions,
): void {
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('trust proxy', trustedProxies)
  app.set('query parser', 'simple')
  app.use(
    trustedProxies > 0 ? addressesWithoutPorts : tellOfProxy(log),
    assignRequestId(log, onServerError),
    securityHeaders(publicUrl.protocol === 'https:'),
    noStore,
    rejectCrossSite(publicUrl, recordedDownloads.map(patternOf)),
    boundedBody,
    jsonBody(largeBodies),
  )
}

/** Registers the handlers for unknown calls and for errors; call it after all routes. */
export function registerErrorHandling(app: Express, routes: readonly Route[], log: Logger): void {
  app.use(unknownCall(routes))
  app.use(createErrorHandler(log))
}

/**
 * Some proxies state a client's address with the port of its connection, which would make each connection a client of its
 * own. An IPv6 address with a port is in brackets.
 */
const addressesWithoutPorts: RequestHandler = ({ headers }, _response, next) => {
  const forwarded = headers['x-forwarded-for']
  if (typeof forwarded === 'string') headers['x-forwarded-for'] = forwarded.split(',').map(withoutPort).join(',')
  next()
}

function withoutPort(written: string): string {
  const [, bracketed, plain] = /^"?(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)"?$/.exec(written.trim()) ?? []
  return bracketed ?? plain ?? written
}

/** Says once that there is a proxy that TRUSTED_PROXIES does not count: all its clients would share one limit. */
function tellOfProxy(log: Logger): RequestHandler {
  let isTold = false
  return ({ headers }, _response, next) => {
    if (!isTold && (headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined)) {
      isTold = true
      log.warn(
        'A request came through a proxy, and TRUSTED_PROXIES is 0: all who come through it share the limits of one client. Set TRUSTED_PROXIES to the number of proxies, or have the proxy send no forwarded header',
      )
    }
    next()
  }
}

function assignRequestId(log: Logger, onServerError: MiddlewareOptions['onServerError']): RequestHandler {
  return (request, response, next) => {
    const began = performance.now()
    request.requestId = randomUUID()
    response.setHeader('X-Request-Id', request.requestId)
    response.once('finish', () => {
      const { statusCode: status } = response
      if (status >= 500 && request.path.startsWith('/api/')) onServerError?.()
      // Refusals may indicate an attack (ASVS 16.3.2, 16.3.3), unknown paths are noise; the rest is for developers.
      const level = status >= 500 ? 'error' : status >= 400 && status !== 404 ? 'info' : 'debug'
      if (!log.isLevelEnabled(level)) return
      const ms = Math.round(performance.now() - began)
      // Without the query: it may contain a token or a name.
      log[level](
        { requestId: request.requestId, method: request.method, path: request.path, status, ms, address: request.ip },
        'request',
      )
    })
    next()
  }
}

function securityHeaders(https: boolean): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        imgSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: https ? { maxAge: 31_536_000, includeSubDomains: true } : false,
  })
}

const noStore: RequestHandler = (request, response, next) => {
  if (request.path.startsWith('/api/')) response.setHeader('Cache-Control', 'no-store')
  next()
}

/**
 * Refuses changes, and downloads that are recorded, that a browser marks as cross-site; clients that send no such
 * headers pass (security checklist 3.5).
 */
function rejectCrossSite(publicUrl: URL, guardedReads: readonly RegExp[]): RequestHandler {
  return (request, _response, next) => {
    if (
      (request.method === 'GET' || request.method === 'HEAD') &&
      !guardedReads.some((pattern) => pattern.test(request.path))
    )
      return next()
    const site = request.get('sec-fetch-site')
    const origin = request.get('origin')
    const own = [publicUrl.origin, `${request.protocol}://${request.get('host')}`]
    const foreign =
      (site !== undefined && site !== 'same-origin' && site !== 'none') ||
      (origin !== undefined && !own.includes(origin))
    if (foreign) throw new HttpError(403, { message: 'This request came from another site and was refused' })
    next()
  }
}

/** Does not read bodies larger than any call accepts: they may be endless. */
const boundedBody: RequestHandler = (request, response, next) => {
  if (Number(request.get('content-length') ?? 0) <= limits.body.declaredBytes) return next()
  response.setHeader('Connection', 'close')
  throw new HttpError(413, { message: 'The request is too large' })
}

/** The encodings that every supported version of Node decodes. */
const encodings = new Set(['identity', 'gzip', 'deflate', 'br'])

/** Parses the body of a change. Bodies of reads are ignored. */
function jsonBody(largeBodies: readonly Route[]): RequestHandler {
  const parseMost = express.json({ limit: limits.body.jsonBytes })
  const larger = largeBodies.map((route) => ({
    pattern: patternOf(route),
    parse: express.json({ limit: route.largestBody ?? limits.body.jsonBytes }),
  }))
  return (request, response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') return next()
    if (!encodings.has((request.get('content-encoding') ?? 'identity').toLowerCase()))
      throw new HttpError(415, { message: 'The request has an encoding that is not supported' })
    const parse = larger.find(({ pattern }) => pattern.test(request.path))?.parse ?? parseMost
    parse(request, response, next)
  }
}

/** As Express matches: case-insensitively, with or without a trailing slash. */
function patternOf({ path }: Route): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}/?$`, 'i')
}

/** Says which methods a path takes in any service. Outside /api every path is a page. */
function unknownCall(routes: readonly Route[]): RequestHandler {
  const patterns = routes.map((route) => ({
    methods: route.method === 'get' ? ['GET', 'HEAD'] : [route.method.toUpperCase()],
    pattern: patternOf(route),
  }))
  return ({ method, path }, response) => {
    const known = patterns.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)
    const allowed = known.length > 0 || /^\/api(\/|$)/i.test(path) ? known : ['GET', 'HEAD']
    if (allowed.length === 0 || allowed.includes(method))
      throw new HttpError(404, { message: `There is no ${method} ${path}` })
    response.setHeader('Allow', allowed.join(', '))
    throw new HttpError(405, { message: `There is no ${method} ${path}, only ${allowed.join(', ')}` })
  }
}

function createErrorHandler(log: Logger): ErrorRequestHandler {
  // Express recognises an error handler by its four parameters.
  return (error: unknown, request, response, _next) => {
    const { requestId } = request
    const line = { err: error, requestId, method: request.method, path: request.path }
    // The client disconnected; this is not our error.
    if (request.socket.destroyed && !response.errored && isDisconnect(error))
      return log.debug(line, 'client disconnected')
    const known = toHttpError(error)
    if (!known || known.status >= 500) log.error(line, 'request failed')
    // Cut the connection, so that a partial answer is not taken for a complete one.
    if (response.headersSent) return void response.destroy()
    const fault = {
      message: `Something went wrong on our side. Please try again. If it happens again, tell us this number: ${requestId}`,
    }
    if (known?.retryAfterSeconds !== undefined) response.setHeader(RETRY_HEADER, String(known.retryAfterSeconds))
    response.status(known?.status ?? 500).json(known?.body ?? fault)
  }
}
