import type { CreateRateLimit, RateLimit } from '../../infra/rate-limit/rate-limit.ts'
import { tooManyAttempts } from '../http/http-errors.ts'
import { limits } from '../http/limits.ts'

export interface ThrottleOptions {
  readonly createRateLimit: CreateRateLimit
  /** Per network; 0 for no limit. */
  readonly registrationsPerHour: number
  /** Of a trader: profile changes, payout requests, and links to certificates; 0 for no limit. */
  readonly traderChangesPerHour: number
}

const unlimited: RateLimit = { take: async () => 0, refund: async () => {}, clear: async () => {} }

/**
 * The limits on guessing and flooding, per account, per network and for the installation (security checklist
 * 2.4.1, 6.1.1, 6.3.1). A known browser of the owner (known-devices.ts) has a separate limit, so that nobody else
 * can lock the owner out; an owner without one can sign in after a mailed reset or a quarter of an hour.
 */
export function createThrottle({ createRateLimit, registrationsPerHour, traderChangesPerHour }: ThrottleOptions) {
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
    registrationNetwork: perHour('registration-address', registrationsPerHour),
  }
}

export type Throttle = ReturnType<typeof createThrottle>

/** An attempt, counted before its outcome is known, so that concurrent ones cannot bypass the limit. */
export interface RateLimitAttempt {
  /** Uncounts a harmless attempt. */
  refund(): Promise<void>
}

/** Counts an attempt against each limit. @throws {HttpError} 429, when one of them is used up; the others are not charged. */
export async function takeAttempt(limits: readonly (readonly [RateLimit, string])[]): Promise<RateLimitAttempt> {
  const taken: (readonly [RateLimit, string])[] = []
  const excuse = async () => void (await Promise.all(taken.map(([limit, key]) => limit.refund(key))))
  for (const entry of limits) {
    const [limit, key] = entry
    const wait = await limit.take(key)
    if (wait > 0) {
      await excuse()
      throw tooManyAttempts(wait)
    }
    taken.push(entry)
  }
  return { refund: excuse }
}

/** Runs work for a key, such as a network, with so much of each under way at once. @throws {HttpError} 429 beyond it, before the work begins. */
export function createInFlightLimit(most: number) {
  const underWay = new Map<string, number>()
  return async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const count = underWay.get(key) ?? 0
    if (count >= most) throw tooManyAttempts(1_000)
    underWay.set(key, count + 1)
    try {
      return await work()
    } finally {
      const left = (underWay.get(key) ?? 1) - 1
      if (left > 0) underWay.set(key, left)
      else underWay.delete(key)
    }
  }
}
