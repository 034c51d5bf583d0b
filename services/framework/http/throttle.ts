import type { CreateRateLimit, RateLimit } from '#infra/rate-limit/rate-limit.ts'
import { tooManyAttempts } from './http-errors.ts'
import { type AttemptLimit, limits } from './limits.ts'

interface ThrottleOptions {
  readonly createRateLimit: CreateRateLimit
  readonly config: { readonly registrationsPerHour: number; readonly traderChangesPerHour: number }
}

export type Throttle = ReturnType<typeof createThrottle>

const unlimited: RateLimit = { take: async () => 0, refund: async () => {}, clear: async () => {} }

/**
 * The limits on guessing and flooding, per account, per network and for the installation (security checklist
 * 2.4.1, 6.1.1, 6.3.1). A known browser of the owner (known-devices.ts) has a separate limit, so that no one else
 * can lock the owner out; an owner without one can sign in after a mailed reset or a quarter of an hour.
 */
export function createThrottle({
  createRateLimit,
  config: { registrationsPerHour, traderChangesPerHour },
}: ThrottleOptions) {
  /** The configuration replaces these limits of the table; 0 for no limit. */
  const configured: Partial<Record<AttemptLimit, number>> = {
    registrationNetwork: registrationsPerHour,
    profilePerson: traderChangesPerHour,
    emailPerson: Math.min(limits.attempts.emailPerson.attempts, traderChangesPerHour),
    payoutPerson: traderChangesPerHour,
    sharePerson: traderChangesPerHour,
  }
  const created = new Map<AttemptLimit, RateLimit>()

  const limitOf = (name: AttemptLimit): RateLimit => {
    const existing = created.get(name)
    if (existing) return existing
    const rule = limits.attempts[name]
    const attempts = configured[name] ?? rule.attempts
    const limit = attempts === 0 ? unlimited : createRateLimit({ ...rule, attempts })
    created.set(name, limit)
    return limit
  }

  return {
    /** Takes one attempt of a key. Returns 0 when it is granted, else how many ms to wait. */
    take: (name: AttemptLimit, key: string): Promise<number> => limitOf(name).take(key),

    /** Clears all attempts of a key. */
    clear: (name: AttemptLimit, key: string): Promise<void> => limitOf(name).clear(key),

    /**
     * Counts an attempt against each limit, before its outcome is known, so that concurrent ones cannot bypass the
     * limit.
     *
     * @throws {HttpError} 429, when one of them is used up; the others are not charged.
     */
    async attempt(...counted: readonly (readonly [AttemptLimit, key: string])[]) {
      const taken: (readonly [RateLimit, string])[] = []
      /** Uncounts a harmless attempt. */
      const refund = async () => void (await Promise.all(taken.map(([limit, key]) => limit.refund(key))))
      for (const [name, key] of counted) {
        const limit = limitOf(name)
        const wait = await limit.take(key)
        if (wait > 0) {
          await refund()
          throw tooManyAttempts(wait)
        }
        taken.push([limit, key])
      }
      return { refund }
    },
  }
}

/**
 * Runs work for a key, such as a network, with so much of each under way at once.
 *
 * @throws {HttpError} 429 beyond it, before the work begins.
 */
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
