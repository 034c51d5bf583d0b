import type { CreateRateLimit, RateLimit } from '../../infra/rate-limit/rate-limit.ts'
import type { Config } from '../config.ts'
import { limits } from '../http/limits.ts'

interface ThrottleOptions {
  readonly createRateLimit: CreateRateLimit
  readonly config: Pick<Config, 'registrationsPerHour' | 'traderChangesPerHour'>
}

const unlimited: RateLimit = { take: async () => 0, refund: async () => {}, clear: async () => {} }

/**
 * The limits on guessing and flooding, per account, per network and for the installation (security checklist
 * 2.4.1, 6.1.1, 6.3.1). A known browser of the owner (known-devices.ts) has a separate limit, so that no one else
 * can lock the owner out; an owner without one can sign in after a mailed reset or a quarter of an hour.
 */
export function createThrottle({ createRateLimit, config: { registrationsPerHour, traderChangesPerHour } }: ThrottleOptions) {
  const { attempts: of } = limits
  const rule = (name: string, most: { readonly attempts: number; readonly seconds: number }) => createRateLimit({ name, ...most })
  const perHour = (name: string, attempts: number) => (attempts === 0 ? unlimited : rule(name, { attempts, seconds: 60 * 60 }))
  return {
    signInAccount: rule('sign-in-account', of.signInAccount),
    signInNetwork: rule('sign-in-address', of.signInNetwork),
    signInDevice: rule('sign-in-device', of.signInDevice),
    accessKeyInstallation: rule('admin-installation', of.accessKeyInstallation),
    accessKeyNetwork: rule('admin-address', of.accessKeyNetwork),
    accessKeyDevice: rule('admin-device', of.accessKeyDevice),
    accessKeyRefusalEvent: rule('admin-refusal-event', of.accessKeyRefusalEvent),
    forgotAccount: rule('forgot-account', of.forgotAccount),
    forgotNetwork: rule('forgot-address', of.forgotNetwork),
    forgotDevice: rule('forgot-device', of.forgotDevice),
    resetAccount: rule('reset-account', of.resetAccount),
    resetNetwork: rule('reset-address', of.resetNetwork),
    passwordAccount: rule('password-account', of.passwordAccount),
    factorPerson: rule('factor-person', of.factorPerson),
    factorDevice: rule('factor-device', of.factorDevice),
    newBrowserNotice: rule('new-browser', of.newBrowserNotice),
    profilePerson: perHour('profile-person', traderChangesPerHour),
    emailPerson: perHour('email-person', Math.min(of.emailPerson.attempts, traderChangesPerHour)),
    payoutPerson: perHour('payout-person', traderChangesPerHour),
    sharePerson: perHour('share-person', traderChangesPerHour),
    showPasswordMember: rule('show-password-member', of.showPasswordMember),
    registrationNetwork: perHour('registration-address', registrationsPerHour),
  }
}

export type Throttle = ReturnType<typeof createThrottle>
