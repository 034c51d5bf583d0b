import type { Request, Response } from 'express'
import type { Session, SessionKind } from '#infra/session-store/session-store.ts'
import { cookieName, cookiesOf } from '#services/framework/http/cookies.ts'
import type { SignedTokens } from './signed-tokens.ts'

/** How long a confirmation lasts, in ms (ASVS 7.5.3). */
export const CONFIRMATION_LIFETIME = 5 * 60_000

const cookieNames: Record<SessionKind, string> = { trader: 'proofdesk-confirmed', admin: 'proofdesk-admin-confirmed' }

export type Confirmations = ReturnType<typeof createConfirmations>

/** That the person behind a session has just proven their identity: a cookie that counts for this session only. */
export function createConfirmations(
  tokens: SignedTokens,
  { secureCookies: secure }: { readonly secureCookies: boolean },
) {
  const nameOf = (kind: SessionKind) => cookieName(cookieNames[kind], secure)
  const purposeOf = ({ idHash }: Session) => `confirmation of ${idHash}`
  return {
    confirm(response: Response, session: Session): void {
      const token = tokens.sign(purposeOf(session), '', CONFIRMATION_LIFETIME)
      response.cookie(nameOf(session.kind), token, {
        httpOnly: true,
        secure,
        sameSite: 'lax',
        path: '/',
        maxAge: CONFIRMATION_LIFETIME,
      })
    },
    isConfirmed(request: Request, session: Session): boolean {
      return tokens.verify(purposeOf(session), cookiesOf(request)[nameOf(session.kind)] ?? '') !== undefined
    },
  }
}
