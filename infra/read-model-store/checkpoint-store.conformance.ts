import { beforeEach, describe, expect, it } from 'vitest'
import { type Position, toCheckpoint, toPosition } from '../event-store/event-store.ts'
import type { StoreUnderTest } from './store-under-test.conformance.ts'
import type { ReadModelStore } from './read-model-store.ts'

const at = (position: number): Position => toPosition(String(position))
const savedAt = (position: number) => ({ checkpoint: toCheckpoint(`checkpoint ${position}`), position: at(position) })
const checkpointAt = (consumer: string, position: number) => ({ consumer, ...savedAt(position) })

/** What every checkpoint store promises, together with the documents that are written with a checkpoint. */
export function checkpointStoreConformance(underTest: () => StoreUnderTest): void {
  describe('checkpoints', () => {
    let store: ReadModelStore
    let another: StoreUnderTest['another']
    let mark: string
    let collection: string

    beforeEach(async () => {
      ;({ store, another, mark } = underTest())
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
      const all = await (await another()).checkpoints.loadAll()
      expect([all.get(one), all.get(two)]).toEqual([savedAt(6), savedAt(7)])
      await store.checkpoints.delete(one)
      await store.checkpoints.delete(one)
      expect(await store.checkpoints.load(one)).toBeUndefined()
      expect((await store.checkpoints.loadAll()).has(one)).toBe(false)
      expect(await store.checkpoints.load(two)).toEqual(savedAt(7))
    })

    it('are saved together, also when one of them would move back', async () => {
      await store.checkpoints.save(checkpointAt(`one-${mark}`, 5), checkpointAt(`two-${mark}`, 5))
      await store.checkpoints.save(checkpointAt(`one-${mark}`, 4), checkpointAt(`two-${mark}`, 6))
      expect([await store.checkpoints.load(`one-${mark}`), await store.checkpoints.load(`two-${mark}`)]).toEqual([savedAt(5), savedAt(6)])
      await store.checkpoints.save()
    })

    it('never move back, also when a paused worker saves late', async () => {
      await store.documents.create({ name: collection })
      const late = await another()
      await store.checkpoints.save(checkpointAt(mark, 10))
      await late.checkpoints.save(checkpointAt(mark, 9))
      expect(await store.checkpoints.load(mark)).toEqual(savedAt(10))
      expect(await late.documents.write(collection, [made('0', 3)], checkpointAt(mark, 3))).toEqual([])
      expect(await store.checkpoints.load(mark)).toEqual(savedAt(10))
      await late.checkpoints.save(checkpointAt(mark, 11))
      expect(await store.checkpoints.load(mark)).toEqual(savedAt(11))
    })

    it('are saved with documents, and not when a write is refused', async () => {
      await store.documents.create({ name: collection })
      expect(await store.documents.write(collection, [made('0', 1)], checkpointAt(mark, 1))).toEqual([])
      expect(await store.checkpoints.load(mark)).toEqual(savedAt(1))
      expect(await store.documents.write(collection, [made('0', 2), made('1', 2)], checkpointAt(mark, 2))).toEqual(['0'])
      expect(await store.checkpoints.load(mark)).toEqual(savedAt(1))
      expect((await store.documents.read(collection, ['0', '1'])).size).toBe(2)
      expect(await store.documents.write(collection, [], checkpointAt(mark, 3))).toEqual([])
      expect(await store.checkpoints.load(mark)).toEqual(savedAt(3))
    })

    it('wake waiting callers of this store and another', async () => {
      await store.documents.create({ name: collection })
      const other = await another()
      const waiting = [store.checkpoints.saved(60_000), store.checkpoints.saved(60_000), other.checkpoints.saved(60_000)]
      await store.checkpoints.save(checkpointAt(mark, 1))
      await Promise.all(waiting)
      const again = [store.checkpoints.saved(60_000), other.checkpoints.saved(60_000)]
      await other.documents.write(collection, [made('0', 2)], checkpointAt(mark, 2))
      await Promise.all(again)
    })

    it('wake for nothing else, and only once', async () => {
      await store.documents.create({ name: collection })
      const other = await another()
      await store.checkpoints.save(checkpointAt(mark, 1))
      const woken: string[] = []
      const waits = [store, other].map((each, n) => each.checkpoints.saved(1_000).then(() => woken.push(`store ${n}`)))
      await other.projections.create({ projection: mark, serving: 'a', building: null, retired: [], generation: 1, rebuildRequested: false, pace: null })
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
      const other = await another()
      const waiting = other.checkpoints.saved(60_000)
      await other.close()
      await waiting
    })
  })
}
