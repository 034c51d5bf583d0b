import { RateLimiterRedis } from 'rate-limiter-flexible'
import { PREFIX, type Redis } from '#infra/redis/redis-connection.ts'
import { type CreateRateLimit, rateLimitOf } from './rate-limit.ts'

const PART = 'rate limit'

/**
 * Counts in Redis, for all processes together. During an outage no try is granted: bringing Redis down must not help to
 * guess passwords, and sign-ins need the sessions in Redis anyway.
 *
 * @param prefix The prefix of every key.
 */
export function redisRateLimit(redis: Redis, prefix = PREFIX): CreateRateLimit {
  return ({ name, attempts, seconds }) => {
    // Created at the first use, because the limiter needs a connection to define its scripts.
    let limiter: RateLimiterRedis | undefined
    return rateLimitOf((work) =>
      redis.run(PART, (client) => {
        limiter ??= new RateLimiterRedis({
          storeClient: client,
          keyPrefix: `${prefix}:rate:${name}`,
          points: attempts,
          duration: seconds,
        })
        return work(limiter)
      }),
    )
  }
}
