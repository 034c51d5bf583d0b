import { once } from 'node:events'
import { createConnection } from 'node:net'
import { inspect } from 'node:util'
import { MongoClient } from 'mongodb'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { toCheckpoint, toPosition } from '#infra/event-store/event-store.ts'
import { Unavailable } from '#infra/failures.ts'
import { connect } from '#infra/mongodb/mongodb-connection.ts'
import { describeFerretDb } from '#test-support/servers/ferretdb.ts'
import { promptly } from '#test-support/promptly.ts'
import { openRelay, type Relay } from '#test-support/servers/relay.ts'
import { until } from '#test-support/until.ts'
import { openMongodbReadModelStore } from './mongodb-read-model-store.ts'
import type { DocumentWrite, ReadModelStore } from './read-model-store.ts'

/** In ms: the maximum delay for a caller during an outage, and an allowance for a busy machine. */
const PATIENCE = 5_000
const SLACK = 4_000

const checkpointAt = (consumer: string, position: number) => ({
  consumer,
  checkpoint: toCheckpoint(String(position)),
  position: toPosition(String(position)),
})
const made = (id: string, position: number, more = {}): DocumentWrite => ({
  id,
  document: { n: position, ...more },
  position: toPosition(String(position)),
  expected: null,
})

describeFerretDb('the read-model store in MongoDB, during failures', (shared) => {
  let relay: Relay
  let url: string
  const stores: ReadModelStore[] = []
  const open = (): ReadModelStore => {
    const store = openMongodbReadModelStore(url)
    stores.push(store)
    return store
  }
  /** How long a call took that failed, in ms. */
  const rejectedAfter = async (answer: Promise<unknown>): Promise<number> => {
    const startedAt = performance.now()
    await expect(answer).rejects.toThrow(Unavailable)
    return performance.now() - startedAt
  }
  /** Retries until the server is available. */
  const again = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const { answer } = await until(
      () =>
        work().then(
          (done) => ({ answer: done }),
          (error: unknown) => {
            if (!(error instanceof Unavailable)) throw error
            return undefined
          },
        ),
      'the server to be available',
    )
    return answer
  }

  beforeEach(async () => {
    relay = await openRelay(() => shared().port)
    const { newUrl, port } = shared()
    url = newUrl().replace(String(port), String(relay.port))
  })
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close()
    await relay.close()
  })

  const outages: Record<string, { begin: () => unknown; end: () => unknown }> = {
    'is gone': { begin: () => shared().kill(), end: () => shared().start() },
    'stands still': { begin: () => shared().pause(), end: () => shared().resume() },
    'can’t be reached': { begin: () => relay.refuse(), end: () => relay.accept() },
    'answers nothing': { begin: () => relay.freeze(), end: () => relay.thaw() },
  }
  for (const [what, { begin, end }] of Object.entries(outages))
    it(`fails in time while its server ${what}, and recovers`, async () => {
      const store = open()
      await store.documents.create({ name: 'people' })
      await store.documents.write('people', [made('0', 1)], checkpointAt('r', 1))
      await begin()
      try {
        const refusals = Promise.all([
          expect(store.documents.find('people', { limit: 1 })).rejects.toThrow(Unavailable),
          expect(store.documents.write('people', [made('1', 2)], checkpointAt('r', 2))).rejects.toThrow(Unavailable),
          expect(store.checkpoints.saved(60_000)).rejects.toThrow(Unavailable),
          expect(store.leases.acquire('l', 'h', 1_000)).rejects.toThrow(Unavailable),
          expect(store.ready()).rejects.toThrow(Unavailable),
        ])
        await promptly(refusals, PATIENCE + SLACK)
        // From then on calls fail at once.
        await expect
          .poll(() => rejectedAfter(store.documents.find('people', { limit: 1 })), { timeout: 60_000 })
          .toBeLessThan(100)
        const more = async () => {
          for (let n = 0; n < 50; n++)
            await expect(store.documents.find('people', { limit: 1 })).rejects.toThrow(Unavailable)
        }
        await promptly(more(), 2_000)
      } finally {
        await end()
      }
      await again(() => store.ready())
      expect((await again(() => store.documents.read('people', ['0']))).get('0')?.document).toEqual({ n: 1 })
    })

  it('can be opened while its server is unavailable', async () => {
    relay.refuse()
    const store = open()
    await expect(store.documents.create({ name: 'people', sorts: ['n'] })).rejects.toThrow(Unavailable)
    relay.accept()
    await again(() => store.documents.create({ name: 'people', sorts: ['n'] }))
    expect(await store.documents.write('people', [made('0', 1)])).toEqual([])
    expect(
      (await store.documents.find('people', { sort: { by: 'n', direction: 1 }, limit: 1 })).documents,
    ).toHaveLength(1)
  })

  it('never reveals the password of its URL', async () => {
    const store = openMongodbReadModelStore(`mongodb://somebody:hush-hush@127.0.0.1:${relay.port}/test_secret`)
    stores.push(store)
    relay.refuse()
    const error = await store.ready().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Unavailable)
    expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/hush/)
  })

  it('takes what is written to a connection that the server has just ended for an outage', async () => {
    const connection = connect(url, 'view store')
    const socket = createConnection(relay.port, '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    const ended = once(socket.resume(), 'end')
    relay.end()
    await ended
    const write = () =>
      new Promise<void>((resolve, reject) => socket.write('x', (error) => (error ? reject(error) : resolve())))
    await expect(connection.run(write)).rejects.toThrow(Unavailable)
    await connection.close()
  })

  it('applies every event once through all of these failures', { timeout: 180_000 }, async () => {
    const DOCUMENTS = 5
    const EVENTS = 400
    const ids = Array.from({ length: DOCUMENTS }, (_, n) => String(n))
    let done = false
    const faults = [
      async () => relay.cut(),
      async () => {
        relay.loseAnswers()
        await until(async () => done || relay.withholds(), 'an answer to be lost')
        relay.cut()
      },
      async () => {
        await shared().kill()
        await shared().start()
      },
      async () => {
        relay.freeze()
        await until(async () => done || relay.withholds(), 'something to be kept back')
        relay.thaw()
      },
    ]
    const store = open()
    await again(() => store.documents.create({ name: 'counts' }))

    /** Adds one to a document for each event, as a projector does: what a document has already is skipped. */
    const fold = async (from: number, to: number): Promise<void> => {
      const stored = await store.documents.read('counts', ids)
      const writes = ids.flatMap((id): DocumentWrite[] => {
        const before = stored.get(id)
        const at = Number(before?.position ?? 0)
        const events = Array.from({ length: to - from + 1 }, (_, n) => from + n).filter(
          (event) => event > at && event % DOCUMENTS === Number(id),
        )
        const last = events.at(-1)
        if (last === undefined) return []
        const counted = Number(before?.document?.['counted'] ?? 0) + events.length
        return [{ id, document: { counted }, position: toPosition(String(last)), expected: before?.position ?? null }]
      })
      const refused = await store.documents.write('counts', writes, checkpointAt('counter', to))
      if (refused.length > 0) await fold(from, to)
    }

    const projecting = (async (): Promise<void> => {
      for (;;) {
        const from = Number((await again(() => store.checkpoints.load('counter')))?.position ?? 0) + 1
        if (from > EVENTS) break
        await fold(from, Math.min(EVENTS, from + 6)).catch((error: unknown) => {
          if (!(error instanceof Unavailable)) throw error
        })
      }
      done = true
    })()
    const breaking = (async (): Promise<void> => {
      for (let n = 0; !done; n++) {
        const reached = Number((await again(() => store.checkpoints.load('counter')))?.position ?? 0)
        await faults[n % faults.length]?.()
        // Start the next failure in the middle of later work.
        await expect
          .poll(
            async () => done || Number((await again(() => store.checkpoints.load('counter')))?.position ?? 0) > reached,
            { timeout: 90_000 },
          )
          .toBe(true)
      }
    })()
    await Promise.all([projecting, breaking])
    const stored = await again(() => store.documents.read('counts', ids))
    expect([...stored.values()].map(({ document }) => document)).toEqual(
      ids.map(() => ({ counted: EVENTS / DOCUMENTS })),
    )
  })

  it('leaves no trace of deleted documents and dropped collections', async () => {
    const store = open()
    const people = { sorts: ['fullName'], search: ['fullName', 'email'] } as const
    await store.documents.create({ name: 'people', ...people })
    await store.documents.create({ name: 'others', ...people })
    const person = { fullName: 'Zyxwvuts Qponmlk', email: 'zyxwvuts@example.com', account: { login: 'zyxwvuts' } }
    await store.documents.write('people', [made('gone', 1, person), made('here', 2, { fullName: 'Abcdefgh' })])
    await store.documents.write('others', [made('gone', 1, person)])
    const client = new MongoClient(url)
    try {
      const everything = async (): Promise<string> => {
        const collections = await client.db().collections()
        return JSON.stringify(await Promise.all(collections.map((collection) => collection.find().toArray())))
      }
      expect(await everything()).toMatch(/zyx/i)
      await store.documents.write('people', [
        { id: 'gone', document: null, position: toPosition('3'), expected: toPosition('1') },
      ])
      await store.documents.drop('others')
      expect(await everything()).toContain('Abcdefgh')
      // Nor its search grams, from which a name could be reconstructed.
      expect(await everything()).not.toMatch(/zyx|xwv|vut|qpo|onm/i)
    } finally {
      await client.close()
    }
  })
})
