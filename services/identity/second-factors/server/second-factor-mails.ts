import { type MailContext, newPasswordPage } from '#services/framework/mails/mail-context.ts'
import { FIRM, type MailContent, moment, oneLine, presentableName } from '#services/framework/mails/mail-layout.ts'
import type { Mails } from '#services/framework/module.ts'
import type { secondFactorDescriptions } from '../second-factor-descriptions.ts'
import type { SecondFactorEvent } from '../second-factor.ts'

/** The mails about second factors, and about sign-ins from new browsers. */
export const secondFactorMails: Mails<SecondFactorEvent, typeof secondFactorDescriptions> = {
  PasskeyAdded: aboutFactors(({ name }) => `${passkeyNamed(name)} was added to your ${FIRM} account.`),
  PasskeyRemoved: aboutFactors(({ name }) => `${passkeyNamed(name)} was removed from your ${FIRM} account.`),
  AuthenticatorTurnedOn: aboutFactors(() => `An authenticator app was turned on for your ${FIRM} account.`),
  AuthenticatorTurnedOff: aboutFactors(() => `The authenticator app of your ${FIRM} account was turned off.`),
  RecoveryCodesIssued: aboutFactors(
    () => `The recovery codes of your ${FIRM} account were replaced. Older codes no longer work.`,
  ),
  RecoveryCodeUsed: aboutFactors(
    ({ left }) => `A recovery code of your ${FIRM} account was used. Codes left: ${left}.`,
  ),
  SecondFactorsRemoved: aboutFactors(
    () =>
      `All second factors of your ${FIRM} account were removed. Signing in needs only your password until you add new ones.`,
  ),
  FactorRemovalRequested: ({ data }, { page, supportEmail }) =>
    removalRequested(data.dueAt, page('/settings'), supportEmail),
  FactorRemovalStopped: aboutFactors(
    () => `The removal of the second factors of your ${FIRM} account was stopped. They stay as they are.`,
  ),
  SignedInFromNewBrowser: ({ data, at }, context) => newBrowser({ ...data, at, link: newPasswordPage(context) }),
}

/** @param what What changed, in a sentence. */
function aboutFactors<Data>(what: (data: Data) => string) {
  return ({ data }: { readonly data: Data }, context: MailContext) =>
    factorsChanged(what(data), newPasswordPage(context))
}

/** A passkey by its name, which must not carry a link either. */
function passkeyNamed(name: string): string {
  const shown = presentableName(name)
  return shown === '' ? 'A passkey' : `The passkey "${shown}"`
}

/** @param what What changed, in a sentence. @param link Where to set a new password. */
export function factorsChanged(what: string, link: string): MailContent {
  return {
    subject: `Your ${FIRM} second factors were changed`,
    body: [
      `${oneLine(what)} If that was you, ignore this email.`,
      'If it was not you, set a new password now, then check your passkeys and your authenticator app in Settings, or contact support.',
      { action: 'Set a new password', link },
    ],
    footer: `You're receiving this email because the way to sign in to your ${FIRM} account was changed or used.`,
  }
}

/** @param dueAt Ms since 1970. @param link Where to stop it. @param supportEmail Whom to ask, where the operator says so. */
export function removalRequested(dueAt: number, link: string, supportEmail: string | undefined): MailContent {
  const support = supportEmail === undefined ? 'contact support' : `contact support at ${oneLine(supportEmail)}`
  return {
    subject: `Your ${FIRM} second factors will be removed`,
    body: [
      `Somebody told support that your second factors are lost, and answered a question about your account. All of them are removed at ${moment(dueAt)}. Until then signing in needs them.`,
      'If that was you, you need to do nothing: sign in with your password afterwards, and add new ones.',
      `If it was not you, stop it now in Settings, or ${support}. Then set a new password.`,
      { action: 'Stop the removal', link },
    ],
    footer: `You're receiving this email because the way to sign in to your ${FIRM} account is about to change.`,
  }
}

/** @param client.at Ms since 1970. @param client.link Where to set a new password. */
export function newBrowser({
  browser,
  address,
  at,
  link,
}: Record<'browser' | 'address' | 'link', string> & { readonly at: number }): MailContent {
  return {
    subject: `Your ${FIRM} account was used in a new browser`,
    body: [
      `Someone signed in to your ${FIRM} account from a browser that had not been used for it before. If that was you, ignore this email.`,
      {
        details: [
          ['Browser', oneLine(browser)],
          ['Time', moment(at)],
          ['Address (approximate)', oneLine(address)],
        ],
      },
      'If it was not you, set a new password now. That signs out every browser.',
      { action: 'Set a new password', link },
    ],
    footer: `You're receiving this email because of a sign-in to your ${FIRM} account.`,
  }
}
