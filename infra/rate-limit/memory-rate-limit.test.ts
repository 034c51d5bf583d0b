import { rateLimitContract } from './rate-limit.conformance.ts'
import { memoryRateLimit } from './rate-limit.ts'

rateLimitContract('rate limit in memory', () => memoryRateLimit)
