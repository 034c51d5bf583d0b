import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** The port to one rule of "so many tries in so many seconds", counted for each key apart. */
export interface RateLimit {
  /** Takes one try. Answers 0 when it is granted, else how many ms to wait for the next one. @throws {Unavailable} */
  take(key: string): Promise<number>
  /** Gives a try back that did no harm. @throws {Unavailable} */
  giveBack(key: string): Promise<void>
  /** Forgets all tries of a key. @throws {Unavailable} */
  clear(key: string): Promise<void>
}

export interface RateLimitRule {
  readonly name: string
  readonly tries: number
  readonly seconds: number
}

export type OpenRateLimit = (rule: RateLimitRule) => RateLimit

/** Counts in this process. */
export const memoryRateLimit: OpenRateLimit = ({ name, tries, seconds }) => {
  const limiter = new RateLimiterMemory({ keyPrefix: name, points: tries, duration: seconds })
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
    giveBack: async (key) => void (await using((limiter) => limiter.reward(key))),
    clear: async (key) => void (await using((limiter) => limiter.delete(key))),
  }
}
