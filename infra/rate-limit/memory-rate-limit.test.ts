import { rateLimitConformance } from './rate-limit.conformance.ts'
import { memoryRateLimit } from './rate-limit.ts'

rateLimitConformance('rate limit in memory', () => memoryRateLimit)
