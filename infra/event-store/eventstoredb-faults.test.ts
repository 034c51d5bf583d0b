import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { EventStoreDBClient } from '@eventstore/db-client'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { type EventStoreDouble, startDouble } from '#test-support/eventstoredb-double/double.ts'
import { promptly } from '#test-support/promptly.ts'
import { until } from '#test-support/until.ts'
import {
  CheckpointBeyondEnd,
  type Checkpoint,
  type EventBatch,
  type EventStore,
  type EventToAppend,
  type StoredEvent,
  start,
  toCheckpoint,
} from './event-store.ts'
import { limits } from './eventstoredb-connection.ts'
import { openEventStoreDb } from './eventstoredb-event-store.ts'
import { jittered } from '#infra/async.ts'

/** In ms: the maximum delay for a caller during an outage, and an allowance for a busy machine. */
const TIMEOUT_MS = 4_000
const SLACK = 3_000

describe('event store in EventStoreDB, during failures', () => {
  let double: EventStoreDouble
  let store: EventStore
  let reading: AbortController
  let drops: { readonly at: number; readonly error: unknown }[]
  const stores: EventStore[] = []

  const open = (prefixes = ['account-'], url = double.url): EventStore => {
    const opened = openEventStoreDb(url, {
      prefixes,
      onDrop: (error) => drops.push({ at: performance.now(), error }),
    })
    stores.push(opened)
    return opened
  }
  beforeEach(async () => {
    drops = []
    reading = new AbortController()
    double = await startDouble()
    store = open()
  })
  afterEach(async () => {
    reading.abort()
    await Promise.all(stores.splice(0).map((opened) => opened.close()))
    await double.close()
  })

  const subscribe = (after?: Checkpoint, batchSize?: number, from = store): AsyncIterator<EventBatch> =>
    from.subscribe(after, { signal: reading.signal, ...(batchSize ? { batchSize } : {}) })[Symbol.asyncIterator]()
  /** Events of other writers in the same log. */
  const others = (count: number, stream = 'other-1'): void => {
    for (let n = 0; n < count; n++) double.log.append(stream, 'any', [foreign()])
  }

  describe('an append', () => {
    it('whose answer is lost is retried and stored once', async () => {
      await store.append('account-1', 'none', [opened()])
      const events = [opened(), opened()]
      double.relay.loseAnswers()
      const appended = store.append('account-1', 0, events)
      await waitUntil(() => double.log.stream('account-1')?.length === 3)
      double.relay.cut()
      expect(await appended).toMatchObject({ revision: 2 })
      expect(await idsOf(store, 'account-1')).toHaveLength(3)
    })

    it('fails at once while the server is down, and is stored once', async () => {
      const events = [opened()]
      const first = await store.append('account-1', 'none', events)
      double.kill()
      await inTime(expect(store.append('account-1', 0, [opened()])).rejects.toThrow(Unavailable))
      await inTime(expect(store.ready()).rejects.toThrow(Unavailable))
      await inTime(expect(idsOf(store, 'account-1')).rejects.toThrow(Unavailable))
      await double.restart()
      // A restarted server remembers no ids: the exact revision identifies the append.
      await expect
        .poll(() => store.append('account-1', 'none', events).catch(() => undefined), { timeout: 60_000 })
        .toEqual(first)
      expect(await idsOf(store, 'account-1')).toEqual(events.map(({ id }) => id))
    })

    it('fails in time while the server hangs, and recovers', async () => {
      await store.append('account-1', 'none', [opened()])
      double.relay.freeze()
      const events = [opened()]
      await inTime(expect(store.append('account-1', 0, events)).rejects.toThrow(Unavailable))
      const refusals = async () => {
        for (let n = 0; n < 20; n++) {
          await expect(store.append('account-1', 0, events)).rejects.toThrow(Unavailable)
          await expect(store.end()).rejects.toThrow(Unavailable)
        }
      }
      await promptly(refusals(), 2_000)
      double.relay.thaw()
      await expect
        .poll(
          () =>
            store.append('account-1', 0, events).then(
              ({ revision }) => revision,
              () => undefined,
            ),
          { timeout: 60_000 },
        )
        .toBe(1)
      expect(await idsOf(store, 'account-1')).toHaveLength(2)
    })

    it('that gets no answer fails alone', async () => {
      await store.append('account-1', 'none', [opened()])
      const events = [opened()]
      double.answersToLose = 1
      const lost = store.append('account-1', 0, events).catch((error: unknown) => error)
      let goesOn = true
      void lost.then(() => delay(500)).then(() => (goesOn = false))
      const others: string[] = []
      for (let n = 0; goesOn && !others.includes('rejected'); n++) {
        const [appended] = await Promise.allSettled([store.append(`account-other-${n}`, 'none', [opened()])])
        const [read] = await Promise.allSettled([store.end()])
        others.push(appended.status, read.status)
      }
      expect(await lost).toBeInstanceOf(Unavailable)
      expect(others.filter((status) => status === 'rejected')).toEqual([])
      expect(await store.append('account-1', 0, events)).toMatchObject({ revision: 1 })
      expect(await idsOf(store, 'account-1')).toHaveLength(2)
    })

    it('fails in time while the server hangs and disconnects repeatedly', async () => {
      await store.append('account-1', 'none', [opened()])
      double.relay.freeze()
      const cutting = setInterval(() => double.relay.cut(), 2_600)
      await promptly(expect(store.append('account-1', 0, [opened()])).rejects.toThrow(Unavailable), 5_000)
      clearInterval(cutting)
      double.relay.thaw()
    })

    it('over 1 MiB is refused without breaking others', async () => {
      const ofSize = (bytes: number): EventToAppend => ({
        ...opened(),
        type: 'T',
        metadata: '',
        data: 'x'.repeat(bytes - 2),
      })
      const alongside = Array.from({ length: 20 }, (_, n) => store.append(`account-beside-${n}`, 'none', [opened()]))
      await expect(store.append('account-1', 'none', [ofSize(17 << 20)])).rejects.toThrow(TypeError)
      await expect(store.append('account-1', 'none', [ofSize(1_048_577)])).rejects.toThrow(TypeError)
      expect(await store.append('account-1', 'none', [ofSize(1_048_576)])).toMatchObject({ revision: 0 })
      await expect(
        store.append(
          'account-1',
          0,
          Array.from({ length: 11 }, () => ofSize(100_000)),
        ),
      ).rejects.toThrow(TypeError)
      expect(await Promise.all(alongside)).toHaveLength(20)
    })

    it("keeps its order among a client's first appends", async () => {
      await Promise.all(Array.from({ length: 100 }, (_, n) => store.append(`account-${n}`, 'none', [opened()])))
      const order = double.log.events.flatMap(({ stream }) => (stream.startsWith('account-') ? [stream] : []))
      expect(order).toEqual(Array.from({ length: 100 }, (_, n) => `account-${n}`))
    })

    it('recovers when the server fails to report its features', async () => {
      double.featuresToFail = 1
      await store
        .append('account-1', 'none', [opened()])
        .catch((error: unknown) => expect(error).toBeInstanceOf(Unavailable))
      expect(await store.append('account-2', 'none', [opened()])).toMatchObject({ revision: 0 })
    })

    it('succeeds again after an outage in which no host of a cluster was found', async () => {
      await store.close()
      store = open(undefined, double.clusterUrl)
      await store.append('account-1', 'none', [opened()])
      double.kill()
      // The client looks for a host ten times, 100 ms apart.
      const event = opened()
      const failures = Array.from({ length: 5 }, () => store.append('account-1', 0, [event]))
      for (const failed of await inTime(Promise.allSettled(failures)))
        expect(failed).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) })
      await double.restart()
      const isReady = () =>
        store.ready().then(
          () => true,
          () => false,
        )
      await expect.poll(isReady, { timeout: 60_000 }).toBe(true)
      expect(await store.append('account-1', 0, [event])).toMatchObject({ revision: 1 })
      expect(await idsOf(store, 'account-1')).toHaveLength(2)
    })

    it('counts for whether the store is ready, and asking writes nothing', async () => {
      await store.ready()
      expect(double.calls.map(({ kind }) => kind)).toEqual(['read', 'append'])
      expect(double.log.events.filter(({ stream }) => !stream.startsWith('$'))).toEqual([])
    })

    it('is refused for streams without our prefixes', async () => {
      await expect(store.append('other-1', 'none', [opened()])).rejects.toThrow(TypeError)
      expect(double.log.stream('other-1')).toBeUndefined()
    })

    it('can use only one server per process', () => {
      const { servers } = limits
      // Files that need several servers raise the limit for the worker that they share with this one.
      limits.servers = 1
      try {
        expect(() => openEventStoreDb('esdb://127.0.0.1:1?tls=false', { prefixes: ['account-'] })).toThrow(
          'one EventStoreDB only',
        )
      } finally {
        limits.servers = servers
      }
    })
  })

  it('is stored once if acknowledged, through cut connections and kills', async () => {
    let [writing, refused] = [true, 0]
    const acknowledged = Array.from({ length: 32 }, (): string[] => [])
    const writers = acknowledged.map(async (ids, writer) => {
      while (writing) {
        const event = opened()
        await until(async () => {
          const result = await store
            .append(`account-${writer}`, ids.length === 0 ? 'none' : ids.length - 1, [event])
            .catch((error: unknown) => error)
          if (!(result instanceof Error)) return true
          expect(result).toBeInstanceOf(Unavailable)
          refused += 1
          return false
        }, 'the event to be stored')
        ids.push(event.id)
      }
    })
    const total = () => acknowledged.reduce((sum, ids) => sum + ids.length, 0)
    const more = async (): Promise<void> => {
      const before = total()
      await waitUntil(() => total() >= before + 100)
    }
    const seen = collect(subscribe())
    await more()
    for (let round = 0; round < 2; round++) {
      double.relay.cut()
      await more()
      double.relay.loseAnswers()
      await waitUntil(() => double.relay.withholds())
      double.relay.cut()
      await more()
      const before = refused
      double.kill()
      await waitUntil(() => refused > before)
      await double.restart()
      await more()
    }
    await double.stop()
    await double.restart()
    await more()
    writing = false
    await Promise.all(writers)
    for (const [writer, ids] of acknowledged.entries()) expect(await idsOf(store, `account-${writer}`)).toEqual(ids)
    await waitUntil(() => seen.length >= total())
    expect(seen.map(({ id }) => id)).toEqual(
      double.log.events.flatMap(({ stream, id }) => (stream.startsWith('account-') ? [id] : [])),
    )
  })

  describe('a subscription', () => {
    const breaks: Record<string, () => Promise<void>> = {
      'a connection that is cut': async () => double.relay.cut(),
      'a server that is killed and comes back': async () => {
        double.kill()
        await waitUntil(() => drops.length > 1)
        await double.restart()
      },
      'a server that is stopped and comes back': async () => {
        await double.stop()
        await double.restart()
      },
      'an end without an error': async () => double.endSubscriptions(),
      'a network that has become slow': async () => double.relay.delay(20),
      'a network that hangs for a while': async () => {
        double.relay.freeze()
        const asked = store.end().catch(() => {})
        await waitUntil(() => double.relay.withholds())
        double.relay.thaw()
        await asked
      },
    }
    for (const [name, broken] of Object.entries(breaks))
      it(`resumes after ${name} without loss or repetition`, async () => {
        await store.append('account-1', 'none', [opened(), opened()])
        const seen = collect(subscribe())
        await waitUntil(() => seen.length === 2)
        await broken()
        for (let revision = 1; revision < 20; revision++)
          await expect
            .poll(
              () =>
                store.append('account-1', revision, [{ ...opened(), id: numbered(revision) }]).then(
                  () => true,
                  () => false,
                ),
              { timeout: 60_000 },
            )
            .toBe(true)
        await waitUntil(() => seen.length >= 21)
        expect(seen.map(({ revision }) => revision)).toEqual(Array.from({ length: 21 }, (_, n) => n))
      })

    it('is resumed with growing, jittered delays', async () => {
      await store.append('account-1', 'none', [opened()])
      const seen = collect(subscribe())
      await waitUntil(() => seen.length === 1)
      double.kill()
      await waitUntil(() => drops.length >= 6)
      // At least half of 50, 100, 200, 400 and 800 ms.
      expect((drops.at(5)?.at ?? 0) - (drops[0]?.at ?? 0)).toBeGreaterThan(770)
      const waits = Array.from({ length: 100 }, () => jittered(1000))
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(500)
      expect(Math.max(...waits)).toBeLessThanOrEqual(1000)
      expect(new Set(waits).size).toBeGreaterThan(50)
    })

    it('is resumed as soon as an append succeeds', async () => {
      await store.append('account-1', 'none', [opened()])
      const seen = collect(subscribe())
      await waitUntil(() => seen.length === 1)
      double.kill()
      // From here on, the next delays are the longest.
      await waitUntil(() => drops.length >= 8)
      await double.restart()
      await store.append('account-1', 0, [opened()])
      await promptly(
        waitUntil(() => seen.length === 2),
        2_500,
      )
    })

    it('that is catching up reports in time that the log is unavailable', async () => {
      await store.append('account-1', 'none', [opened()])
      double.relay.freeze()
      await inTime(expect(subscribe().next()).rejects.toThrow(Unavailable))
      double.relay.thaw()
      double.kill()
      await inTime(expect(subscribe().next()).rejects.toThrow(Unavailable))
    })

    it('waits for a slow reader and delivers everything in order', async () => {
      const iterator = subscribe(undefined, 7)
      await iterator.next()
      for (let n = 0; n < 4; n++) await store.append(`account-${n}`, 'none', Array.from({ length: 500 }, opened))
      const seen: StoredEvent[] = []
      while (seen.length < 2000) {
        const { value } = await iterator.next()
        seen.push(...value.events)
        if (seen.length % 70 === 0) await delay(1)
      }
      expect(seen.map(({ stream, revision }) => [stream, revision])).toEqual(
        Array.from({ length: 2000 }, (_, n) => [`account-${Math.floor(n / 500)}`, n % 500]),
      )
    })

    it('keeps both halves of a checkpoint', async () => {
      await store.append('account-1', 'none', [opened()])
      others(2_000)
      const checkpoint = await caughtUp(subscribe())
      expect(checkpoint).toMatch(/^\d+\/0$/)
      const [position] = checkpoint.split('/')
      const both = open(['account-', 'other-'])
      const { value } = await subscribe(checkpoint, undefined, both).next()
      expect(value.events[0]).toMatchObject({ position, stream: 'other-1' })
    })

    it("skips other writers' events and moves its checkpoint", async () => {
      await store.append('account-1', 'none', [opened()])
      const iterator = subscribe()
      const before = await caughtUp(iterator)
      others(1_100)
      const { value } = await iterator.next()
      expect(value.events).toEqual([])
      expect(Number(value.checkpoint.split('/')[0])).toBeGreaterThan(Number(before.split('/')[0]))
    })

    it('fails when the log is wiped while it waits', async () => {
      await store.append('account-1', 'none', Array.from({ length: 50 }, opened))
      const iterator = subscribe()
      await caughtUp(iterator)
      const next = iterator.next()
      double.kill()
      await double.restart({ wiped: true })
      await expect(next).rejects.toThrow(CheckpointBeyondEnd)
    })

    it('refuses a checkpoint of another log', async () => {
      const { position } = await store.append('account-1', 'none', [opened()])
      await store.append('account-1', 0, [opened()])
      const between = String(Number(position) + 1)
      await expect(subscribe(toCheckpoint(`${between}/${between}`)).next()).rejects.toThrow(CheckpointBeyondEnd)
    })

    it('leaves capacity for reads; excess subscriptions fail', async () => {
      const iterators = Array.from({ length: 60 }, () => subscribe())
      const first = await Promise.allSettled(iterators.map((iterator) => iterator.next()))
      expect(first.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
      for (const outcome of first) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(Unavailable)
      await inTime(store.append('account-1', 'none', [opened()]))
      expect(await inTime(idsOf(store, 'account-1'))).toHaveLength(1)
      await iterators.find((_, n) => first[n]?.status === 'fulfilled')?.return?.()
      expect(await subscribe().next()).toMatchObject({ done: false })
    })
  })

  describe('a stream that another writer', () => {
    const three = () => Array.from({ length: 3 }, opened)
    const stranger = () => {
      const client = EventStoreDBClient.connectionString(double.url)
      onTestFinished(() => client.dispose())
      return client
    }
    const revisions = async (stream: string): Promise<number[]> => {
      const found: number[] = []
      for await (const page of store.readStream(stream)) found.push(...page.map(({ revision }) => revision))
      return found
    }

    it('deleted for ever is empty, takes no event, and is named', async () => {
      await store.append('account-1', 'none', three())
      await stranger().tombstoneStream('account-1')
      expect(await revisions('account-1')).toEqual([])
      for (const expected of [2, 'none'] as const)
        await expect(store.append('account-1', expected, [opened()])).rejects.toMatchObject({
          name: 'WrongRevision',
          actual: 'none',
        })
      expect(await store.hidingOrders?.()).toEqual([{ stream: 'account-1', says: 'was deleted for ever' }])
    })

    it('made hide its events is named, also before it hides any', async () => {
      const client = stranger()
      for (const name of ['one', 'two', 'three', 'four', 'five', 'six', 'seven'])
        await store.append(`account-${name}`, 'none', three())
      expect(await store.hidingOrders?.()).toEqual([])
      await client.deleteStream('account-one')
      await client.setStreamMetadata('account-two', { maxCount: 1 })
      await client.setStreamMetadata('account-three', { truncateBefore: 1 })
      await client.setStreamMetadata('account-four', { maxAge: 86_400 })
      await client.setStreamMetadata('account-five', { acl: { readRoles: ['$all'] } })
      await client.setStreamMetadata('account-six', { maxCount: 1 })
      await client.setStreamMetadata('account-six', {})
      await client.setStreamMetadata('other-1', { maxCount: 1 })
      expect(await revisions('account-one')).toEqual([])
      expect(await revisions('account-two')).toEqual([2])
      expect(await revisions('account-three')).toEqual([1, 2])
      expect(await revisions('account-four')).toEqual([0, 1, 2])
      expect(await store.hidingOrders?.()).toEqual([
        { stream: 'account-one', says: expect.stringMatching(/^has metadata that hides events: \{"\$tb":9223/) },
        { stream: 'account-two', says: 'has metadata that hides events: {"$maxCount":1}' },
        { stream: 'account-three', says: 'has metadata that hides events: {"$tb":1}' },
        { stream: 'account-four', says: 'has metadata that hides events: {"$maxAge":86400}' },
      ])
    })
  })

  describe('an event of another writer', () => {
    it('does not count as the end', async () => {
      others(50)
      expect(await store.end()).toBe(start)
      const { position } = await store.append('account-1', 'none', [opened()])
      others(5_000)
      expect(await store.end()).toBe(position)
      others(5)
      expect(await store.end()).toBe(position)
      expect(await store.checkpointAtEnd()).toBe(`${position}/${position}`)
      const later = await store.append('account-1', 0, [opened()])
      expect(await store.end()).toBe(later.position)
      double.kill()
      await double.restart({ wiped: true })
      await expect.poll(() => store.end().catch(() => undefined), { timeout: 60_000 }).toBe(start)
    })

    it('is passed on as text, even in our streams', async () => {
      const json = { ...foreign(), contentType: 'application/json' }
      double.log.append('account-1', 'any', [
        { ...json, id: randomUUID(), data: Buffer.from('{"n":'), metadata: Buffer.from('no json') },
        { ...json, id: randomUUID(), data: Buffer.from('"text"') },
        { ...json, id: randomUUID(), contentType: 'application/octet-stream', data: Buffer.from([255]) },
        { ...json, id: randomUUID(), type: '$streamDeleted' },
        { ...json, id: randomUUID(), type: '$>' },
        { ...json, id: randomUUID(), data: Buffer.from('{"n":1}'), metadata: Buffer.from('{}') },
      ])
      const expected = [
        { data: '{"n":', metadata: 'no json' },
        { data: 'text', metadata: '' },
        { data: '\ufffd' },
        { data: '{"n":1}', metadata: '{}' },
      ]
      const seen: StoredEvent[] = []
      const iterator = subscribe()
      while (seen.length < 4) seen.push(...(await iterator.next()).value.events)
      expect(seen).toMatchObject(expected)
      const read: StoredEvent[] = []
      for await (const page of store.readStream('account-1')) read.push(...page)
      expect(read.filter(({ type }) => !type.startsWith('$'))).toMatchObject(expected)
    })

    it('differs from ours, which are plain JSON to other tools', async () => {
      await store.append('account-1', 'none', [
        { ...opened(), data: '{"amount":"250.00"}', metadata: '{"actor":"trader"}' },
      ])
      const [event] = double.log.stream('account-1') ?? []
      expect(event).toMatchObject({ contentType: 'application/json' })
      expect([event?.data, event?.metadata].map(String)).toEqual(['{"amount":"250.00"}', '{"actor":"trader"}'])
    })
  })
})

