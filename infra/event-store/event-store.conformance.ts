import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { expectClosed, type StorePlace, useStores } from '../../test-support/store-suite.ts'
import { Unavailable } from '../failures.ts'
import {
  CheckpointBeyondEnd,
  comparePositions,
  start,
  toCheckpoint,
  WrongRevision,
  type Checkpoint,
  type EventBatch,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type StoredEvent,
} from './event-store.ts'

/** An empty log, and a checkpoint as a longer log would have given it. */
export interface EventStorePlace extends StorePlace<EventStore> {
  readonly checkpointBeyondEnd: Checkpoint
}

/** The promises of every event store. */
export function eventStoreConformance(name: string, prepare: () => Promise<EventStorePlace>): void {
  describe(name, () => {
    const { place, open } = useStores(prepare)
    let store: EventStore
    let stream: string
    let reading: AbortController

    beforeEach(() => {
      store = open()
      stream = `account-${randomUUID()}`
      reading = new AbortController()
    })
    afterEach(() => reading.abort())

    const batches = (after?: Checkpoint, batchSize?: number, from = store): AsyncIterator<EventBatch> =>
      from.subscribe(after, { signal: reading.signal, ...(batchSize ? { batchSize } : {}) })[Symbol.asyncIterator]()

    describe('append', () => {
      it('creates a stream, then continues at its revision', async () => {
        const first = await store.append(stream, 'none', [opened(1), opened(2)])
        expect(first.revision).toBe(1)
        const second = await store.append(stream, 1, [opened(3)])
        expect(second.revision).toBe(2)
        expect(comparePositions(first.position, second.position)).toBeLessThan(0)
        const events = await readAll(store, stream)
        expect(events.map(({ revision }) => revision)).toEqual([0, 1, 2])
        expect(events[1]?.position).toBe(first.position)
        expect(events[2]?.position).toBe(second.position)
      })

      it('refuses every revision but the stream’s, which it names', async () => {
        const refused = async (expected: ExpectedRevision, actual: ExpectedRevision): Promise<void> => {
          const failure = await failureOf(store.append(stream, expected, [opened(9)]))
          expect(failure).toBeInstanceOf(WrongRevision)
          expect(failure).toMatchObject({ stream, expected, actual })
        }
        await refused(0, 'none')
        await store.append(stream, 'none', range(3).map(opened))
        for (const expected of ['none', 0, 1, 3] as const) await refused(expected, 2)
        expect(await readAll(store, stream)).toHaveLength(3)
      })

      it('keeps streams apart', async () => {
        const other = `account-${randomUUID()}`
        await store.append(stream, 'none', [opened(1)])
        await store.append(other, 'none', [opened(2)])
        await store.append(stream, 0, [opened(3)])
        expect(numbers(await readAll(store, stream))).toEqual([1, 3])
        expect(numbers(await readAll(store, other))).toEqual([2])
      })

      it('lets one of fifty concurrent appends succeed', async () => {
        await store.append(stream, 'none', [opened(0)])
        const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => store.append(stream, 0, [opened(n + 1)])))
        const won = outcomes.flatMap((outcome, n) => (outcome.status === 'fulfilled' ? [n + 1] : []))
        expect(won).toHaveLength(1)
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ name: 'WrongRevision', expected: 0, actual: 1 })
        }
        expect(numbers(await readAll(store, stream))).toEqual([0, ...won])
      })

      it('keeps events byte for byte', async () => {
        const event: EventToAppend = {
          id: randomUUID(),
          type: 'Zażółć-gęślą_jaźń 1',
          data: '{ "b" : 1.0,\n\t"a":  "\\u0000 \\ud83e żółw 🦔 \u2028 \u00e9 e\u0301",  "a": 1e400, "z": 12345678901234567890 }\r\n',
          metadata: ' [ null,true , "" ] ',
        }
        const name = `${stream} żółw 🦔/:?#%`
        await store.append(name, 'none', [event])
        expect(await readAll(store, name)).toEqual([{ ...event, stream: name, revision: 0, position: expect.any(String) }])
        const again = open()
        expect(await readAll(again, name)).toMatchObject([event])
        expect(await upTo(batches(undefined, undefined, again), 1)).toMatchObject([event])
      })

      it('keeps large events', async () => {
        const data = JSON.stringify({ text: 'żółw '.repeat(40_000) })
        await store.append(stream, 'none', [{ ...opened(0), data }])
        expect((await readAll(store, stream))[0]?.data).toBe(data)
      })

      it('refuses invalid events completely', async () => {
        const one = opened(1)
        const invalid: Parameters<EventStore['append']>[] = [
          [stream, 'none', []],
          [stream, 'none', [{ ...one, type: '' }]],
          [stream, 'none', [one, { ...opened(2), id: '' }]],
          [stream, 'none', [{ ...one, id: 'not-a-uuid' }]],
          [stream, 'none', [{ ...one, id: randomUUID().toUpperCase().replace(/^./, 'A') }]],
          [stream, 'none', [{ ...one, id: ` ${randomUUID()}` }]],
          [stream, 'none', [{ ...one, type: '$metadata' }]],
          [stream, 'none', [{ ...one, data: '"\0"' }]],
          ['', 'none', [one]],
          ['$streams', 'none', [one]],
          [stream, -1, [one]],
          [stream, 0.5, [one]],
        ]
        for (const append of invalid) await expect(store.append(...append), JSON.stringify(append)).rejects.toThrow(TypeError)
        expect(await readAll(store, stream)).toEqual([])
      })
    })

    describe('a repeated append', () => {
      it('returns the first result and writes nothing', async () => {
        const events = [opened(1), opened(2)]
        const first = await store.append(stream, 'none', events)
        expect(await store.append(stream, 'none', events)).toEqual(first)
        const next = [opened(3)]
        const second = await store.append(stream, 1, next)
        expect(await store.append(stream, 1, next)).toEqual(second)
        expect(numbers(await readAll(store, stream))).toEqual([1, 2, 3])
      })

      it('returns it also after later events and a restart', async () => {
        const events = [opened(1), opened(2)]
        const first = await store.append(stream, 'none', events)
        await store.append(stream, 1, [opened(3)])
        expect(await store.append(stream, 'none', events)).toEqual(first)
        await store.close()
        const again = open()
        expect(await again.append(stream, 'none', events)).toEqual(first)
        expect(numbers(await readAll(again, stream))).toEqual([1, 2, 3])
      })

      it('returns it also when both run at once', async () => {
        await store.append(stream, 'none', [opened(0)])
        const events = [opened(1), opened(2)]
        const outcomes = await Promise.all(Array.from({ length: 10 }, () => store.append(stream, 0, events)))
        expect(new Set(outcomes.map(({ position }) => position)).size).toBe(1)
        expect(numbers(await readAll(store, stream))).toEqual([0, 1, 2])
      })

      it('is refused when it differs', async () => {
        const [a, b, c] = [opened(1), opened(2), opened(3)] as const
        await store.append(stream, 'none', [a, b])
        for (const events of [[b], [b, a], [a, b, c], [a, c], [c]]) {
          const failure = await failureOf(store.append(stream, 'none', events))
          expect(failure).toMatchObject({ name: 'WrongRevision', expected: 'none', actual: 1 })
        }
        expect(numbers(await readAll(store, stream))).toEqual([1, 2])
      })

      it('is a new append when it expects the current revision', async () => {
        const event = opened(1)
        await store.append(stream, 'none', [event])
        expect(await store.append(stream, 0, [event])).toMatchObject({ revision: 1 })
        const other = `account-${randomUUID()}`
        expect(await store.append(other, 'none', [event])).toMatchObject({ revision: 0 })
        expect(numbers(await readAll(store, stream))).toEqual([1, 1])
      })
    })

    describe('readStream', () => {
      it('returns no page for an unknown stream or beyond its end', async () => {
        expect(await pagesOf(store, stream)).toEqual([])
        expect(await pagesOf(store, stream, 5)).toEqual([])
        await store.append(stream, 'none', [opened(0), opened(1)])
        expect(await pagesOf(store, stream, 2)).toEqual([])
        expect(await pagesOf(store, stream, 1000)).toEqual([])
      })

      it('starts at the requested revision', async () => {
        await store.append(stream, 'none', range(5).map(opened))
        expect(numbers(await readAll(store, stream, 0))).toEqual([0, 1, 2, 3, 4])
        expect(numbers(await readAll(store, stream, 3))).toEqual([3, 4])
        expect(numbers(await readAll(store, stream, 4))).toEqual([4])
      })

      it('returns a long stream in pages', async () => {
        for (let n = 0; n < 2500; n += 500) {
          await store.append(stream, before(n), range(500, n).map(opened))
        }
        const pages = await pagesOf(store, stream)
        expect(pages.length).toBeGreaterThan(1)
        expect(pages.every((page) => page.length > 0)).toBe(true)
        expect(numbers(pages.flat())).toEqual(range(2500))
        expect(pages.flat().every(({ revision }, n) => revision === n)).toBe(true)

        const seen: StoredEvent[] = []
        for await (const page of store.readStream(stream, 10)) {
          if (seen.length === 0) await store.append(stream, 2499, [opened(2500)])
          seen.push(...page)
        }
        expect(numbers(seen).slice(0, 2490)).toEqual(range(2490, 10))
        expect([[], [2500]]).toContainEqual(numbers(seen).slice(2490))
      })

      it('can be stopped early', async () => {
        await store.append(stream, 'none', range(1500).map(opened))
        for await (const page of store.readStream(stream)) {
          expect(page[0]?.revision).toBe(0)
          break
        }
        expect(await readAll(store, stream)).toHaveLength(1500)
      })
    })

    describe('end', () => {
      it('is the start for an empty log, then the position of the last event', async () => {
        expect(await store.end()).toBe(start)
        const { position } = await store.append(stream, 'none', [opened(1), opened(2)])
        expect(await store.end()).toBe(position)
        const later = await store.append(`account-${randomUUID()}`, 'none', [opened(3)])
        expect(await store.end()).toBe(later.position)
        await failureOf(store.append(stream, 'none', [opened(4)]))
        expect(await store.end()).toBe(later.position)
        expect(await open().end()).toBe(later.position)
      })
    })

    describe('subscribe', () => {
      it('reports that it has caught up with an empty log', async () => {
        const batch = await nextOf(batches())
        expect(batch).toMatchObject({ events: [], caughtUp: true })
      })

      it('delivers all events in order, then reports that it has caught up', async () => {
        const expected: string[] = []
        for (let n = 0; n < 30; n++) {
          const event = opened(n)
          await store.append(n % 3 === 0 ? stream : `user-${n}-${stream}`, n % 3 === 0 && n > 0 ? n / 3 - 1 : 'none', [event])
          expected.push(event.id)
        }
        const seen = await untilCaughtUp(batches())
        expect(seen.map(({ id }) => id)).toEqual(expected)
        expect(inOrder(seen)).toBe(true)
        expect(seen.filter((event) => event.stream === stream).map(({ revision }) => revision)).toEqual(range(10))
      })

      it('respects the batch size', async () => {
        await store.append(stream, 'none', range(12).map(opened))
        const iterator = batches(undefined, 4)
        const seen: number[] = []
        for (;;) {
          const batch = await nextOf(iterator)
          expect(batch.events.length).toBeLessThanOrEqual(4)
          seen.push(...numbers(batch.events))
          if (batch.caughtUp) break
          expect(batch.events.length > 0 || seen.length < 12).toBe(true)
        }
        expect(seen).toEqual(range(12))
      })

      it('reports its position with each batch', async () => {
        await store.append(stream, 'none', range(10).map(opened))
        const iterator = batches(undefined, 3)
        let before = start
        for (let seen = 0; seen < 10;) {
          const { events, position } = await nextOf(iterator)
          seen += events.length
          const last = events.at(-1)
          if (last) expect(comparePositions(position, last.position)).toBeGreaterThanOrEqual(0)
          expect(comparePositions(position, before)).toBeGreaterThanOrEqual(0)
          before = position
        }
        expect(comparePositions(before, await store.end())).toBeGreaterThanOrEqual(0)
      })

      it('resumes exactly after any of its checkpoints', async () => {
        await store.append(stream, 'none', range(10).map(opened))
        const iterator = batches(undefined, 3)
        const checkpoints: { after: Checkpoint; seen: number }[] = []
        for (let seen = 0; seen < 10;) {
          const batch = await nextOf(iterator)
          seen += batch.events.length
          checkpoints.push({ after: batch.checkpoint, seen })
        }
        const again = open()
        for (const { after, seen } of checkpoints) {
          // A stored checkpoint is text.
          const kept = toCheckpoint(String(after))
          const rest = numbers(await untilCaughtUp(batches(kept, undefined, again)))
          expect(rest).toEqual(range(10 - seen, seen))
        }
        await again.append(stream, 9, [opened(10)])
        const last = checkpoints.at(-1)?.after
        expect(numbers(await upTo(batches(last, undefined, again), 1))).toEqual([10])
      })

      it.each([
        ['itself', () => store],
        ['another store on the same log', () => open()],
      ])('delivers what %s appends while it waits', async (_, writer) => {
        const iterator = batches()
        await untilCaughtUp(iterator)
        const appending = writer()
        for (let n = 0; n < 20; n++) {
          const waiting = upTo(iterator, 1)
          await appending.append(stream, before(n), [opened(n)])
          expect(numbers(await waiting)).toEqual([n])
        }
      })

      it('delivers each event once to slow and fast readers', async () => {
        const total = 600
        const writing = Promise.all(
          Array.from({ length: 6 }, async (_, writer) => {
            for (let n = 0; n < total / 6; n++) await store.append(`${stream}-${writer}`, before(n), [opened(n)])
          }),
        )
        const slow = async (): Promise<StoredEvent[]> => {
          const iterator = batches(undefined, 7)
          const seen: StoredEvent[] = []
          while (seen.length < total) {
            seen.push(...(await nextOf(iterator)).events)
            for (let n = 0; n < 20; n++) await turn()
          }
          return seen
        }
        const [fast, slowly] = await Promise.all([upTo(batches(), total), slow(), writing])
        for (const seen of [fast, slowly]) {
          expect(inOrder(seen)).toBe(true)
          expect(new Set(seen.map(({ id }) => id)).size).toBe(total)
          for (let writer = 0; writer < 6; writer++) {
            const own = seen.filter((event) => event.stream === `${stream}-${writer}`)
            expect(numbers(own)).toEqual(range(total / 6))
          }
        }
        expect(slowly).toEqual(fast)
      })

      it('delivers nothing when already aborted', async () => {
        await store.append(stream, 'none', [opened(1)])
        reading.abort()
        expect(await batches().next()).toEqual({ done: true, value: undefined })
      })

      it('ends without an error when it is aborted while it waits', async () => {
        const iterator = batches()
        await untilCaughtUp(iterator)
        const waiting = iterator.next()
        // Nothing arrives, so it is waiting by now.
        for (let n = 0; n < 10; n++) await turn()
        reading.abort()
        // An empty batch may have been in transit.
        const outcome = await waiting
        expect(outcome.done ? [] : outcome.value.events).toEqual([])
        expect(await iterator.next()).toEqual({ done: true, value: undefined })
      })

      it('ends without an error when it is aborted between batches', async () => {
        await store.append(stream, 'none', range(50).map(opened))
        const seen: number[] = []
        for await (const { events } of store.subscribe(undefined, { signal: reading.signal, batchSize: 5 })) {
          seen.push(...numbers(events))
          if (seen.length >= 10) reading.abort()
        }
        expect(seen).toEqual(range(seen.length))
        expect(seen.length).toBeGreaterThanOrEqual(10)
      })

      it('ends without an error whenever it is aborted', async () => {
        await store.append(stream, 'none', range(20).map(opened))
        for (let turns = 0; turns < 30; turns++) {
          const abort = new AbortController()
          const read = async (): Promise<number[]> => {
            const seen: number[] = []
            for await (const { events } of store.subscribe(undefined, { signal: abort.signal, batchSize: 3 })) seen.push(...numbers(events))
            return seen
          }
          const done = read()
          for (let n = 0; n < turns; n++) await turn()
          abort.abort()
          const seen = await done
          expect(seen).toEqual(range(seen.length))
        }
      })

      it('can be stopped by its reader', async () => {
        await store.append(stream, 'none', [opened(1), opened(2)])
        for await (const batch of store.subscribe(undefined, { signal: reading.signal })) {
          if (batch.events.length > 0) break
        }
        expect(numbers(await upTo(batches(), 2))).toEqual([1, 2])
      })

      it('refuses a checkpoint beyond the end, and a foreign one', async () => {
        const { checkpointBeyondEnd: checkpoint } = place()
        expect(await failureOf(batches(checkpoint).next())).toBeInstanceOf(CheckpointBeyondEnd)
        const { position } = await store.append(stream, 'none', [opened(1)])
        const failure = await failureOf(batches(checkpoint).next())
        expect(failure).toBeInstanceOf(CheckpointBeyondEnd)
        expect(failure).toMatchObject({ checkpoint, end: position })
        expect(await failureOf(batches(toCheckpoint('the day before yesterday')).next())).toBeInstanceOf(TypeError)
      })
    })

    it('delivers every event once and in order, for any mix of appends', async () => {
      let after: Checkpoint | undefined
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ stream: fc.nat(4), events: fc.integer({ min: 1, max: 4 }) }), { minLength: 1, maxLength: 30 }),
          fc.integer({ min: 1, max: 20 }),
          async (appends, batchSize) => {
            const run = randomUUID()
            const written = new Map<string, string[]>()
            // Parallel streams, each in its order.
            const outcomes = await Promise.all(
              Array.from({ length: 5 }, async (_, n) => {
                const name = `account-${n}-${run}`
                const ids: string[] = []
                const positions: [string, string][] = []
                for (const { events: count } of appends.filter((append) => append.stream === n)) {
                  const events = range(count, ids.length).map(opened)
                  const { revision, position } = await store.append(name, before(ids.length), events)
                  ids.push(...events.map(({ id }) => id))
                  expect(revision).toBe(ids.length - 1)
                  positions.push([ids.at(-1) ?? '', position])
                }
                if (ids.length > 0) written.set(name, ids)
                return positions
              }),
            )

            const total = [...written.values()].flat().length
            const iterator = batches(after, batchSize)
            const seen: StoredEvent[] = []
            while (seen.length < total) {
              const batch = await nextOf(iterator)
              seen.push(...batch.events)
              after = batch.checkpoint
            }
            expect(seen).toHaveLength(total)
            expect(inOrder(seen)).toBe(true)
            for (const [name, ids] of written) {
              const ofStream = seen.filter((event) => event.stream === name)
              expect(ofStream.map(({ id }) => id)).toEqual(ids)
              expect(ofStream.every(({ revision }, n) => revision === n)).toBe(true)
              expect(await readAll(store, name)).toEqual(ofStream)
            }
            const positions = new Map<string, string>(seen.map(({ id, position }) => [id, position]))
            for (const [id, position] of outcomes.flat()) expect(positions.get(id)).toBe(position)
            await iterator.return?.()
          },
        ),
        { numRuns: 20 },
      )
    })

    describe('close', () => {
      it('completes appends in progress', async () => {
        const appending = Array.from({ length: 20 }, (_, n) => store.append(`${stream}-${n}`, 'none', [opened(n)]))
        await store.close()
        const outcomes = await Promise.allSettled(appending)
        expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'fulfilled'))
        expect(await untilCaughtUp(batches(undefined, undefined, open()))).toHaveLength(20)
      })

      it('makes later calls and waiting subscriptions unavailable', async () => {
        await store.ready()
        await store.append(stream, 'none', [opened(1)])
        const iterator = batches()
        await untilCaughtUp(iterator)
        const waiting = failureOf(nextEvents(iterator))
        for (let n = 0; n < 10; n++) await turn()
        await expectClosed(
          store,
          () => store.append(stream, 0, [opened(2)]),
          () => readAll(store, stream),
          () => store.end(),
          () => store.ready(),
          () => batches().next(),
        )
        expect(await waiting).toBeInstanceOf(Unavailable)
      })
    })
  })
}

