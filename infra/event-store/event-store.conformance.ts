import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { expectClosed, type StorePlace, useStores } from '#test-support/store-suite.ts'
import { Unavailable } from '#infra/failures.ts'
import {
  CheckpointBeyondEnd,
  comparePositions,
  start,
  toCheckpoint,
  WrongRevision,
  type Appended,
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
      it('lets one of fifty concurrent appends succeed', async () => {
        await store.append(stream, 'none', [opened(0)])
        const outcomes = await Promise.allSettled(
          Array.from({ length: 50 }, (_, n) => store.append(stream, 0, [opened(n + 1)])),
        )
        const won = outcomes.flatMap((outcome, n) => (outcome.status === 'fulfilled' ? [n + 1] : []))
        expect(won).toHaveLength(1)
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected')
            expect(outcome.reason).toMatchObject({ name: 'WrongRevision', expected: 0, actual: 1 })
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
        expect(await readAll(store, name)).toEqual([
          { ...event, stream: name, revision: 0, position: expect.any(String) },
        ])
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
        for (const append of invalid)
          await expect(store.append(...append), JSON.stringify(append)).rejects.toThrow(TypeError)
        expect(await readAll(store, stream)).toEqual([])
      })
    })

    describe('a repeated append', () => {
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

    describe('subscribe', () => {
      it('reports that it has caught up with an empty log', async () => {
        expect(await nextOf(batches())).toMatchObject({ events: [], caughtUp: true })
        expect(await store.end()).toBe(start)
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

      it('ends without an error whenever it is aborted', async () => {
        await store.append(stream, 'none', range(20).map(opened))
        for (let turns = -1; turns < 30; turns++) {
          const abort = new AbortController()
          if (turns < 0) abort.abort()
          const read = async (): Promise<number[]> => {
            const seen: number[] = []
            for await (const { events } of store.subscribe(undefined, { signal: abort.signal, batchSize: 3 }))
              seen.push(...numbers(events))
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

    it('appends, refuses, repeats, reads and delivers any mix of appends', async () => {
      const other = open()
      let after: Checkpoint | undefined

      /** Appends to one stream, and to no other revision than its own. Returns the events and the answers. */
      const write = async (name: string, appends: readonly { readonly count: number; readonly wrong: number }[]) => {
        const written: EventToAppend[] = []
        const answers = new Map<string, Appended>()
        const repeats: (() => Promise<void>)[] = []
        for (const { count, wrong } of appends) {
          const [expected, refused] = [before(written.length), before(wrong)]
          if (refused !== expected) {
            const failure = await failureOf(store.append(name, refused, [opened(9)]))
            expect(failure).toBeInstanceOf(WrongRevision)
            expect(failure).toMatchObject({ stream: name, expected: refused, actual: expected })
          }
          const events = range(count, written.length).map(opened)
          const answer = await store.append(name, expected, events)
          written.push(...events)
          expect(answer.revision).toBe(written.length - 1)
          answers.set(events.at(-1)?.id ?? '', answer)
          repeats.push(async () => expect(await other.append(name, expected, events)).toEqual(answer))
        }
        for (const repeat of repeats) await repeat()
        return { name, written, answers }
      }

      const run = async (
        writers: readonly Parameters<typeof write>[1][],
        batchSize: number,
        chosen: number,
      ): Promise<void> => {
        const mark = randomUUID()
        const streams = await Promise.all(
          writers.map((appends, n) => write(`${n % 2 ? 'user' : 'account'}-${n}-${mark}`, appends)),
        )
        const total = streams.reduce((sum, { written }) => sum + written.length, 0)

        const iterator = batches(after, batchSize)
        const seen: StoredEvent[] = []
        const resumes: { readonly from: Checkpoint; readonly skipped: number }[] = []
        let reached = start
        for (let isCaughtUp = false; !isCaughtUp || seen.length < total;) {
          const { events, checkpoint, position, caughtUp } = await nextOf(iterator)
          expect(events.length).toBeLessThanOrEqual(batchSize)
          seen.push(...events)
          expect(comparePositions(position, events.at(-1)?.position ?? reached)).toBeGreaterThanOrEqual(0)
          expect(comparePositions(position, reached)).toBeGreaterThanOrEqual(0)
          resumes.push({ from: checkpoint, skipped: seen.length })
          reached = position
          isCaughtUp = caughtUp
          after = checkpoint
        }
        await iterator.return?.()
        expect(inOrder(seen)).toBe(true)
        expect(seen).toHaveLength(total)
        const end = await store.end()
        if (total > 0) expect(end).toBe(seen.at(-1)?.position)

        const { from, skipped } = resumes[chosen % resumes.length] ?? { from: after, skipped: total }
        // A stored checkpoint is text.
        const resumed = batches(from && toCheckpoint(String(from)), undefined, other)
        expect(await untilCaughtUp(resumed)).toEqual(seen.slice(skipped))
        await resumed.return?.()

        for (const { name, written, answers } of streams) {
          const stored = seen.filter((event) => event.stream === name)
          expect(stored).toEqual(
            written.map((event, revision) => ({ ...event, stream: name, revision, position: expect.any(String) })),
          )
          expect(
            stored.flatMap(({ id, revision, position }) => (answers.has(id) ? [{ revision, position }] : [])),
          ).toEqual([...answers.values()])
          for (const first of [0, chosen, total + 1])
            expect(await readAll(other, name, first)).toEqual(stored.slice(first))
        }
      }
      const append = fc.record({ count: fc.integer({ min: 1, max: 4 }), wrong: fc.nat(9) })
      const writers = fc.array(fc.array(append, { maxLength: 6 }), { minLength: 1, maxLength: 5 })
      await fc.assert(fc.asyncProperty(writers, fc.integer({ min: 1, max: 20 }), fc.nat(15), run), { numRuns: 20 })
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
  return events.every(
    ({ position }, n) => n === 0 || comparePositions(events[n - 1]?.position ?? position, position) < 0,
  )
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
