import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { expectClosed, type StorePlace, useStores } from '#test-support/store-suite.ts'
import { toPosition } from '#infra/event-store/event-store.ts'
import { at, checkpointAt, documentStoreConformance, savedAt } from './document-store.conformance.ts'
import type { ProjectionState, ReadModelStore } from './read-model-store.ts'

/** What every read-model store promises, on any backend. */
export function readModelStoreConformance(name: string, prepare: () => Promise<StorePlace<ReadModelStore>>): void {
  describe(name, () => {
    const { open } = useStores(prepare)
    let store: ReadModelStore
    /** Part of every name: the data may be shared with other tests. */
    let mark: string
    beforeEach(() => {
      store = open()
      mark = randomUUID().slice(0, 8)
    })

    describe('the document store', () =>
      documentStoreConformance(() => ({ store, open, collection: `people_${mark}` })))

    describe('checkpoints', () => {
      let collection: string
      beforeEach(() => {
        collection = `people_${mark}`
      })
      const made = (id: string, position: number) => ({ id, document: {}, position: at(position), expected: null })

      it('are kept for each consumer until they are deleted', async () => {
        const [one, two] = [`one-${mark}`, `two-${mark}`]
        expect(await store.checkpoints.load(one)).toBeUndefined()
        await store.checkpoints.save(checkpointAt(one, 5))
        await store.checkpoints.save(checkpointAt(two, 7))
        await store.checkpoints.save(checkpointAt(one, 6))
        expect(await store.checkpoints.load(one)).toEqual(savedAt(6))
        const all = await open().checkpoints.loadAll()
        expect([all.get(one), all.get(two)]).toEqual([savedAt(6), savedAt(7)])
        await store.checkpoints.delete(one)
        await store.checkpoints.delete(one)
        expect(await store.checkpoints.load(one)).toBeUndefined()
        expect((await store.checkpoints.loadAll()).has(one)).toBe(false)
        expect(await store.checkpoints.load(two)).toEqual(savedAt(7))
      })

      it('are saved together and never move back, also when a paused worker saves late', async () => {
        const [late, one, two] = [open(), `one-${mark}`, `two-${mark}`]
        const saved = async () => [await store.checkpoints.load(one), await store.checkpoints.load(two)]
        await store.checkpoints.save(checkpointAt(one, 10), checkpointAt(two, 5))
        await late.checkpoints.save(checkpointAt(one, 9), checkpointAt(two, 6))
        expect(await saved()).toEqual([savedAt(10), savedAt(6)])
        await store.documents.create({ name: collection })
        expect(await late.documents.write(collection, [made('0', 3)], checkpointAt(one, 3))).toEqual([])
        await store.checkpoints.save()
        expect(await saved()).toEqual([savedAt(10), savedAt(6)])
        await late.checkpoints.save(checkpointAt(one, 11))
        expect(await saved()).toEqual([savedAt(11), savedAt(6)])
      })

      it('wake waiting callers of this store and another', async () => {
        await store.documents.create({ name: collection })
        const other = open()
        const waiting = [
          store.checkpoints.saved(60_000),
          store.checkpoints.saved(60_000),
          other.checkpoints.saved(60_000),
        ]
        await store.checkpoints.save(checkpointAt(mark, 1))
        await Promise.all(waiting)
        const again = [store.checkpoints.saved(60_000), other.checkpoints.saved(60_000)]
        await other.documents.write(collection, [made('0', 2)], checkpointAt(mark, 2))
        await Promise.all(again)
      })

      it('wake for nothing else, and only once', async () => {
        await store.documents.create({ name: collection })
        const other = open()
        await store.checkpoints.save(checkpointAt(mark, 1))
        const woken: string[] = []
        const waits = [store, other].map((each, n) =>
          each.checkpoints.saved(1_000).then(() => woken.push(`store ${n}`)),
        )
        await other.projections.create({
          projection: mark,
          serving: 'a',
          building: null,
          retired: [],
          generation: 1,
          rebuildRequested: false,
          pace: null,
        })
        await store.documents.write(collection, [made('0', 1)])
        await store.documents.write(collection, [made('0', 2), made('1', 2)], checkpointAt(mark, 2))
        const before = Date.now()
        await other.checkpoints.saved(20)
        expect(Date.now() - before).toBeGreaterThanOrEqual(18)
        expect(woken).toEqual([])
        await Promise.all(waits)
      })

      it('end a wait when the time is up or the store is closed', async () => {
        await store.checkpoints.saved(1)
        const other = open()
        const waiting = other.checkpoints.saved(60_000)
        await other.close()
        await waiting
      })
    })

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
        const other = open()
        expect(await other.projections.load(one)).toEqual(changed)
        expect(await other.projections.create(initial(one))).toEqual(changed)
        const all = await other.projections.loadAll()
        expect([all.get(one), all.get(two)]).toEqual([changed, { ...initial(two), rebuildRequested: true }])
        expect(
          await other.projections.update(one, { building: null, pace: null, retired: [], rebuildRequested: false }),
        ).toBe(true)
        expect(await projections.load(one)).toEqual({ ...initial(one), serving: 'users_v1_2', generation: 3 })
      })

      it('change only where they are as expected', async () => {
        const { projections } = store
        expect(await projections.update(mark, { generation: 2 })).toBe(false)
        await projections.create(initial(mark))
        expect(
          await projections.update(
            mark,
            { generation: 2, building: 'users_v1_2' },
            { serving: 'users_v1', building: null, generation: 1 },
          ),
        ).toBe(true)
        for (const expected of [
          { serving: 'users_v9' },
          { building: null },
          { generation: 1 },
          { serving: 'users_v1', generation: 1 },
        ])
          expect(await projections.update(mark, { serving: 'wrong' }, expected)).toBe(false)
        expect(await projections.load(mark)).toEqual({ ...initial(mark), generation: 2, building: 'users_v1_2' })
      })
    })

    it('keeps one dead letter for each event until it is deleted', async () => {
      const { deadLetters } = store
      const letter = {
        consumer: mark,
        stream: 'account-1',
        revision: 3,
        position: toPosition('10'),
        type: 'BalanceChanged',
        error: 'odd',
      }
      const earlier = { ...letter, stream: 'account-2', position: toPosition('9') }
      const elsewhere = { ...letter, consumer: `${mark}-other` }
      for (const each of [letter, earlier, elsewhere, { ...letter, error: 'odder' }]) await deadLetters.add(each)
      expect(await deadLetters.list(mark)).toEqual([earlier, { ...letter, error: 'odder' }])
      const all = await open().deadLetters.list()
      expect(all.filter(({ consumer }) => consumer.startsWith(mark))).toHaveLength(3)
      await deadLetters.delete(mark, { stream: 'account-1', revision: 2 })
      await deadLetters.delete(mark, earlier)
      expect(await deadLetters.list(mark)).toEqual([{ ...letter, error: 'odder' }])
      await deadLetters.add(earlier)
      await deadLetters.delete(mark)
      expect(await deadLetters.list(mark)).toEqual([])
      expect(await deadLetters.list(elsewhere.consumer)).toEqual([elsewhere])
      await deadLetters.delete(elsewhere.consumer)
    })

    describe('leases', () => {
      // A process of another machine: whether it still runs is unknown.
      const far = (name: string): string => `elsewhere.example:${process.pid}:${name}`

      it('have one owner at a time, which can renew them', async () => {
        const other = open()
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
        await vi.waitFor(async () => expect(await store.leases.acquire(mark, far('b'), 60_000)).toBe(true), {
          interval: 5,
        })
        expect(await store.leases.acquire(mark, far('a'), 60_000)).toBe(false)
      })

      it.each([3, 1_000, 10 ** 9])(
        'are free when someone took them for %i times as long as others do',
        async (times) => {
          await store.leases.acquire(mark, far('thief'), times * 200)
          await vi.waitFor(async () => expect(await store.leases.acquire(mark, far('b'), 200)).toBe(true), {
            timeout: 5_000,
          })
        },
      )

      it('go to one of many concurrent applicants', async () => {
        const others = [store, open(), open()]
        const answers = await Promise.all(
          Array.from({ length: 30 }, (_, n) => others[n % 3]?.leases.acquire(mark, far(String(n)), 60_000)),
        )
        expect(answers.filter(Boolean)).toHaveLength(1)
      })

      it('stay with an owner whose process runs', async () => {
        const owner = `${hostname()}:${process.ppid}:parent`
        expect(await store.leases.acquire(mark, owner, 60_000)).toBe(true)
        expect(await store.leases.acquire(mark, `${hostname()}:${process.pid}:${mark}`, 60_000)).toBe(false)
      })
    })

    it('is ready until it is closed', async () => {
      await store.documents.create({ name: `people_${mark}` })
      await store.ready()
      await expectClosed(
        store,
        () => store.ready(),
        () => store.documents.find(`people_${mark}`, { limit: 1 }),
        () => store.checkpoints.save(checkpointAt(mark, 1)),
      )
    })
  })
}
