import { setTimeout as delay } from 'node:timers/promises'
import { type Db, MongoClient, MongoError, MongoServerError } from 'mongodb'
import { z } from 'zod'
import { Unavailable } from '../failures.ts'

/** What a store has of the MongoDB it lives in. */
export interface Connection {
  readonly database: Db
  /**
   * Asks the server. @throws {Unavailable} for whatever is no answer; the outcome of a change is then unknown.
   *
   * @param takesLong Waits as long as the server is there.
   */
  run<Answer>(question: () => Promise<Answer>, takesLong?: boolean): Promise<Answer>
  /** Updates in pieces, each of which one command may hold. @throws {Unavailable} */
  batchesOf<Update>(updates: readonly Update[]): Promise<Update[][]>
  /** Nothing can be asked any more. */
  close(): Promise<void>
}

/** In ms. */
const limits = {
  /** What takes longer may be slow, or the server may be away: that is then asked, again and again. */
  quick: 1_000,
  /** A server that does not answer even the smallest question for so long is away. */
  ping: 2_500,
  /** How long a server is looked for that nobody listens for. */
  connect: 2_000,
  /** Anything may take so long while the server does answer, but for what is known to take long. */
  answer: 20_000,
  /** How often a server that is away is asked whether it is back. */
  probe: 250,
  /** What closing may take. */
  close: 1_000,
}

/**
 * FerretDB 1 keeps a connection to what is behind it for each update of a command until the command is over. It has 100: two
 * writers with more than that between them wait for each other for ever. As many views as there are, and another worker
 * that was thought dead, stay below with so many.
 */
const UPDATES_OF_FERRETDB = 8

/** Where the address names no database. */
const DATABASE = 'proofdesk'

/** The servers that this process is connected to, by their addresses. */
const servers = new Map<string, Server>()

/**
 * Joins the connection of this process to a MongoDB, or opens it; nothing is sent before something is asked.
 *
 * Everything is read from the primary and written to the journals of most of a replica set, whatever the address says:
 * nothing that was answered is lost when a server dies.
 *
 * @param part Which part of ours lives there, in an operator's words.
 */
export function connect(url: string, part: string): Connection {
  const server = servers.get(url) ?? openServer(url)
  servers.set(url, server)
  server.users++
  let isClosed = false
  const ask: Connection['run'] = async (question, takesLong = false) => {
    if (isClosed) throw new Unavailable(part, { cause: new Error('It was closed') })
    try {
      return await server.answered(question, takesLong)
    } catch (error) {
      throw isNoResponse(error) ? new Unavailable(part, { cause: error }) : error
    }
  }
  return {
    database: server.client.db(databaseIn(url)),
    run: ask,
    async batchesOf(updates) {
      if (updates.length === 0) return []
      server.isFerretDb ??= isFerretDb.parse(await ask(() => server.client.db('admin').command({ buildInfo: 1 })))
      const size = server.isFerretDb ? UPDATES_OF_FERRETDB : updates.length
      return Array.from({ length: Math.ceil(updates.length / size) }, (_, piece) => updates.slice(piece * size, (piece + 1) * size))
    },
    async close() {
      if (isClosed) return
      isClosed = true
      if (--server.users > 0) return
      servers.delete(url)
      await server.close()
    },
  }
}

/** What making a document comes to, where there may be one of its id already: false when there is. */
export function falseIfDuplicate(error: unknown): false {
  if (error instanceof MongoServerError && error.code === DUPLICATE) return false
  throw error
}

/** MongoDB's code for an id that is there already. */
export const DUPLICATE = 11_000

/** What a server says of itself: MongoDB, and FerretDB from version 2 on, know nothing of this. */
const isFerretDb = z.looseObject({ ferretdbVersion: z.string().optional() }).transform(({ ferretdbVersion }) => ferretdbVersion !== undefined)

interface Server {
  readonly client: MongoClient
  users: number
  /** Once it is known. */
  isFerretDb?: boolean
  answered<Answer>(question: () => Promise<Answer>, takesLong: boolean): Promise<Answer>
  close(): Promise<void>
}

function openServer(url: string): Server {
  const client = new MongoClient(url, {
    appName: 'proofdesk',
    readPreference: 'primary',
    writeConcern: { w: 'majority', journal: true },
    serverSelectionTimeoutMS: limits.connect,
    connectTimeoutMS: limits.connect,
  })
  const over = new AbortController()
  let away = false
  let isConnected = false
  let asking: Promise<void> | undefined

  /** A client whose first try to connect has failed is of no use any more, but when it is told to connect again. */
  const connected = async (): Promise<void> => {
    if (!isConnected) await client.connect()
    isConnected = true
  }

  /** One question for all who want to know. */
  const ping = (): Promise<void> => {
    asking ??= withTimeout(
      limits.ping,
      connected().then(() => client.db('admin').command({ ping: 1 })),
    ).then(
      () => void (asking = undefined),
      (error: unknown) => {
        asking = undefined
        throw error
      },
    )
    return asking
  }

  /** While the server is away, everybody is told so at once, and one asks in the background whether it is back. */
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
    async answered(question, takesLong) {
      if (away) throw new NoResponse()
      return new Promise((resolve, reject) => {
        let settled = false
        let watching: NodeJS.Timeout | undefined
        const asked = performance.now()
        const watch = (): void => {
          if (settled) return
          // The server answers others: what was asked or the answer to it may be lost.
          if (!takesLong && performance.now() - asked > limits.answer) reject(new NoResponse())
          else watching = setTimeout(() => void ping().then(watch, giveUp), limits.quick)
        }
        const giveUp = (error: unknown): void => {
          if (settled) return
          void probe()
          reject(error)
        }
        watch()
        const asking = isConnected ? question() : connected().then(question)
        asking
          .then(resolve, (error: unknown) => {
            // One connection may have broken, or the server have gone.
            if (isNoResponse(error) && !(error instanceof MongoServerError)) ping().catch(() => void probe())
            reject(error)
          })
          .finally(() => {
            settled = true
            clearTimeout(watching)
          })
      })
    },
    async close() {
      over.abort()
      // The client says goodbye to the server, which may not listen.
      await withTimeout(limits.close, client.close()).catch(() => {})
    },
  }
}

/** The database that an address names. */
function databaseIn(url: string): string {
  const named = /^[^/]+:\/\/[^/]+\/([^?]+)/.exec(url)?.[1]
  return named === undefined ? DATABASE : decodeURIComponent(named)
}

/** The client throws what it gets from a socket that broke as it is. */
function isNoResponse(error: unknown): boolean {
  return error instanceof MongoError || error instanceof NoResponse || (error instanceof Error && 'syscall' in error)
}

/** MongoDB does not answer. */
class NoResponse extends Error {
  override readonly name = 'NoAnswer'
  constructor() {
    super('MongoDB does not answer')
  }
}

async function withTimeout<Answer>(ms: number, answer: Promise<Answer>): Promise<Answer> {
  const over = new AbortController()
  const late = delay(ms, undefined, { signal: over.signal, ref: false }).then(() => {
    throw new NoResponse()
  })
  late.catch(() => {})
  return Promise.race([answer, late]).finally(() => over.abort())
}
