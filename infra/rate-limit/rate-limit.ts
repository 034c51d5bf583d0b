import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** The port to one rule, a number of tries within some seconds, counted for each key separately. */
export interface RateLimit {
  /** Takes one try. Returns 0 when it is granted, else how many ms to wait. @throws {Unavailable} */
  take(key: string): Promise<number>
  /** Gives a try back. @throws {Unavailable} */
  refund(key: string): Promise<void>
  /** Clears all tries of a key. @throws {Unavailable} */
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

/** Adapts a limiter of the library to the port. */
export function rateLimitOf(
  using: <Result>(work: (limiter: RateLimiterAbstract) => Promise<Result>) => Promise<Result>,
): RateLimit {
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
