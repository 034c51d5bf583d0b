import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import type { FactorProof } from '#services/identity/second-factors/factor-proof-api.ts'
import {
  type AdminCredentials,
  type Credentials,
  type PasswordChange,
  type PasswordForgotten,
  type PasswordReset,
  type Registration,
  type SignedInAdmin,
  signInRoutes,
} from '#services/identity/sign-in/sign-in-api.ts'
import type { EmailConfirmation, EmailRevert, User } from '#services/identity/users/user-api.ts'
import { currentUserRoutes } from '#services/trading/traders/current-user-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { get, send, sendAndParse } from '@/api/api.ts'
import type { Session } from '@/api/session.ts'
import { notifyOtherTabs } from '@/features/frame/other-tabs.ts'
import { changeOfCookie, forget, markEnding, userQuery, shownBan } from '@/features/frame/session-queries.ts'
import { signForSignIn } from '@/features/identity/second-factors/passkeys.ts'

/** The calls that open sessions, and those about passwords and mailed links (specification §5, §7). */

function traderSignedIn(client: QueryClient, opened: User): void {
  shownBan.set(undefined)
  markEnding('trader', false)
  forget(client, 'trader')
  client.setQueryData(userQuery.queryKey, opened)
  notifyOtherTabs('trader', 'opened')
}

function staffSignedIn(client: QueryClient): void {
  markEnding('admin', false)
  forget(client, 'admin')
  notifyOtherTabs('admin', 'opened')
}

/** The browser has dropped the cookie of an answer. */
export const COOKIES_BLOCKED =
  'Your browser does not keep the sign-in. Please allow cookies for this site, then sign in again.'

/**
 * The answer to a sign-in, once the browser is known to keep its cookie: otherwise the next page would say, for ever,
 * that the session has ended.
 *
 * @throws {ApiError}
 */
async function kept<Answer>(session: Session, answer: Answer): Promise<Answer> {
  const isKept =
    session === 'trader'
      ? get(currentUserRoutes.currentUser, {}).then(() => true)
      : get(signInRoutes.adminAuth, {}).then(({ isAdmin }) => isAdmin)
  // The next page knows more of any other failure.
  if (await isKept.catch((error: unknown) => !(error instanceof ApiError && error.status === 401))) return answer
  throw new ApiError(0, COOKIES_BLOCKED)
}

/** A way for a trader to sign in. */
const traderSignIn = <Input>(signIn: (input: Input) => Promise<User>) =>
  mutationOptions({
    mutationFn: async (input: Input) => kept('trader', await signIn(input)),
    onSuccess: (opened, _input, _before, { client }) => traderSignedIn(client, opened),
    meta: { session: 'none' },
  })

export const logIn = traderSignIn((body: Credentials) => sendAndParse(signInRoutes.login, { body }))

export const register = traderSignIn(({ confirmPassword: _, ...body }: Registration) =>
  sendAndParse(signInRoutes.register, { body }),
)

/** Signs a trader in with a passkey alone: the browser lets the person choose one. */
export const logInWithPasskey = traderSignIn(async (_: void) => {
  return sendAndParse(signInRoutes.passkeySignIn, { body: { passkey: await signForSignIn() } })
})

export const logInAsAdmin = mutationOptions({
  mutationFn: async (body: AdminCredentials) => kept('admin', await sendAndParse(signInRoutes.adminLogin, { body })),
  onSuccess: (_answer, _input, _before, { client }) => staffSignedIn(client),
  meta: { session: 'none' },
})

/** The second step of a sign-in. Its answer is the role of a member of staff. */
export const logInWithFactor = (session: Session) =>
  mutationOptions({
    mutationFn: async (body: FactorProof, { client }): Promise<SignedInAdmin | undefined> => {
      if (session === 'trader')
        return void traderSignedIn(
          client,
          await kept('trader', await sendAndParse(signInRoutes.signInFactor, { body })),
        )
      const answer = await kept('admin', await sendAndParse(signInRoutes.staffSignInFactor, { body }))
      staffSignedIn(client)
      return answer
    },
    meta: { session: 'none' },
  })

export const requestPasswordReset = mutationOptions({
  mutationFn: (body: PasswordForgotten) => send(signInRoutes.forgotPassword, { body }),
  meta: { session: 'none' },
})

export const resetPassword = mutationOptions({
  mutationFn: (body: PasswordReset) => send(signInRoutes.resetPassword, { body }),
  meta: { session: 'none' },
})

export const revertEmail = mutationOptions({
  mutationFn: (body: EmailRevert) => send(signInRoutes.revertEmail, { body }),
  meta: { session: 'none' },
})

export const confirmEmail = mutationOptions({
  mutationFn: (body: EmailConfirmation) => send(signInRoutes.confirmEmail, { body }),
  onSuccess: (_answer, _input, _before, { client }) => client.invalidateQueries({ queryKey: userQuery.queryKey }),
  meta: { session: 'none' },
})

export const changePassword = changeOfCookie('trader', (body: PasswordChange) =>
  send(signInRoutes.changePassword, { body }),
)
