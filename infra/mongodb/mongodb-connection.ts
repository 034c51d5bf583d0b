import { setTimeout as delay } from 'node:timers/promises'
import { MongoClient, MongoError, MongoServerError, ObjectId } from 'mongodb'
import { z } from 'zod'
import { withTimeout } from '#infra/async.ts'
import { Unavailable } from '#infra/failures.ts'

/** A store's connection to MongoDB. */
export type Connection = ReturnType<typeof connect>

/** In ms. */
const limits = {
  /** A call that takes longer is slow or lost: the server is then pinged, repeatedly. */
  quick: 1_000,
  /** A server that does not answer a ping for this long is unavailable. */
  ping: 2_500,
  /** Time-out to connect. */
  connect: 2_000,
  /** Time-out of a call while the server answers pings, unless the call is known to take long. */
  answer: 20_000,
  /** Interval of pings during an outage. */
  probe: 250,
  /** Time-out to close. */
  close: 1_000,
}

/**
 * FerretDB 1 holds one of 100 backend connections for each update of a command until the command ends. Writers with
 * more updates in total deadlock. So a process sends it one command at a time, with at most this many updates: several
 * processes stay below the limit, however many projections they have.
 */
const UPDATES_OF_FERRETDB = 16

/** The database when the address names none. */
const DATABASE = 'proofdesk'

/** No document has this id. */
const NOTHING = new ObjectId()

/** This process's servers by address. */
const servers = new Map<string, Server>()

/**
 * Shares this process's connection to a MongoDB, or opens it; nothing is sent before the first call.
 *
 * Regardless of the address, reads go to the primary and writes to the journals of most of a replica set, so the death
 * of a server loses no confirmed write.
 *
 * @param part The part that is stored there, in an operator's words.
 */
export function connect(url: string, part: string) {
  const server: Server = servers.get(url) ?? openServer(url)
  servers.set(url, server)
  server.users++
  let isClosed = false
  /**
   * Calls the server. @throws {Unavailable} without a response; the outcome of a write is then unknown.
   *
   * @param takesLong Waits without limit while the server is available.
   */
  const run = async <Answer>(call: () => Promise<Answer>, takesLong = false): Promise<Answer> => {
    if (isClosed) throw new Unavailable(part, { cause: new Error('It was closed') })
    try {
      return await server.answered(call, takesLong)
    } catch (error) {
      throw isNoResponse(error) ? new Unavailable(part, { cause: error }) : error
    }
  }
  const database = server.client.db(databaseIn(url))
  return {
    database,
    run,
    /**
     * Replaces a document, or inserts it where there is none to be replaced. One that another process inserts in
     * between is replaced too.
     */
    async upsert(
      replace: () => Promise<{ readonly matchedCount: number }>,
      insert: () => Promise<unknown>,
    ): Promise<void> {
      if ((await run(replace)).matchedCount > 0) return
      if (!(await run(() => insert().then(() => true, falseIfDuplicate)))) await run(replace)
    },
    /** Writes nothing, but as a write: a server that can't write may still answer pings. @throws {Unavailable} */
    ready: async (): Promise<void> =>
      void (await run(() => database.collection('ready').updateOne({ _id: NOTHING }, { $set: { ready: true } }))),
    /** Writes updates in one command, or in as many as the server can bear. @throws {Unavailable} */
    async inBatches<Update>(updates: readonly Update[], write: (batch: Update[]) => Promise<void>): Promise<void> {
      if (updates.length === 0) return
      server.isFerretDb ??= isFerretDb.parse(await run(() => server.client.db('admin').command({ buildInfo: 1 })))
      if (!server.isFerretDb) return write([...updates])
      for (let from = 0; from < updates.length; from += UPDATES_OF_FERRETDB)
        await server.oneAtATime(() => write(updates.slice(from, from + UPDATES_OF_FERRETDB)))
    },
    async close(): Promise<void> {
      if (isClosed) return
      isClosed = true
      if (--server.users > 0) return
      servers.delete(url)
      await server.close()
    },
  }
}

/** Whether a document was created: false when one with its id already exists. */
export function falseIfDuplicate(error: unknown): false {
  if (error instanceof MongoServerError && error.code === DUPLICATE) return false
  throw error
}

