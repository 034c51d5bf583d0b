import type { Request, Response } from 'express'
import { cookieName, cookiesOf } from '#services/framework/http/cookies.ts'
import type { Secrets } from '#services/process/keys/derived-secrets.ts'

const COOKIE_LIFETIME = 365 * 24 * 60 * 60_000
const MAX_REMEMBERED = 10

/**
 * Browsers that have signed in to a subject before (see throttle.ts). A browser's cookie holds a keyed mark per
 * subject.
 */
export function createKnownDevices(
  kind: 'device' | 'admin-device',
  {
    secrets,
    secureCookies: secure,
  }: { readonly secrets: Pick<Secrets, 'deviceMark'>; readonly secureCookies: boolean },
) {
  const name = cookieName(`proofdesk-${kind}`, secure)
  const marksOf = (request: Request) => (cookiesOf(request)[name] ?? '').split('.').filter((mark) => mark !== '')

  return {
    knows(request: Request, subject: string): boolean {
      return marksOf(request).includes(secrets.deviceMark(subject))
    },
    remember(request: Request, response: Response, subject: string): void {
      const mark = secrets.deviceMark(subject)
      const marks = [mark, ...marksOf(request).filter((other) => other !== mark)].slice(0, MAX_REMEMBERED)
      response.cookie(name, marks.join('.'), {
        httpOnly: true,
        secure,
        sameSite: 'lax',
        path: '/',
        maxAge: COOKIE_LIFETIME,
      })
    },
  }
}
