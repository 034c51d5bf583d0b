import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { AuthenticatorSetup, type Confirmation, FactorChoice, OwnFactors, RecoveryCodes } from '#services/modules/second-factors/second-factor-api.ts'
import { get, send, sendAndParse } from '@/api/api.ts'
import { readQuery, type Session } from '@/query-client.ts'
import { createPasskey } from './passkeys.ts'
import { changeOfCookie } from './session-queries.ts'

/** One's own second factors. */

const paths: Readonly<Record<Session, string>> = { trader: '/api/user/factors', admin: '/api/admin/auth/factors' }
const signInPaths: Readonly<Record<Session, string>> = { trader: '/api/login/factor', admin: '/api/admin/login/factor' }

/** The factors of the signed-in person. */
export const factorsQuery = (kind: Session) =>
  readQuery(kind === 'admin' ? ['admin', 'user', 'factors'] : ['user', 'factors'], paths[kind], OwnFactors, {
    subjects: ['second-factors'],
    staleTime: 0,
  })

/** How to take the second step of a sign-in, or to confirm who one is. Each has its own challenge, so none is kept. */
export const choiceQuery = (kind: Session, step: 'sign-in' | 'confirmation') =>
  queryOptions({
    queryKey: ['factor-choice', kind, step],
    queryFn: ({ signal }): Promise<FactorChoice> => get(step === 'sign-in' ? signInPaths[kind] : `${paths[kind]}/confirmation`, FactorChoice, signal),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    // A step of a sign-in is before any session.
    meta: { session: step === 'sign-in' ? 'none' : kind },
  })

/** Confirms who one is, for some minutes. */
export const confirmIdentity = (kind: Session) =>
  mutationOptions({ mutationFn: (proof: Confirmation) => send('POST', `${paths[kind]}/confirmation`, proof), meta: { session: kind } })

const passkeyPath = (kind: Session, id: string) => `${paths[kind]}/passkeys/${encodeURIComponent(id)}`

/** Makes a passkey on this device and adds it. */
export const addPasskey = (kind: Session) =>
  changeOfCookie(kind, async (name: string) => {
    await send('POST', `${paths[kind]}/passkeys`, { name, passkey: await createPasskey(`${paths[kind]}/passkeys`) })
  })

export const renamePasskey = (kind: Session) =>
  changeOfCookie(kind, ({ id, name }: { readonly id: string; readonly name: string }) => send('PATCH', passkeyPath(kind, id), { name }))

export const removePasskey = (kind: Session) => changeOfCookie(kind, (id: string) => send('DELETE', passkeyPath(kind, id)))

/** A new key for an authenticator app. */
export const authenticatorSetupQuery = (kind: Session) =>
  queryOptions({
    queryKey: ['authenticator-setup', kind],
    queryFn: ({ signal }): Promise<AuthenticatorSetup> => get(`${paths[kind]}/authenticator`, AuthenticatorSetup, signal),
    // One key for as long as the dialog is open.
    staleTime: Infinity,
    gcTime: 0,
    meta: { session: kind },
  })

export const turnOnAuthenticator = (kind: Session) =>
  changeOfCookie(kind, (request: { readonly setup: string; readonly code: string }) => send('POST', `${paths[kind]}/authenticator`, request))

export const turnOffAuthenticator = (kind: Session) => changeOfCookie(kind, (_: void) => send('DELETE', `${paths[kind]}/authenticator`))

/** Makes new recovery codes, which are shown once. */
export const issueRecoveryCodes = (kind: Session) =>
  changeOfCookie(kind, async (_: void) => {
    const { codes } = await sendAndParse('POST', `${paths[kind]}/recovery-codes`, undefined, RecoveryCodes)
    return codes
  })
