import type { CreateRateLimit, RateLimit } from '../../infra/rate-limit/rate-limit.ts'
import { tooManyAttempts } from '../http/http-errors.ts'

const QUARTER = 15 * 60

/**
 * The rules that slow guessing down, per account and per address (security checklist 6.1.1, 6.3.1). Only failures
 * count. A browser that was the owner's before (see devices.ts) has a count of its own, so that nobody can lock its owner
 * out; whoever has no such browser gets in again after a mailed reset or a quarter of an hour.
 */
export function createThrottle(open: CreateRateLimit) {
  const rule = (name: string, tries: number, seconds = QUARTER) => open({ name, attempts: tries, seconds })
  return {
    signInAccount: rule('sign-in-account', 40),
    signInAddress: rule('sign-in-address', 400),
    signInDevice: rule('sign-in-device', 40),
    adminAddress: rule('admin-address', 40),
    adminDevice: rule('admin-device', 40),
    forgotAccount: rule('forgot-account', 10),
    forgotAddress: rule('forgot-address', 120),
    resetAccount: rule('reset-account', 30),
    resetAddress: rule('reset-address', 120),
    passwordAccount: rule('password-account', 30),
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
