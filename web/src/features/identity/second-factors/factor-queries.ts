import { mutationOptions } from '@tanstack/react-query'
import {
  type Confirmation,
  factorRoutes,
  type OwnFactorRoutes,
} from '#services/identity/second-factors/second-factor-api.ts'
import { signInRoutes } from '#services/identity/sign-in/sign-in-api.ts'
import { send, sendAndParse } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import type { Session } from '@/api/session.ts'
import { createPasskey } from './passkeys.ts'
import { changeOfCookie } from '@/features/frame/session-queries.ts'

/** One's own second factors. */

const calls: Readonly<Record<Session, OwnFactorRoutes>> = {
  trader: {
    factors: factorRoutes.ownFactors,
    confirmationChoice: factorRoutes.ownConfirmationChoice,
    confirm: factorRoutes.confirmTrader,
    passkeyCreation: factorRoutes.ownPasskeyCreation,
    addPasskey: factorRoutes.addOwnPasskey,
    renamePasskey: factorRoutes.renameOwnPasskey,
    removePasskey: factorRoutes.removeOwnPasskey,
    authenticatorSetup: factorRoutes.ownAuthenticatorSetup,
    turnOnAuthenticator: factorRoutes.turnOnOwnAuthenticator,
    turnOffAuthenticator: factorRoutes.turnOffOwnAuthenticator,
    issueRecoveryCodes: factorRoutes.issueOwnRecoveryCodes,
  },
  admin: {
    factors: factorRoutes.staffFactors,
    confirmationChoice: factorRoutes.staffConfirmationChoice,
    confirm: factorRoutes.confirmStaff,
    passkeyCreation: factorRoutes.staffPasskeyCreation,
    addPasskey: factorRoutes.addStaffPasskey,
    renamePasskey: factorRoutes.renameStaffPasskey,
    removePasskey: factorRoutes.removeStaffPasskey,
    authenticatorSetup: factorRoutes.staffAuthenticatorSetup,
    turnOnAuthenticator: factorRoutes.turnOnStaffAuthenticator,
    turnOffAuthenticator: factorRoutes.turnOffStaffAuthenticator,
    issueRecoveryCodes: factorRoutes.issueStaffRecoveryCodes,
  },
}

/** The factors of the signed-in person. */
export const factorsQuery = (kind: Session) =>
  routeQuery(calls[kind].factors, { subjects: ['second-factors'] }, { staleTime: 0 })

// Each has its own challenge, so none is kept.
const once = { staleTime: 0, gcTime: 0, retry: false, refetchOnWindowFocus: false } as const

/** How to take the second step of a sign-in, which is before any session. */
export const signInChoiceQuery = (kind: Session) =>
  routeQuery(kind === 'admin' ? signInRoutes.staffSignInChoice : signInRoutes.signInChoice, { subjects: [] }, once)

/** How to confirm who one is. */
export const confirmationChoiceQuery = (kind: Session) =>
  routeQuery(calls[kind].confirmationChoice, { subjects: [] }, once)

/** Confirms who one is, for some minutes. */
export const confirmIdentity = (kind: Session) =>
  mutationOptions({
    mutationFn: (body: Confirmation) => send(calls[kind].confirm, { body }),
    meta: { session: kind },
  })

/** Makes a passkey on this device and adds it. */
export const addPasskey = (kind: Session) =>
  changeOfCookie(kind, async (name: string) => {
    const { addPasskey: add, passkeyCreation } = calls[kind]
    await send(add, { body: { name, passkey: await createPasskey(passkeyCreation) } })
  })

export const renamePasskey = (kind: Session) =>
  changeOfCookie(kind, ({ id, name }: { readonly id: string; readonly name: string }) =>
    send(calls[kind].renamePasskey, { params: { id }, body: { name } }),
  )

export const removePasskey = (kind: Session) =>
  changeOfCookie(kind, (id: string) => send(calls[kind].removePasskey, { params: { id } }))

/**
 * A new key for an authenticator app: one for as long as the dialog is open, also after a change that reads everything
 * again, since the phone has it.
 */
export const authenticatorSetupQuery = (kind: Session) =>
  routeQuery(calls[kind].authenticatorSetup, { subjects: [] }, { staleTime: 'static', gcTime: 0 })

export const turnOnAuthenticator = (kind: Session) =>
  changeOfCookie(kind, (body: { readonly setup: string; readonly code: string }) =>
    send(calls[kind].turnOnAuthenticator, { body }),
  )

export const turnOffAuthenticator = (kind: Session) =>
  changeOfCookie(kind, (_: void) => send(calls[kind].turnOffAuthenticator))

/** Stops the removal that staff were asked for. */
export const stopOwnRemoval = changeOfCookie('trader', (_: void) => send(factorRoutes.stopOwnFactorRemoval))

/** Makes new recovery codes, which are shown once. */
export const issueRecoveryCodes = (kind: Session) =>
  changeOfCookie(kind, async (_: void) => {
    const { codes } = await sendAndParse(calls[kind].issueRecoveryCodes)
    return codes
  })
