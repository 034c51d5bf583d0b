import { RateLimiterRedis } from 'rate-limiter-flexible'
import { PREFIX, type Redis } from '../redis/redis-connection.ts'
import { type CreateRateLimit, type RateLimitRule, rateLimitOf } from './rate-limit.ts'

const PART = 'rate limit'

/**
 * Counts in Redis, for all processes together. While it is away nobody gets a try: whoever guesses passwords must not be
 * faster for having brought it down, and signing in needs the sessions that are kept there anyway.
 *
 * @param prefix begins every key.
 */
export function redisRateLimit(redis: Redis, prefix = PREFIX): CreateRateLimit {
  return (rule) => {
    // Made at the first use, for it is told its scripts by a connection.
    let limiter: RateLimiterRedis | undefined
    return rateLimitOf((work) =>
      redis.run(PART, (client) => {
        limiter ??= new RateLimiterRedis({ storeClient: client, ...optionsOf(rule, prefix) })
        return work(limiter)
      }),
    )
  }
}

function optionsOf({ name, attempts, seconds }: RateLimitRule, prefix: string) {
  return { keyPrefix: `${prefix}:rate:${name}`, points: attempts, duration: seconds }
}
