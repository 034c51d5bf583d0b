import type { Dependencies } from '#services/composition-root.ts'
import { adminKeys } from '#services/domain/streams.ts'
import { AccessControl } from './access-control.ts'
import { createConfirmations } from '#services/authentication/confirmations.ts'
import { factorOwnerOf, ownsSecondFactor } from '#services/authentication/factor-owner.ts'
import { relyingPartyOf } from '#services/authentication/passkey-options.ts'
import { createPendingSignIns } from '#services/authentication/pending-sign-ins.ts'
import { createSessions } from './sessions.ts'
import { createSignedTokens } from '#services/authentication/signed-tokens.ts'
import { createThrottle } from './throttle.ts'

export type HttpDependencies = ReturnType<typeof createHttpDependencies>

/** What the calls of all services share besides the stores: sessions, sign-ins, access control and limits. */
export function createHttpDependencies(parts: Dependencies, publicUrl: URL) {
  const { config, repositories, secrets, sessionStore, now } = parts
  const secureCookies = publicUrl.protocol === 'https:'
  const sessions = createSessions(sessionStore, { secure: secureCookies, now })
  const signedTokens = createSignedTokens(secrets, now)
  const accessControl = new AccessControl(
    sessions,
    repositories.of(adminKeys),
    async (admin) => config.requireStaffSecondFactor && !(await ownsSecondFactor(repositories, factorOwnerOf(admin))),
    now,
  )
  return {
    secureCookies,
    sessions,
    accessControl,
    signedTokens,
    relyingParty: relyingPartyOf(publicUrl),
    pendingSignIns: createPendingSignIns(signedTokens, { secureCookies }),
    confirmations: createConfirmations(signedTokens, { secureCookies }),
    throttle: createThrottle(parts),
  }
}
