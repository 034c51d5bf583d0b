import { hostname } from 'node:os'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { StoreUnderTest } from './store-under-test.conformance.ts'
import type { ReadModelStore } from './read-model-store.ts'

/** What every lease store promises. */
export function leaseStoreConformance(underTest: () => StoreUnderTest): void {
  describe('leases', () => {
    let store: ReadModelStore
    let another: StoreUnderTest['another']
    let mark: string

    beforeEach(() => {
      ;({ store, another, mark } = underTest())
    })

    // A process of another machine: whether it still runs is unknown.
    const far = (name: string): string => `elsewhere.example:${process.pid}:${name}`

    it('have one owner at a time, which can renew them', async () => {
      const other = await another()
      expect(await store.leases.acquire(mark, far('a'), 60_000)).toBe(true)
      expect(await other.leases.acquire(mark, far('b'), 60_000)).toBe(false)
      expect(await other.leases.acquire(`${mark}-2`, far('b'), 60_000)).toBe(true)
      expect(await store.leases.acquire(mark, far('a'), 60_000)).toBe(true)
      expect(await other.leases.acquire(mark, far('b'), 60_000)).toBe(false)
    })

    it('are free when released', async () => {
      await store.leases.acquire(mark, far('a'), 60_000)
      await store.leases.release(mark, far('b'))
      expect(await store.leases.acquire(mark, far('b'), 60_000)).toBe(false)
      await store.leases.release(mark, far('a'))
      expect(await store.leases.acquire(mark, far('b'), 60_000)).toBe(true)
      await store.leases.release(`${mark}-never-taken`, far('a'))
    })

    it('are free when expired', async () => {
      await store.leases.acquire(mark, far('a'), 20)
      await vi.waitFor(async () => expect(await store.leases.acquire(mark, far('b'), 60_000)).toBe(true), { interval: 5 })
      expect(await store.leases.acquire(mark, far('a'), 60_000)).toBe(false)
    })

    it('go to one of many concurrent applicants', async () => {
      const others = [store, await another(), await another()]
      const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => others[n % 3]?.leases.acquire(mark, far(String(n)), 60_000)))
      expect(answers.filter(Boolean)).toHaveLength(1)
    })

    it('stay with an owner whose process runs', async () => {
      const owner = `${hostname()}:${process.ppid}:parent`
      expect(await store.leases.acquire(mark, owner, 60_000)).toBe(true)
      expect(await store.leases.acquire(mark, `${hostname()}:${process.pid}:${mark}`, 60_000)).toBe(false)
    })
  })
}
