import type { CreateRateLimit, RateLimit } from '../../infra/rate-limit/rate-limit.ts'
import { tooManyAttempts } from '../http/http-errors.ts'
import { limits } from '../http/limits.ts'

export interface ThrottleOptions {
  readonly createRateLimit: CreateRateLimit
  /** Of one network; 0 for any number. */
  readonly registrationsPerHour: number
}

const unlimited: RateLimit = { take: async () => 0, refund: async () => {}, clear: async () => {} }

/**
 * The rules that slow guessing and flooding down, per account, per network and for the installation (security checklist
 * 2.4.1, 6.1.1, 6.3.1). A browser that was the owner's before (known-devices.ts) has a count of its own, so that nobody
 * can lock its owner out; an owner without such a browser gets in after a mailed reset or a quarter of an hour.
 */
export function createThrottle({ createRateLimit, registrationsPerHour }: ThrottleOptions) {
  const { attempts: of } = limits
  const rule = (name: string, most: { readonly attempts: number; readonly seconds: number }) => createRateLimit({ name, ...most })
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
    resetAccount: rule('reset-account', of.resetAccount),
    resetNetwork: rule('reset-address', of.resetNetwork),
    passwordAccount: rule('password-account', of.passwordAccount),
    registrationNetwork: registrationsPerHour === 0 ? unlimited : rule('registration-address', { ...of.registrationNetwork, attempts: registrationsPerHour }),
  }
}

export type Throttle = ReturnType<typeof createThrottle>

/** A try that counts, taken before it is known how it ends, so that many at once can't slip through. */
export interface RateLimitAttempt {
  /** It did no harm: it does not count. */
  refund(): Promise<void>
}

/** Takes a try from each limit. @throws {HttpError} 429, when one of them has none left; the others then keep theirs. */
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
