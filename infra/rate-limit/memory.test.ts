import { rateLimitContract } from './contract.ts'
import { memoryRateLimit } from './rate-limit.ts'

rateLimitContract('rate limit in memory', () => memoryRateLimit)
