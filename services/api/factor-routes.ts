import { z } from 'zod'
import * as factors from '#services/modules/second-factors/second-factor-api.ts'
import { described } from './openapi-component.ts'
import { answer, conflict, del, get, patch, post, throttled, userPath } from './route.ts'

const passkeyPath = z.object({ id: described("The passkey's id", z.string()) })

/** The calls about one's own second factors. Changes need a recent confirmation (403 'confirmation-required'); they end all other sessions. */
const factorCalls = <const Owner extends string, const A extends 'trader' | 'own-sessions'>(owner: Owner, access: A) => ({
  factors: get(`/api/${owner}/factors` as const, access, { summary: 'The own second factors', answer: answer('The factors', factors.OwnFactors) }),
  confirmationChoice: get(`/api/${owner}/factors/confirmation` as const, access, {
    summary: 'How to confirm who one is: with a second factor, or without any the password or access key',
    answer: answer('The choice, with a challenge for a passkey', factors.FactorChoice),
  }),
  confirm: post(`/api/${owner}/factors/confirmation` as const, access, {
    summary: 'Confirm who one is; this session counts as confirmed for 5 minutes',
    body: factors.Confirmation,
    refuses: { ...conflict, ...throttled },
  }),
  passkeyCreation: get(`/api/${owner}/factors/passkeys` as const, access, {
    summary: 'What a browser needs to make a passkey',
    answer: answer('Options for navigator.credentials.create()', factors.PasskeyCreation),
    refuses: conflict,
  }),
  addPasskey: post(`/api/${owner}/factors/passkeys` as const, access, { summary: 'Add a passkey', body: factors.NewPasskey, refuses: conflict }),
  renamePasskey: patch(`/api/${owner}/factors/passkeys/:id` as const, access, {
    summary: 'Rename a passkey',
    params: passkeyPath,
    body: factors.PasskeyName,
    refuses: conflict,
  }),
  removePasskey: del(`/api/${owner}/factors/passkeys/:id` as const, access, { summary: 'Remove a passkey', params: passkeyPath, refuses: conflict }),
  authenticatorSetup: get(`/api/${owner}/factors/authenticator` as const, access, {
    summary: 'A new key for an authenticator app (TOTP)',
    answer: answer('The key, which counts once a code is sent back', factors.AuthenticatorSetup),
  }),
  turnOnAuthenticator: post(`/api/${owner}/factors/authenticator` as const, access, {
    summary: 'Turn on an authenticator app with its first code',
    body: factors.NewAuthenticator,
    refuses: { ...conflict, ...throttled },
  }),
  turnOffAuthenticator: del(`/api/${owner}/factors/authenticator` as const, access, { summary: 'Turn off the authenticator app', refuses: conflict }),
  issueRecoveryCodes: post(`/api/${owner}/factors/recovery-codes` as const, access, {
    summary: 'Make ten recovery codes, shown once; older ones no longer work',
    answer: answer('The codes', factors.RecoveryCodes),
    refuses: conflict,
  }),
})

const ownFactors = factorCalls('user', 'trader')
const staffFactors = factorCalls('admin/auth', 'own-sessions')

/** The calls about second factors: of a trader, and of a member of staff. */
export const factorCallsByOwner = [ownFactors, staffFactors] as const

/** The calls that staff can make before they have the second factor that the firm requires. */
export const enrolmentPaths: readonly string[] = Object.values(staffFactors).map(({ path }) => path)

/** The calls about second factors. */
export const factorRoutes = {
  ownFactors: ownFactors.factors,
  ownConfirmationChoice: ownFactors.confirmationChoice,
  confirmTrader: ownFactors.confirm,
  ownPasskeyCreation: ownFactors.passkeyCreation,
  addOwnPasskey: ownFactors.addPasskey,
  renameOwnPasskey: ownFactors.renamePasskey,
  removeOwnPasskey: ownFactors.removePasskey,
  ownAuthenticatorSetup: ownFactors.authenticatorSetup,
  turnOnOwnAuthenticator: ownFactors.turnOnAuthenticator,
  turnOffOwnAuthenticator: ownFactors.turnOffAuthenticator,
  issueOwnRecoveryCodes: ownFactors.issueRecoveryCodes,
  staffFactors: staffFactors.factors,
  staffConfirmationChoice: staffFactors.confirmationChoice,
  confirmStaff: staffFactors.confirm,
  staffPasskeyCreation: staffFactors.passkeyCreation,
  addStaffPasskey: staffFactors.addPasskey,
  renameStaffPasskey: staffFactors.renamePasskey,
  removeStaffPasskey: staffFactors.removePasskey,
  staffAuthenticatorSetup: staffFactors.authenticatorSetup,
  turnOnStaffAuthenticator: staffFactors.turnOnAuthenticator,
  turnOffStaffAuthenticator: staffFactors.turnOffAuthenticator,
  issueStaffRecoveryCodes: staffFactors.issueRecoveryCodes,
  removeUserFactors: del('/api/admin/user/:id/factors', 'remove-factors', {
    summary: 'Remove all second factors of a user who lost them; the user gets a mail and sees it in the history',
    params: userPath,
    refuses: conflict,
  }),
}
