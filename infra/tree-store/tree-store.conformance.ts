import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { expectClosed, type StorePlace, useStores } from '#test-support/store-suite.ts'
import { toCheckpoint, toPosition } from '#infra/event-store/event-store.ts'
import type { TreeBlock, TreeState, TreeStore } from './tree-store.ts'

const block = (key: number, size: number): TreeBlock => ({ key, size, content: new Uint8Array(randomBytes(1_344)) })
const stateAt = (size: number): TreeState => ({
  size,
  pending: Math.max(0, size - 1),
  position: toPosition(String(size * 100)),
  checkpoint: toCheckpoint(`after ${size}`),
})
/** Keys of higher layers are larger than 32 bits. */
const HIGH = 3 * 2 ** 40

/** The promises of every tree store. */
export function treeStoreConformance(name: string, prepare: () => Promise<StorePlace<TreeStore>>): void {
  describe(name, () => {
    const { open } = useStores(prepare)
    let store: TreeStore
    beforeEach(() => {
      store = open()
    })

    it('is empty at first', async () => {
      expect(await store.state()).toBeUndefined()
      expect(await store.read([0, HIGH])).toEqual(new Map())
      expect(await store.read([])).toEqual(new Map())
    })

    it('returns blocks byte for byte and the state, also to others', async () => {
      const blocks = [block(0, 20), block(7, 20), block(HIGH, 20)]
      await store.write(blocks, stateAt(20))
      for (const each of [store, open()]) {
        expect(await each.state()).toEqual(stateAt(20))
        expect(await each.read([0, 7, 8, HIGH])).toEqual(new Map(blocks.map((one) => [one.key, one])))
        expect([...(await each.read([7])).keys()]).toEqual([7])
      }
    })

    it('keeps what was written for a larger tree', async () => {
      const [older, newer] = [block(1, 20), block(1, 30)]
      const late = open()
      await store.write([newer], stateAt(30))
      await late.write([older, block(2, 20)], stateAt(20))
      expect(await store.state()).toEqual(stateAt(30))
      expect((await store.read([1])).get(1)).toEqual(newer)
      expect((await store.read([2])).get(2)?.size).toBe(20)
      const newest = block(1, 40)
      await late.write([newest], stateAt(40))
      expect((await store.read([1])).get(1)).toEqual(newest)
    })

    it('moves the checkpoint of a tree of the same size', async () => {
      await store.write([], stateAt(20))
      const moved = { ...stateAt(20), checkpoint: toCheckpoint('a later one') }
      await store.write([], moved)
      expect(await store.state()).toEqual(moved)
    })

    it('takes the writes of two at once', async () => {
      const other = open()
      const blocksOf = (size: number) => Array.from({ length: 40 }, (_, key) => block(key, size))
      await Promise.all([store.write(blocksOf(50), stateAt(50)), other.write(blocksOf(60), stateAt(60))])
      expect((await store.state())?.size).toBe(60)
      const sizes = [...(await store.read(Array.from({ length: 40 }, (_, key) => key))).values()].map(
        ({ size }) => size,
      )
      expect(sizes).toEqual(Array(40).fill(60))
    })

    it('can be cleared and filled again', async () => {
      await store.write([block(0, 20)], stateAt(20))
      await store.clear()
      expect([await store.state(), (await store.read([0])).size]).toEqual([undefined, 0])
      await store.write([block(0, 5)], stateAt(5))
      expect([(await store.state())?.size, (await store.read([0])).size]).toEqual([5, 1])
    })

    it('refuses everything once it is closed', async () => {
      await expectClosed(
        store,
        () => store.state(),
        () => store.read([0]),
        () => store.write([block(0, 1)], stateAt(1)),
        () => store.clear(),
      )
    })
  })
}