/** A filter for these ids. One is looked up even by servers that look up nothing else. */
export function anyOf<Id>(ids: readonly Id[]): Id | { $in: Id[] } {
  const [only] = ids
  return ids.length === 1 && only !== undefined ? only : { $in: [...ids] }
}

/** MongoDB's code for a duplicate id. */
export const DUPLICATE = 11_000

/** Only FerretDB 1 reports this version in `buildInfo`. */
const isFerretDb = z
  .looseObject({ ferretdbVersion: z.string().optional() })
  .transform(({ ferretdbVersion }) => ferretdbVersion !== undefined)

interface Server extends ReturnType<typeof openServer> {
  /** Undefined until it is known. */
  isFerretDb?: boolean
}

function openServer(url: string) {
  const client = new MongoClient(url, {
    appName: 'proofdesk',
    readPreference: 'primary',
    writeConcern: { w: 'majority', journal: true },
    serverSelectionTimeoutMS: limits.connect,
    connectTimeoutMS: limits.connect,
  })
  const over = new AbortController()
  let last: Promise<unknown> = Promise.resolve()
  let away = false
  let isConnected = false
  let pinging: Promise<unknown> | undefined

  /** A client whose first connection failed works again only after another `connect`. */
  const connected = async (): Promise<void> => {
    if (!isConnected) await client.connect()
    isConnected = true
  }

  /** Concurrent callers share one ping. */
  const ping = (): Promise<unknown> => {
    pinging ??= withTimeout(
      connected().then(() => client.db('admin').command({ ping: 1 })),
      limits.ping,
      () => new NoResponse(),
    ).finally(() => (pinging = undefined))
    return pinging
  }

  /** During an outage, calls fail at once while pings in the background detect its end. */
  const probe = async (): Promise<void> => {
    if (away) return
    away = true
    while (away && !over.signal.aborted) {
      await delay(limits.probe, undefined, { signal: over.signal, ref: false }).catch(() => {})
      await ping().then(
        () => void (away = false),
        () => {},
      )
    }
  }

  return {
    client,
    users: 0,
    /** Calls of this process in the order in which they come, each after the end of the one before. */
    oneAtATime<Result>(call: () => Promise<Result>): Promise<Result> {
      const result = last.then(call, call)
      last = result
      return result
    },
    async answered<Answer>(call: () => Promise<Answer>, takesLong: boolean): Promise<Answer> {
      if (away) throw new NoResponse()
      return new Promise((resolve, reject) => {
        let settled = false
        let watching: NodeJS.Timeout | undefined
        const startedAt = performance.now()
        const watch = (): void => {
          if (settled) return
          // The server answers pings, so this call or its response may be lost.
          if (!takesLong && performance.now() - startedAt > limits.answer) reject(new NoResponse())
          else watching = setTimeout(() => void ping().then(watch, giveUp), limits.quick)
        }
        const giveUp = (error: unknown): void => {
          if (settled) return
          void probe()
          reject(error)
        }
        watch()
        const response = isConnected ? call() : connected().then(call)
        response
          .then(resolve, (error: unknown) => {
            // Either one connection broke, or the server is unavailable.
            if (isNoResponse(error) && !(error instanceof MongoServerError)) ping().catch(() => void probe())
            reject(error)
          })
          .finally(() => {
            settled = true
            clearTimeout(watching)
          })
      })
    },
    async close(): Promise<void> {
      over.abort()
      // The client notifies the server, which may hang.
      await withTimeout(client.close(), limits.close, () => new NoResponse()).catch(() => {})
    },
  }
}

/** The database that an address names. */
function databaseIn(url: string): string {
  const named = /^[^/]+:\/\/[^/]+\/([^?]+)/.exec(url)?.[1]
  return named === undefined ? DATABASE : decodeURIComponent(named)
}

function isNoResponse(error: unknown): boolean {
  return error instanceof MongoError || error instanceof NoResponse || isSocketError(error)
}

/** The client passes on socket errors unchanged. One that writes after the server has ended makes no system call. */
function isSocketError(error: unknown): boolean {
  return error instanceof Error && ('syscall' in error || ('code' in error && error.code === 'EPIPE'))
}

/** MongoDB does not answer. */
class NoResponse extends Error {
  override readonly name = 'NoAnswer'
  constructor() {
    super('MongoDB does not answer')
  }
}
