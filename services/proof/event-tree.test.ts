import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  CheckpointBeyondEnd,
  type EventStore,
  type StoredEvent,
  toCheckpoint,
  toPosition,
} from '#infra/event-store/event-store.ts'
import { openSqliteTreeStore } from '#infra/tree-store/sqlite-tree-store.ts'
import type { TreeStore } from '#infra/tree-store/tree-store.ts'
import { seededRandom } from '#test-support/random-seed.ts'
import { createEventTree } from './event-tree.ts'
import { leafOfEvent } from './stored-event-bytes.ts'
import { MerkleTree } from '#test-support/merkle-tree.ts'
import { consistencyPath, inclusionPath, multiProof } from './tree-proofs.ts'

/** More than a block of the third layer. */
const MANY = 4_500

let folder: string
let store: TreeStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proofdesk-tree-'))
  store = openSqliteTreeStore(join(folder, 'tree.sqlite'))
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const random = seededRandom()

/** Events at consecutive positions, or with gaps between them, as in EventStoreDB. */
function eventsAt(count: number, gap: () => number): StoredEvent[] {
  let position = 0
  return Array.from({ length: count }, (_, n) => {
    position += gap()
    const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
    return {
      position: toPosition(String(position)),
      stream: 'account-a',
      revision: n,
      id,
      type: 'Happened',
      data: `{"n":${n}}`,
      metadata: '{}',
    }
  })
}

/** A log that ends after some events. */
const logOf = (events: readonly StoredEvent[]): Pick<EventStore, 'subscribe'> => ({
  async *subscribe(after, { signal }) {
    const from = Number(after ?? 0)
    if (from > events.length) throw new CheckpointBeyondEnd(toCheckpoint(String(from)), toPosition('0'))
    for (let next = from; !signal.aborted;) {
      const page = events.slice(next, next + 100)
      next += page.length
      const position = page.at(-1)?.position ?? toPosition('0')
      yield {
        events: page,
        checkpoint: toCheckpoint(String(next || 'begin')),
        position,
        caughtUp: next === events.length,
      }
    }
  },
})

const isOfSealing = ({ data }: StoredEvent) => data === 'sealing'

describe('the stored tree', () => {
  for (const [name, gap] of [
    ['without gaps', () => 1],
    ['with gaps', () => random.whole(1, 500)],
  ] as const)
    it(`has the hashes and indexes of the log, at positions ${name}`, async () => {
      const events = eventsAt(MANY, gap)
      const leaves = events.map(leafOfEvent)
      // Grown in several steps, each by another process.
      for (const size of [1, 15, 16, 17, 255, 256, 257, 900, 4_095, 4_096, 4_097, MANY]) {
        const tree = createEventTree(store)
        const state = await tree.follow(logOf(events.slice(0, size)), isOfSealing)
        expect(state).toMatchObject({ size, pending: size, position: events[size - 1]?.position })
        const whole = new MerkleTree(leaves.slice(0, size))
        expect(await tree.hashesOf([{ low: 0, high: size }])).toEqual([whole.root()])
        for (let times = 0; times < 5; times++) {
          const index = random.whole(0, size - 1)
          expect(await tree.hashesOf(inclusionPath(index, size))).toEqual(whole.inclusion(index))
          const first = random.whole(1, size)
          expect(await tree.hashesOf(consistencyPath(first, size))).toEqual(whole.consistency(first))
        }
        const indexes = [...new Set(Array.from({ length: 30 }, () => random.whole(0, size - 1)))].toSorted(
          (a, b) => a - b,
        )
        expect(await tree.indexesOf(indexes.map((index) => Number(events[index]?.position)))).toEqual(indexes)
        const proof = [...multiProof(indexes, size)]
        expect(await tree.hashesOf(proof)).toHaveLength(proof.length)
        expect(await tree.indexesOf([0, Number(events[size - 1]?.position) + 1])).toEqual([undefined, undefined])
      }
      const tree = createEventTree(store)
      const ids = await tree.idsOf(100, 120)
      expect(ids.map((id) => id.toString('hex'))).toEqual(
        events.slice(100, 120).map(({ id }) => id.replaceAll('-', '')),
      )
      const taken = new Set(events.map(({ position }) => Number(position)))
      const free = Array.from({ length: 2_000 }, (_, n) => n + 1).filter((position) => !taken.has(position))
      expect(new Set(await tree.indexesOf(free))).toEqual(new Set(free.length > 0 ? [undefined] : []))
    })

  it('counts up to the last event that waits for a checkpoint', async () => {
    const events = eventsAt(20, () => 1).map((event, n) => (n < 12 ? event : { ...event, data: 'sealing' }))
    const tree = createEventTree(store)
    expect(await tree.follow(logOf(events), isOfSealing)).toMatchObject({ size: 20, pending: 12 })
    expect(await tree.follow(logOf(events), isOfSealing)).toMatchObject({ size: 20, pending: 12 })
  })

  it('is empty for an empty log', async () => {
    const tree = createEventTree(store)
    expect(await tree.follow(logOf([]), isOfSealing)).toBeUndefined()
    expect(await tree.indexesOf([1])).toEqual([undefined])
    await expect(tree.hashesOf([{ low: 0, high: 1 }])).rejects.toThrow(RangeError)
  })

  it('is the same when two processes append to it, one of them late', async () => {
    const events = eventsAt(1_000, () => 1)
    const root = new MerkleTree(events.map(leafOfEvent)).root()
    const [one, other] = [createEventTree(store), createEventTree(openSqliteTreeStore(join(folder, 'tree.sqlite')))]
    await Promise.all([one.follow(logOf(events.slice(0, 700)), isOfSealing), other.follow(logOf(events), isOfSealing)])
    await one.follow(logOf(events), isOfSealing)
    expect(await one.hashesOf([{ low: 0, high: 1_000 }])).toEqual([root])
  })

  it('is made again for a log that ends before it', async () => {
    const events = eventsAt(300, () => 1)
    const tree = createEventTree(store)
    await tree.follow(logOf(events), isOfSealing)
    const other = eventsAt(200, () => 2)
    expect(await tree.follow(logOf(other), isOfSealing)).toMatchObject({ size: 200 })
    expect(await tree.hashesOf([{ low: 0, high: 200 }])).toEqual([new MerkleTree(other.map(leafOfEvent)).root()])
  })
})
