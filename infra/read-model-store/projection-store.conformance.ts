import { describe, expect, it } from 'vitest'
import type { ProjectionState } from './projection-store.ts'
import type { StoreUnderTest } from './store-under-test.conformance.ts'

/** What every projection store promises. */
export function projectionStoreConformance(underTest: () => StoreUnderTest): void {
  describe('projection states', () => {
    const initial = (projection: string): ProjectionState => ({
      projection,
      serving: 'users_v1',
      building: null,
      retired: [],
      generation: 1,
      rebuildRequested: false,
      pace: null,
    })

    it('are created once and keep every field that is changed', async () => {
      const { store, another, mark } = underTest()
      const { projections } = store
      const [one, two] = [`one-${mark}`, `two-${mark}`]
      expect(await projections.load(one)).toBeUndefined()
      expect(await projections.create(initial(one))).toEqual(initial(one))
      await projections.create({ ...initial(two), rebuildRequested: true })
      const change = {
        serving: 'users_v1_2',
        building: 'users_v2_3',
        retired: ['users_v1', 'ü "b"'],
        generation: 3,
        rebuildRequested: true,
        pace: { collection: 'users_v2_3', at: 1_700_000_000_000, perSecond: 12.5 },
      }
      expect(await projections.update(one, change)).toBe(true)
      const changed = { projection: one, ...change }
      const other = await another()
      expect(await other.projections.load(one)).toEqual(changed)
      expect(await other.projections.create(initial(one))).toEqual(changed)
      const all = await other.projections.loadAll()
      expect([all.get(one), all.get(two)]).toEqual([changed, { ...initial(two), rebuildRequested: true }])
      expect(await other.projections.update(one, { building: null, pace: null, retired: [], rebuildRequested: false })).toBe(true)
      expect(await projections.load(one)).toEqual({ ...initial(one), serving: 'users_v1_2', generation: 3 })
    })

    it('change only where they are as expected', async () => {
      const { store, mark } = underTest()
      const { projections } = store
      expect(await projections.update(mark, { generation: 2 })).toBe(false)
      await projections.create(initial(mark))
      expect(await projections.update(mark, { generation: 2, building: 'users_v1_2' }, { serving: 'users_v1', building: null, generation: 1 })).toBe(true)
      for (const expected of [{ serving: 'users_v9' }, { building: null }, { generation: 1 }, { serving: 'users_v1', generation: 1 }])
        expect(await projections.update(mark, { serving: 'wrong' }, expected)).toBe(false)
      expect(await projections.load(mark)).toEqual({ ...initial(mark), generation: 2, building: 'users_v1_2' })
    })
  })
}