function opened(n: number): EventToAppend {
  return { id: randomUUID(), type: 'AccountOpened', data: JSON.stringify({ n }), metadata: '{}' }
}

/** The revision of a stream with so many events. */
function before(count: number): ExpectedRevision {
  return count === 0 ? 'none' : count - 1
}

function range(count: number, from = 0): number[] {
  return Array.from({ length: count }, (_, n) => from + n)
}

function numbers(events: readonly StoredEvent[]): number[] {
  return events.map(({ data }) => Number(/^{"n":(\d+)}$/.exec(data)?.[1]))
}

function inOrder(events: readonly StoredEvent[]): boolean {
  return events.every(({ position }, n) => n === 0 || comparePositions(events[n - 1]?.position ?? position, position) < 0)
}

async function pagesOf(store: EventStore, stream: string, from?: number): Promise<StoredEvent[][]> {
  const pages: StoredEvent[][] = []
  for await (const page of store.readStream(stream, from)) pages.push(page)
  return pages
}

async function readAll(store: EventStore, stream: string, from?: number): Promise<StoredEvent[]> {
  return (await pagesOf(store, stream, from)).flat()
}

async function nextOf(iterator: AsyncIterator<EventBatch>): Promise<EventBatch> {
  const { done, value } = await iterator.next()
  if (done) throw new Error('The subscription ended')
  return value
}

/** The next batch with events. */
async function nextEvents(iterator: AsyncIterator<EventBatch>): Promise<readonly StoredEvent[]> {
  for (;;) {
    const { events } = await nextOf(iterator)
    if (events.length > 0) return events
  }
}

async function upTo(iterator: AsyncIterator<EventBatch>, count: number): Promise<StoredEvent[]> {
  const seen: StoredEvent[] = []
  while (seen.length < count) seen.push(...(await nextEvents(iterator)))
  return seen
}

async function untilCaughtUp(iterator: AsyncIterator<EventBatch>): Promise<StoredEvent[]> {
  const seen: StoredEvent[] = []
  for (;;) {
    const { events, caughtUp } = await nextOf(iterator)
    seen.push(...events)
    if (caughtUp) return seen
  }
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (outcome) => new Error(`Expected a failure, got ${JSON.stringify(outcome)}`),
    (error: unknown) => error,
  )
}
