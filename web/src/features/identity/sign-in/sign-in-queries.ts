import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import type { FactorProof } from '#services/identity/second-factors/second-factor-api.ts'
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
import { send, sendAndParse } from '@/api/api.ts'
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

/** A way for a trader to sign in. */
const traderSignIn = <Input>(mutationFn: (input: Input) => Promise<User>) =>
  mutationOptions({
    mutationFn,
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
  mutationFn: (body: AdminCredentials) => sendAndParse(signInRoutes.adminLogin, { body }),
  onSuccess: (_answer, _input, _before, { client }) => staffSignedIn(client),
  meta: { session: 'none' },
})

/** The second step of a sign-in. Its answer is the role of a member of staff. */
export const logInWithFactor = (session: Session) =>
  mutationOptions({
    mutationFn: async (body: FactorProof, { client }): Promise<SignedInAdmin | undefined> => {
      if (session === 'trader')
        return void traderSignedIn(client, await sendAndParse(signInRoutes.signInFactor, { body }))
      const answer = await sendAndParse(signInRoutes.staffSignInFactor, { body })
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
