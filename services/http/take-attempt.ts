import type { RateLimit } from '../../infra/rate-limit/rate-limit.ts'
import { tooManyAttempts } from './http-errors.ts'

/**
 * Counts an attempt against each limit, before its outcome is known, so that concurrent ones cannot bypass the limit.
 *
 * @throws {HttpError} 429, when one of them is used up; the others are not charged.
 */
export async function takeAttempt(limits: readonly (readonly [RateLimit, string])[]) {
  const taken: (readonly [RateLimit, string])[] = []
  /** Uncounts a harmless attempt. */
  const refund = async () => void (await Promise.all(taken.map(([limit, key]) => limit.refund(key))))
  for (const entry of limits) {
    const [limit, key] = entry
    const wait = await limit.take(key)
    if (wait > 0) {
      await refund()
      throw tooManyAttempts(wait)
    }
    taken.push(entry)
  }
  return { refund }
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
