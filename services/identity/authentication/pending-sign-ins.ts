import type { Request, Response } from 'express'
import { z } from 'zod'
import { cookieName, cookiesOf } from '#services/framework/http/cookies.ts'
import type { SignedTokens } from './signed-tokens.ts'

/** How long a sign-in may wait for its second factor, in ms. */
const PENDING_LIFETIME = 5 * 60_000

/**
 * A sign-in whose password or access key was right, and whose second factor is missing. Kind and id name the owner of
 * the factor.
 */
const pendingSignIn = z.object({
  kind: z.enum(['trader', 'admin']),
  id: z.string(),
  /** The access key that was used, or the user. */
  subject: z.string(),
  /** A digest of the credentials that were checked: a change of them ends the sign-in. */
  credentials: z.string(),
})
type PendingSignIn = z.infer<typeof pendingSignIn>

const PURPOSE = 'pending sign-in'

export type PendingSignIns = ReturnType<typeof createPendingSignIns>

/** Pending sign-ins, each in a signed cookie of its own: it is no session, so it opens nothing but the second step. */
export function createPendingSignIns(
  tokens: SignedTokens,
  { secureCookies: secure }: { readonly secureCookies: boolean },
) {
  const name = cookieName('proofdesk-sign-in', secure)
  const options = { httpOnly: true, secure, sameSite: 'strict', path: '/' } as const
  return {
    begin(response: Response, pending: PendingSignIn): void {
      response.cookie(name, tokens.sign(PURPOSE, JSON.stringify(pending), PENDING_LIFETIME), {
        ...options,
        maxAge: PENDING_LIFETIME,
      })
    },
    /** The request's pending sign-in of this kind, unless it has expired. */
    of(request: Request, kind: PendingSignIn['kind']): PendingSignIn | undefined {
      const content = tokens.verify(PURPOSE, cookiesOf(request)[name] ?? '')
      const pending = content === undefined ? undefined : pendingSignIn.parse(JSON.parse(content))
      return pending?.kind === kind ? pending : undefined
    },
    end(response: Response): void {
      response.clearCookie(name, options)
    },
  }
}