/** Fails when the call takes longer than an outage may cost. */
function inTime<Outcome>(work: Promise<Outcome>): Promise<Outcome> {
  return promptly(work, TIMEOUT_MS + SLACK)
}

async function waitUntil(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { timeout: 60_000, interval: 10 }).toBe(true)
}

/** Collects everything delivered. */
function collect(iterator: AsyncIterator<EventBatch>): StoredEvent[] {
  const seen: StoredEvent[] = []
  void (async () => {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) seen.push(...next.value.events)
  })().catch(() => {})
  return seen
}

/** The checkpoint at the end of the log. */
async function caughtUp(iterator: AsyncIterator<EventBatch>): Promise<Checkpoint> {
  for (;;) {
    const { value } = await iterator.next()
    if (value.caughtUp) return value.checkpoint
  }
}

async function idsOf(store: EventStore, stream: string): Promise<string[]> {
  const ids: string[] = []
  for await (const page of store.readStream(stream)) ids.push(...page.map(({ id }) => id))
  return ids
}

function opened(): EventToAppend {
  return { id: randomUUID(), type: 'AccountOpened', data: '{"n":1}', metadata: '{}' }
}

function foreign() {
  return {
    id: randomUUID(),
    type: 'SomethingElse',
    contentType: 'application/json',
    data: Buffer.from('{}'),
    metadata: Buffer.alloc(0),
  }
}

/** The same id for the same number, so that a retried append is the same. */
function numbered(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
}
