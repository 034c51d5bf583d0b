import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toCheckpoint, toPosition } from '../event-store/event-store.ts'
import { Unavailable } from '../failures.ts'
import { checkpointStoreConformance } from './checkpoint-store.conformance.ts'
import { deadLetterStoreConformance } from './dead-letter-store.conformance.ts'
import { documentStoreConformance } from './document-store.conformance.ts'
import { leaseStoreConformance } from './lease-store.conformance.ts'
import { projectionStoreConformance } from './projection-store.conformance.ts'
import type { ReadModelStore } from './read-model-store.ts'
import type { OpenedReadModelStore, StoreUnderTest } from './store-under-test.conformance.ts'

/** What every read-model store promises, on any backend. */
export function readModelStoreConformance(name: string, open: () => Promise<OpenedReadModelStore>): void {
  describe(name, () => {
    const stores: ReadModelStore[] = []
    let opened: OpenedReadModelStore
    let mark: string

    beforeEach(async () => {
      opened = await open()
      stores.push(opened.store)
      mark = randomUUID().slice(0, 8)
    })
    afterEach(async () => {
      for (const store of stores.splice(0)) await store.close()
      await opened.remove?.()
    })
    const underTest = (): StoreUnderTest => ({
      store: opened.store,
      mark,
      async another() {
        const other = await opened.reopen()
        stores.push(other)
        return other
      },
    })

    documentStoreConformance(underTest)
    checkpointStoreConformance(underTest)
    projectionStoreConformance(underTest)
    deadLetterStoreConformance(underTest)
    leaseStoreConformance(underTest)

    it('is ready until it is closed', async () => {
      const { store } = underTest()
      await store.documents.create({ name: `people_${mark}` })
      await store.ready()
      await store.close()
      await store.close()
      await expect(store.ready()).rejects.toThrow(Unavailable)
      await expect(store.documents.find(`people_${mark}`, { limit: 1 })).rejects.toThrow(Unavailable)
      await expect(store.checkpoints.save({ consumer: mark, checkpoint: toCheckpoint('1'), position: toPosition('1') })).rejects.toThrow(Unavailable)
    })
  })
}
