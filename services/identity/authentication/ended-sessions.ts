import type { Response } from 'express'
import type { SessionKind } from '#infra/session-store/session-store.ts'
import type { AuthenticatedCaller } from '#services/framework/http/caller.ts'
import type { Confirmations } from './confirmations.ts'
import type { Sessions } from './sessions.ts'

interface SessionEnd {
  endAll(kind: SessionKind, subject: string): Promise<void>
}

interface Subject {
  readonly kind: SessionKind
  readonly subject: string
}

/**
 * Ends a subject's sessions before and after a change, so that neither a crash in between nor a concurrent sign-in
 * leaves one open.
 */
export async function endSessionsAround<Result>(
  sessions: SessionEnd,
  { kind, subject }: Subject,
  change: () => Promise<Result>,
): Promise<Result> {
  await sessions.endAll(kind, subject)
  const result = await change()
  await sessions.endAll(kind, subject)
  return result
}

interface CredentialCall {
  readonly caller: AuthenticatedCaller
  readonly response: Response
}

/** Changes the caller's credentials: all other sessions end, and this one gets a new id (ASVS 7.2.4, 7.4.3). */
export async function changeCredentials<Result>(
  { sessions, confirmations }: { readonly sessions: Sessions; readonly confirmations: Confirmations },
  { caller: { session }, response }: CredentialCall,
  change: () => Promise<Result>,
): Promise<Result> {
  const others: SessionEnd = { endAll: (kind, subject) => sessions.endAll(kind, subject, session) }
  const result = await endSessionsAround(others, session, change)
  const renewed = await sessions.renew(response, session)
  if (renewed) confirmations.confirm(response, renewed)
  return result
}
