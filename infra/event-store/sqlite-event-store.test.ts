import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { openSqlite } from '#infra/sqlite/sqlite.ts'
import { collect } from '#test-support/sample-events.ts'
import { newFolder } from '#test-support/store-suite.ts'
import { eventStoreConformance } from './event-store.conformance.ts'
import {
  CheckpointBeyondEnd,
  start,
  toCheckpoint,
  WrongRevision,
  type EventStore,
  type EventToAppend,
  type StoredEvent,
} from './event-store.ts'
import { openSqliteEventStore } from './sqlite-event-store.ts'

eventStoreConformance('event store in SQLite', async () => ({
  ...(await newFolder((folder) => openSqliteEventStore(join(folder, 'events.db')))),
  checkpointBeyondEnd: toCheckpoint('1000000'),
}))

describe('event store in SQLite, within one process', () => {
  let folder: string
  let path: string
  const stores: EventStore[] = []
  let reading = new AbortController()

  const open = (): EventStore => {
    const store = openSqliteEventStore(path)
    stores.push(store)
    return store
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'proofdesk-events-'))
    path = join(folder, 'events.db')
    reading = new AbortController()
  })
  afterEach(async () => {
    reading.abort()
    for (const store of stores.splice(0)) await store.close()
    rmSync(folder, { recursive: true })
  })

  describe('appends of one group commit', () => {
    it('see each other', async () => {
      const store = open()
      const [a, b, c] = [opened(), opened(), opened()] as const
      const outcomes = await Promise.allSettled([
        store.append('account-1', 'none', [a]),
        store.append('account-1', 0, [b]),
        store.append('account-1', 0, [c]),
        store.append('account-1', 'none', [a]),
        store.append('account-1', 1, [c]),
        store.append('account-1', 0, [b, c]),
      ])
      expect(outcomes).toMatchObject([
        { value: { revision: 0, position: '1' } },
        { value: { revision: 1, position: '2' } },
        { reason: { name: 'WrongRevision', expected: 0, actual: 1 } },
        { value: { revision: 0, position: '1' } },
        { value: { revision: 2, position: '3' } },
        // The same events in a row, though from two appends, count as a repetition.
        { value: { revision: 2, position: '3' } },
      ])
      expect((await readAll(store, 'account-1')).map(({ id }) => id)).toEqual([a.id, b.id, c.id])
    })

    it('do not affect each other', async () => {
      const store = open()
      const outcomes = await Promise.allSettled(
        Array.from({ length: 1000 }, (_, n) =>
          store.append(`account-${n}`, n % 10 === 3 ? 7 : 'none', Array.from({ length: (n % 4) + 1 }, opened)),
        ),
      )
      for (const [n, outcome] of outcomes.entries()) {
        if (n % 10 === 3) expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(WrongRevision) })
        else expect(outcome).toMatchObject({ status: 'fulfilled', value: { revision: n % 4 } })
      }
      const expected = outcomes.flatMap((_, n) =>
        n % 10 === 3 ? [] : range((n % 4) + 1).map((revision) => [`account-${n}`, revision]),
      )
      const seen: unknown[] = []
      for await (const { events, caughtUp } of store.subscribe(undefined, { signal: reading.signal })) {
        seen.push(...events.map(({ stream, revision }) => [stream, revision]))
        if (caughtUp) reading.abort()
      }
      expect(seen).toEqual(expected)
    })

    it('all fail when the commit fails, and later ones succeed', async () => {
      const store = open()
      const events = Array.from({ length: 5 }, opened)
      const attempts = (): Promise<unknown>[] => events.map((event, n) => store.append(`account-${n}`, 'none', [event]))
      // A missing table is neither a disk failure nor an append's fault.
      const meddler = openSqlite(path, { part: 'test', durability: 'normal' })
      meddler.exec('ALTER TABLE events RENAME TO elsewhere')
      for (const outcome of await Promise.allSettled(attempts())) {
        expect(outcome).toMatchObject({ reason: { name: 'Unavailable', part: 'event store' } })
      }
      meddler.exec('ALTER TABLE elsewhere RENAME TO events')
      meddler.close()
      expect(await store.end()).toBe(start)
      await Promise.all(attempts())
      expect(await store.end()).toBe('5')
    })
  })

  it('is unavailable for appends, reads and subscriptions when its file is damaged', async () => {
    const before = open()
    await before.append('account-1', 'none', Array.from({ length: 300 }, opened))
    await before.close()
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(32_768, 0xff), 0, 32_768, 4096)
    closeSync(file)
    const store = open()
    await expect(store.append('account-1', 299, [opened()])).rejects.toThrow(Unavailable)
    await expect(readAll(store, 'account-1')).rejects.toThrow(Unavailable)
    await expect(store.end()).rejects.toThrow(Unavailable)
    const subscription = store.subscribe(undefined, { signal: reading.signal })[Symbol.asyncIterator]()
    await expect(subscription.next()).rejects.toThrow(Unavailable)
  })

  describe('rows that nobody appended', () => {
    const tamper = (sql: string) => {
      const database = openSqlite(path, { part: 'test', durability: 'full' })
      database.exec(sql)
      database.close()
    }
    const far = ['9007199254740991', '9223372036854775807', '1000000000000'] as const
    const positions = async (store: EventStore): Promise<number[]> => {
      for await (const { events } of store.subscribe(undefined, { signal: reading.signal }))
        return events.map(({ position }) => Number(position))
      return []
    }
    const row = (position: string | number, stream = 'account-9', revision = 0) =>
      `INSERT INTO events VALUES (${position}, '${stream}', ${revision}, '${randomUUID()}', 'AccountOpened', '{}', '{}')`

    it.each(far)('at position %s stop no append, are delivered to nobody, and are named', async (position) => {
      const store = open()
      await store.append('account-1', 'none', [opened(), opened()])
      tamper(row(position))
      tamper(row(`${position} - 1`, 'account-1', 7))
      for (const [n, each] of [store, open()].entries()) {
        expect(await each.append(`account-${n + 2}`, 'none', [opened()])).toMatchObject({ revision: 0 })
        expect(Number(await each.end())).toBe(3 + n)
        expect(await positions(each)).toEqual(Array.from({ length: 3 + n }, (_, before) => before + 1))
        const pages = await collect(each.readStream('account-1'))
        expect(pages.flat().map(({ revision }) => revision)).toEqual([0, 1])
        expect((await each.strays?.(start))?.map(({ kind }) => kind)).toEqual(['outside', 'outside'])
      }
    })

    it.each([
      ['in the middle', 'DELETE FROM events WHERE position = 3', 'event 3 is missing'],
      ['of two events', 'DELETE FROM events WHERE position IN (2, 3)', 'events 2 to 3 are missing'],
      ['of a row that was moved to the end', 'UPDATE events SET position = 9 WHERE position = 4', 'event 4 is missing'],
    ])('leave a gap that is named: %s', async (_, change, says) => {
      const store = open()
      await store.append('account-1', 'none', [opened(), opened(), opened(), opened(), opened()])
      expect(await store.strays?.(start)).toEqual([])
      tamper(change)
      expect((await store.strays?.(start))?.[0]).toEqual({ kind: 'gap', says })
    })

    it.each([
      [
        'ignored',
        "CREATE TRIGGER t BEFORE INSERT ON events WHEN NEW.type = 'AccountOpened' BEGIN SELECT RAISE(IGNORE); END",
      ],
      ['removed', 'CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events WHERE id = NEW.id; END'],
      ['changed', "CREATE TRIGGER t AFTER INSERT ON events BEGIN UPDATE events SET type = 'X' WHERE id = NEW.id; END"],
    ])('are no triggers: no append is answered that one would have %s', async (_, trigger) => {
      const store = open()
      await store.append('account-1', 'none', [opened()])
      tamper(trigger)
      await expect(store.append('account-1', 0, [opened()])).rejects.toThrow(Unavailable)
      await expect(store.ready()).rejects.toThrow(Unavailable)
      expect(() => open()).toThrow(Unavailable)
      tamper('DROP TRIGGER t')
      expect(await store.append('account-1', 0, [opened()])).toMatchObject({ revision: 1 })
    })
  })

  it('refuses a checkpoint beyond the end of the log', async () => {
    const store = open()
    await store.append('account-1', 'none', [opened(), opened()])
    const subscribe = async (after: string): Promise<unknown> =>
      store.subscribe(toCheckpoint(after), { signal: reading.signal })[Symbol.asyncIterator]().next()
    await expect(subscribe('3')).rejects.toThrow(CheckpointBeyondEnd)
    await expect(subscribe('3')).rejects.toThrow('The event log ends at 2, before the checkpoint 3')
    expect(await subscribe('2')).toMatchObject({
      value: { events: [], checkpoint: '2', position: '2', caughtUp: true },
    })
  })

  it('yields to other work while it reads a long log', async () => {
    const store = open()
    await store.append('account-1', 'none', Array.from({ length: 5000 }, opened))
    let turns = 0
    let counting = setImmediate(function count() {
      turns++
      counting = setImmediate(count)
    })
    for await (const { caughtUp } of store.subscribe(undefined, { signal: reading.signal, batchSize: 10 })) {
      if (caughtUp) reading.abort()
    }
    expect(turns).toBeGreaterThan(400)
    turns = 0
    for await (const _ of store.readStream('account-1'));
    expect(turns).toBeGreaterThanOrEqual(4)
    clearImmediate(counting)
  })

  it('wakes a subscription at once for appends of this process', async () => {
    const [store, other] = [open(), open()]
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    try {
      const iterator = store.subscribe(undefined, { signal: reading.signal })[Symbol.asyncIterator]()
      const expectNext = async (position: string): Promise<void> =>
        expect(await iterator.next()).toMatchObject({
          value: { events: position === '0' ? [] : [{ position }], position },
        })
      await expectNext('0')
      for (const [n, from] of [store, other, store].entries()) {
        await Promise.all([expectNext(String(2 * n + 1)), from.append(`account-${n}`, 'none', [opened()])])
        // The reader is busy with that event while another arrives.
        await from.append(`account-${n}`, 0, [opened()])
        await expectNext(String(2 * n + 2))
      }
    } finally {
      vi.useRealTimers()
    }
  })

  describe('shared with another process', () => {
    it("delivers the other's appends to a waiting subscription", async () => {
      const store = open()
      const seen: StoredEvent[] = []
      let child: Child | undefined
      for await (const { events, caughtUp } of store.subscribe(undefined, { signal: reading.signal })) {
        if (caughtUp) child ??= startAppending(path, 'account-child', 50)
        seen.push(...events)
        if (seen.length === 200) reading.abort()
      }
      for (let writer = 0; writer < 4; writer++) {
        expect(revisionsOf(seen, `account-child-${writer}`)).toEqual(range(50))
      }
      await child?.ended
    })

    it('appends concurrently in one order', async () => {
      const store = open()
      const children = [startAppending(path, 'account-a', 100), startAppending(path, 'account-b', 100)]
      const seen: StoredEvent[] = []
      const reader = (async () => {
        for await (const { events } of store.subscribe(undefined, { signal: reading.signal })) {
          seen.push(...events)
          if (seen.length === 900) reading.abort()
        }
      })()
      for (let n = 0; n < 100; n++) await store.append('account-c', n === 0 ? 'none' : n - 1, [opened()])
      await Promise.all([reader, ...children.map(({ ended }) => ended)])
      expect(seen.map(({ position }) => position)).toEqual(Array.from({ length: 900 }, (_, n) => String(n + 1)))
      for (const stream of new Set(seen.map((event) => event.stream))) {
        expect(revisionsOf(seen, stream)).toEqual(range(100))
      }
    })

    it('loses no acknowledged append when the other is killed', async () => {
      const store = open()
      for (let round = 0; round < 5; round++) {
        const child = startAppending(path, `account-${round}`)
        const acknowledged = new Map<string, number>()
        for await (const line of child.lines) {
          const [stream = '', revision] = line.split(' ')
          acknowledged.set(stream, Number(revision))
          // Kill it at work; its earlier output is still read.
          if ([...acknowledged.values()].every((last) => last > 20 * round) && acknowledged.size === 4) child.kill()
        }
        await child.ended
        expect(acknowledged.size).toBe(4)
        for (const [stream, last] of acknowledged) {
          const revisions = (await readAll(store, stream)).map(({ revision }) => revision)
          expect(revisions.length).toBeGreaterThan(last)
          expect(revisions).toEqual(range(revisions.length))
          await store.append(stream, revisions.length - 1, [opened()])
        }
      }
    })
  })
})

interface Child {
  readonly lines: AsyncIterable<string>
  readonly ended: Promise<unknown>
  kill(): void
}

function startAppending(path: string, prefix: string, each?: number): Child {
  const script = fileURLToPath(new URL('appending.child.ts', import.meta.url))
  const process_: ChildProcessByStdio<null, Readable, null> = spawn(
    process.execPath,
    ['--import', 'tsx', script, path, prefix, ...(each === undefined ? [] : [String(each)])],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const lines = createInterface({ input: process_.stdout })
  return { lines, ended: once(process_, 'close'), kill: () => process_.kill('SIGKILL') }
}

function opened(): EventToAppend {
  return { id: randomUUID(), type: 'AccountOpened', data: '{"n":1}', metadata: '{}' }
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n)
}

function revisionsOf(events: readonly StoredEvent[], stream: string): number[] {
  return events.filter((event) => event.stream === stream).map(({ revision }) => revision)
}

async function readAll(store: EventStore, stream: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  for await (const page of store.readStream(stream)) events.push(...page)
  return events
}
