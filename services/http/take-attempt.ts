import type { RateLimit } from '../../infra/rate-limit/rate-limit.ts'
import { tooManyAttempts } from './http-errors.ts'

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
