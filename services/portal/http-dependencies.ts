import type { Dependencies } from './composition-root.ts'
import { AccessControl } from '#services/identity/sign-in/server/access-control.ts'
import { createConfirmations } from '#services/identity/authentication/confirmations.ts'
import { ownsSecondFactor } from '#services/identity/second-factors/server/factor-owner.ts'
import { relyingPartyOf } from '#services/identity/authentication/relying-party.ts'
import { createPendingSignIns } from '#services/identity/authentication/pending-sign-ins.ts'
import { ProgramAccess } from '#services/identity/api-keys/server/program-access.ts'
import { createSessions } from '#services/identity/authentication/sessions.ts'
import type { OwnsSecondFactor } from '#services/identity/authentication/step-up.ts'
import { createSignedTokens } from '#services/identity/authentication/signed-tokens.ts'
import { createThrottle } from '#services/framework/http/throttle.ts'

export type HttpDependencies = ReturnType<typeof createHttpDependencies>

/** Creates what the calls of all services share besides the stores: sessions, sign-ins, access control and limits. */
export function createHttpDependencies(parts: Dependencies, publicUrl: URL) {
  const { config, repositories, secrets, sessionStore, reportForgedRow, now } = parts
  const secureCookies = publicUrl.protocol === 'https:'
  const sessions = createSessions(sessionStore, {
    secrets,
    onForgedRow: (id) => reportForgedRow('session store', id),
    secure: secureCookies,
    now,
  })
  const signedTokens = createSignedTokens(secrets, now)
  const throttle = createThrottle(parts)
  const owns: OwnsSecondFactor = (caller) => ownsSecondFactor(repositories, caller, now())
  const accessControl = new AccessControl(
    sessions,
    repositories,
    new ProgramAccess(repositories, secrets, throttle, now),
    async (admin) => config.requireStaffSecondFactor && !(await owns(admin)),
    now,
  )
  return {
    secureCookies,
    sessions,
    accessControl,
    ownsSecondFactor: owns,
    signedTokens,
    relyingParty: relyingPartyOf(publicUrl),
    pendingSignIns: createPendingSignIns(signedTokens, { secureCookies }),
    confirmations: createConfirmations(signedTokens, { secureCookies }),
    throttle,
  }
}
