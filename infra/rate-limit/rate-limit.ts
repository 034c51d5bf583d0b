import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** The port to one rule of "so many tries in so many seconds", counted for each key apart. */
export interface RateLimit {
  /** Takes one try. Answers 0 when it is granted, else how many ms to wait for the next one. @throws {Unavailable} */
  take(key: string): Promise<number>
  /** Gives a try back that did no harm. @throws {Unavailable} */
  refund(key: string): Promise<void>
  /** Forgets all tries of a key. @throws {Unavailable} */
  clear(key: string): Promise<void>
}

export interface RateLimitRule {
  readonly name: string
  readonly attempts: number
  readonly seconds: number
}

export type CreateRateLimit = (rule: RateLimitRule) => RateLimit

/** Counts in this process. */
export const memoryRateLimit: CreateRateLimit = ({ name, attempts, seconds }) => {
  const limiter = new RateLimiterMemory({ keyPrefix: name, points: attempts, duration: seconds })
  return rateLimitOf((work) => work(limiter))
}

/** The port over a limiter of the library, wherever that counts. */
export function rateLimitOf(using: <Result>(work: (limiter: RateLimiterAbstract) => Promise<Result>) => Promise<Result>): RateLimit {
  return {
    async take(key) {
      try {
        await using((limiter) => limiter.consume(key))
        return 0
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return Math.max(1, refusal.msBeforeNext)
        throw refusal
      }
    },
    refund: async (key) => void (await using((limiter) => limiter.reward(key))),
    clear: async (key) => void (await using((limiter) => limiter.delete(key))),
  }
}
