import { parse } from 'cookie'
import type { Request } from 'express'

declare module 'express-serve-static-core' {
  interface Request {
    /** The cookies, once {@link cookiesOf} has parsed them. */
    cookiesParsed?: Readonly<Record<string, string | undefined>>
  }
}

/** The request's cookies by name, parsed once. */
export function cookiesOf(request: Request): Readonly<Record<string, string | undefined>> {
  return (request.cookiesParsed ??= parse(request.headers.cookie ?? ''))
}

/**
 * The cookie's name on the wire. Over HTTPS the `__Host-` prefix binds it to this host, so that sibling hosts cannot
 * set it.
 */
export function cookieName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name
}
