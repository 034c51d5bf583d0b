import { randomUUID } from 'node:crypto'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import type { Logger } from 'pino'
import { RETRY_HEADER } from '../api/index.ts'
import { HttpError, toHttpError } from './http-errors.ts'

declare module 'express-serve-static-core' {
  interface Request {
    /** Names this request in its answer, in the log and in every fact it leads to. */
    requestId: string
  }
}

export interface AppOptions {
  readonly log: Logger
  /** Where people reach the portal; its scheme decides about Secure cookies and HSTS. */
  readonly publicUrl: URL
  /** How many reverse proxies stand in front and may say who the client is. */
  readonly trustedProxies: number
}

/** An express app with all that every service needs before its routes; call {@link registerErrorHandling} after them. */
export function createApp({ log, publicUrl, trustedProxies }: AppOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('trust proxy', trustedProxies)
  app.set('query parser', 'simple')
  app.use(assignRequestId(log), securityHeaders(publicUrl.protocol === 'https:'), noStore, rejectCrossSiteChanges(publicUrl), express.json({ limit: '100kb' }))
  return app
}

/** What comes after all routes: unknown calls, and the one place where errors become answers. */
export function registerErrorHandling(app: Express, log: Logger): void {
  app.use('/api', (request) => {
    throw new HttpError(404, { message: `There is no ${request.method} ${request.baseUrl}${request.path}` })
  })
  app.use(createErrorHandler(log))
}

function assignRequestId(log: Logger): RequestHandler {
  return (request, response, next) => {
    const began = performance.now()
    request.requestId = randomUUID()
    response.setHeader('X-Request-Id', request.requestId)
    response.once('finish', () => {
      const { statusCode: status } = response
      // Refusals are worth a line for whoever looks for an attack (security checklist 16.3.2), the rest for a developer.
      const level = status >= 500 ? 'error' : status === 401 || status === 403 || status === 429 ? 'info' : 'debug'
      if (!log.isLevelEnabled(level)) return
      const ms = Math.round(performance.now() - began)
      // Without the query: it may hold a token or a person's name.
      log[level]({ requestId: request.requestId, method: request.method, path: request.path, status, ms, address: request.ip }, 'request')
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

/** Refuses changes that a browser says come from another site; other clients say nothing and pass (security checklist 3.5). */
function rejectCrossSiteChanges(publicUrl: URL): RequestHandler {
  return (request, _response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') return next()
    const site = request.get('sec-fetch-site')
    const origin = request.get('origin')
    const own = [publicUrl.origin, `${request.protocol}://${request.get('host')}`]
    const foreign = (site !== undefined && site !== 'same-origin' && site !== 'none') || (origin !== undefined && !own.includes(origin))
    if (foreign) throw new HttpError(403, { message: 'This request came from another site and was refused' })
    next()
  }
}

function createErrorHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const { requestId } = request
    const known = toHttpError(error)
    if (!known || known.status >= 500) log.error({ err: error, requestId, method: request.method, path: request.path }, 'request failed')
    if (response.headersSent) return next(error)
    const fault = { message: `Something went wrong on our side. Please try again. If it happens again, tell us this number: ${requestId}` }
    if (known?.retryAfterSeconds !== undefined) response.setHeader(RETRY_HEADER, String(known.retryAfterSeconds))
    response.status(known?.status ?? 500).json(known?.body ?? fault)
  }
}
