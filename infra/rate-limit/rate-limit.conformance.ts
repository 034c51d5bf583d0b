import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { CreateRateLimit } from './rate-limit.ts'

/** What every rate limit promises, wherever it counts. */
export const rateLimitConformance = (name: string, open: () => CreateRateLimit) =>
  describe(name, () => {
    const rule = (tries: number, seconds = 600) => open()({ name: randomUUID(), attempts: tries, seconds })

    it('grants so many tries and no more, and says how long to wait', async () => {
      const limit = rule(3)
      for (let tried = 0; tried < 3; tried++) expect(await limit.take('ada')).toBe(0)
      const wait = await limit.take('ada')
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(600_000)
    })

    it('grants no more to many at once', async () => {
      const limit = rule(10)
      const waits = await Promise.all(Array.from({ length: 40 }, () => limit.take('ada')))
      expect(waits.filter((wait) => wait === 0)).toHaveLength(10)
    })

    it('counts each key apart, and each rule', async () => {
      const [limit, other] = [rule(1), rule(1)]
      expect(await limit.take('ada')).toBe(0)
      expect(await limit.take('grace:ada*? żółw')).toBe(0)
      expect(await other.take('ada')).toBe(0)
      expect(await limit.take('ada')).toBeGreaterThan(0)
    })

    it('counts a try that was given back as never taken', async () => {
      const limit = rule(2)
      await limit.take('ada')
      await limit.take('ada')
      await limit.refund('ada')
      expect(await limit.take('ada')).toBe(0)
      expect(await limit.take('ada')).toBeGreaterThan(0)
    })

    it('forgets all tries of a key, and of no other', async () => {
      const limit = rule(1)
      await limit.take('ada')
      await limit.take('grace')
      await limit.clear('ada')
      expect(await limit.take('ada')).toBe(0)
      expect(await limit.take('grace')).toBeGreaterThan(0)
      await limit.clear('nobody')
    })

    it('grants tries again once the time is over', async () => {
      const limit = rule(1, 1)
      expect(await limit.take('ada')).toBe(0)
      expect(await limit.take('ada')).toBeGreaterThan(0)
      await expect.poll(() => limit.take('ada'), { timeout: 15_000, interval: 50 }).toBe(0)
    })
  })
