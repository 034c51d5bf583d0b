import { setTimeout as delay } from 'node:timers/promises'
import { type AllStreamResolvedEvent, BACKWARDS, END, EventStoreDBClient, type StreamingRead } from '@eventstore/db-client'
import { jittered } from '../async.ts'
import { Unavailable } from '../failures.ts'

export const part = 'event store'

/** All stores of this process on one EventStoreDB share a connection: so does the client underneath, and its limits are per process. */
export interface Connection {
  /** For reading and subscribing. */
  readonly reader: EventStoreDBClient
  /** Sends an append and waits for its answer. @throws {Unavailable}, {@link NoResponse}, or what the client says. */
  append<Answer>(send: (client: EventStoreDBClient) => Promise<Answer>, deadline: Deadline): Promise<Answer>
  /** Reads to the end. @throws {Unavailable} for whatever is no answer. */
  read<Event>(open: (client: EventStoreDBClient) => StreamingRead<Event>): Promise<Event[]>
  /** A place among the subscriptions; answers how to give it back. @throws {Unavailable} when all are taken for too long. */
  subscribing(signal: AbortSignal): Promise<() => void>
  release(): Promise<void>
}

/** In ms. The client's own deadlines do not hold while the server is frozen: it waits 20 s. These are ours. */
export const limits = {
  /** An answer that takes longer does not come. */
  answer: 3000,
  /** Even late a healthy server is given so long. */
  least: 500,
  /** A reader that is catching up has its broken subscription resumed for so long, then it is told. */
  resume: 2000,
  /** How soon it is asked again whether a silent server answers. */
  probe: { first: 100, longest: 2000 },
  /** Servers that one process may be connected to. More are for tests of several installations, where no server is lost. */
  servers: 1,
}

/**
 * One connection carries 100 calls at once, whatever the number of clients, and what comes after waits without a word. So
 * subscriptions, which last, may take half of them; reads and the one call that all appends share have the rest.
 */
const MAX_SUBSCRIPTIONS = 50

const connections = new Map<string, Shared>()

interface Shared {
  users: number
  readonly connection: Connection
}

/** Opens the connection, or joins it. Nothing is sent before it is used. */
export function connect(url: string): Connection {
  const known = connections.get(url)
  if (known) {
    known.users++
    return known.connection
  }
  // The client keeps the appends under way of all its instances in one place: when one loses its server, the appends of
  // the others fail as well, and their answers, when they come, end our process.
  if (connections.size >= limits.servers) throw new Error('A process can be connected to one EventStoreDB only')
  const shared: Shared = { users: 1, connection: open(url, () => --shared.users === 0 && connections.delete(url)) }
  connections.set(url, shared)
  return shared.connection
}

function open(url: string, leave: () => boolean): Connection {
  const reader = EventStoreDBClient.connectionString(url)
  // Appends have a client of their own. After a failed read a client begins anew with another connection while the call
  // that carries its appends may still be open; with two such calls, the end of one would lose the answers of the other.
  let appender = EventStoreDBClient.connectionString(url)
  /** The first append of a client can land after later ones: they wait until it has opened their call. */
  let opening: Promise<void> | undefined
  let isOpen = false
  let renewing: Promise<void> | undefined
  let silent = false
  const over = new AbortController()

  /** Whether the server answers is found out in the background; until it does, everybody is told at once that it does not. */
  const probe = async (): Promise<void> => {
    silent = true
    for (let tries = 0; silent && !over.signal.aborted; tries++) {
      await delay(jittered(Math.min(limits.probe.first * 2 ** tries, limits.probe.longest)), undefined, { signal: over.signal, ref: false }).catch(() => {})
      try {
        await collect(readLast(reader), limits.answer)
        silent = false
      } catch (error) {
        // A refusal is an answer, too: from now on everybody finds out at once.
        if (!(error instanceof NoResponse)) silent = false
      }
    }
  }

  const answered = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    if (silent) throw new Unavailable(part, { cause: new NoResponse() })
    try {
      return await call()
    } catch (error) {
      if (error instanceof NoResponse && !silent) void probe()
      throw error
    }
  }

  /** Begins anew with a client that has nothing left of the one that failed, unless another append has seen to that. */
  const renew = async (failed: EventStoreDBClient): Promise<void> => {
    if (failed !== appender) return
    renewing ??= (async () => {
      await withTimeout(limits.answer, failed.dispose()).catch(() => {})
      appender = EventStoreDBClient.connectionString(url)
      isOpen = false
      opening = undefined
      renewing = undefined
    })()
    await renewing
  }

  /** Sees to it that what failed does no more harm. */
  const notAppended = (client: EventStoreDBClient, error: unknown): never => {
    if (error instanceof NoResponse && !silent) void probe()
    // A call that gave no answer may never give one again. Who appends next waits for another client, who was refused does not.
    if (isUnresponsive(error) || error instanceof NoResponse) void renew(client)
    throw error
  }

  /** An append while the call for it is being opened, or nobody answers. */
  const appendFirst = async <Answer>(send: (client: EventStoreDBClient) => Promise<Answer>, deadline: Deadline): Promise<Answer> => {
    if (silent) throw new Unavailable(part, { cause: new NoResponse() })
    let client = appender
    try {
      if (renewing) await withTimeout(deadline.left(), renewing)
      if (!isOpen && opening) await withTimeout(deadline.left(), opening)
      client = appender
      const sent = withTimeout(deadline.left(), send(client))
      if (!isOpen)
        opening ??= sent.then(
          () => void (isOpen = true),
          () => void (opening = undefined),
        )
      return await sent
    } catch (error) {
      return notAppended(client, error)
    }
  }

  let subscriptions = 0
  const waiting = new Set<() => void>()

  return {
    reader,
    append(send, deadline) {
      const client = appender
      // Nearly always: nothing to wait for.
      if (isOpen && !silent && !renewing) return withTimeout(deadline.left(), send(client)).catch((error: unknown) => notAppended(client, error))
      return appendFirst(send, deadline)
    },
    read: (openRead) => answered(() => collect(openRead(reader), limits.answer)),
    async subscribing(signal) {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.answer)])
      while (subscriptions >= MAX_SUBSCRIPTIONS) {
        if (deadline.aborted) throw new Unavailable(part, { cause: new Error(`${MAX_SUBSCRIPTIONS} subscriptions are open`) })
        await new Promise<void>((resolve) => {
          waiting.add(resolve)
          deadline.addEventListener('abort', () => resolve(), { once: true })
        })
      }
      subscriptions++
      let given = true
      return () => {
        if (given) subscriptions--
        given = false
        for (const wake of waiting) wake()
        waiting.clear()
      }
    },
    async release() {
      if (!leave()) return
      over.abort()
      await Promise.all([reader.dispose(), appender.dispose()])
    },
  }
}

/** The server did not answer in time: what was asked for may have happened. */
export class NoResponse extends Error {
  override readonly name = 'NoAnswer'
  constructor() {
    super(`EventStoreDB did not answer within ${limits.answer} ms`)
  }
}

/** By when there has to be an answer, however often it is asked: a server may be cut off again and again. */
export interface Deadline {
  /** Ms from now. */
  left(): number
  isOver(): boolean
}

/** Counts from now. */
export function createDeadline(): Deadline {
  const end = performance.now() + limits.answer
  return {
    left: () => Math.max(end - performance.now(), limits.least),
    isOver: () => performance.now() >= end,
  }
}

function withTimeout<Answer>(ms: number, answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => lastChance(() => reject(new NoResponse())), ms)
    answer.then(
      (found) => {
        clearTimeout(timer)
        resolve(found)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

/** When this process itself stood still, the answer may be here and only not have been looked at. */
function lastChance(giveUp: () => void): void {
  setImmediate(() => setTimeout(() => setImmediate(giveUp), 1))
}

/** All of a read that ends by itself. The time limit counts from one event to the next. */
async function collect<Event>(reading: StreamingRead<Event>, ms: number): Promise<Event[]> {
  const found: Event[] = []
  let timer: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      let seen = 0
      const look = (): void => {
        const before = seen
        lastChance(() => {
          if (seen === before) reject(new NoResponse())
          else timer = setTimeout(look, ms)
        })
      }
      timer = setTimeout(look, ms)
      reading.on('data', (event: Event) => {
        found.push(event)
        seen++
        timer?.refresh()
      })
      // It stays: an error may come twice, and after the time limit.
      reading.on('error', reject).on('end', () => resolve())
    })
    return found
  } catch (error) {
    // Who does not cancel it leaves a call open, of which there are a hundred.
    reading.cancel().catch(() => {})
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** The last event of the log, whoever wrote it. */
export function readLast(client: EventStoreDBClient): StreamingRead<AllStreamResolvedEvent> {
  return client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 })
}

/** The gRPC status of a failure. While the server is down a batch append fails with a plain error that has nothing else. */
export function statusOf(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'number' ? code : undefined
}

const CANCELLED = 1
const UNAVAILABLE = 14

/**
 * When asking for the server's features fails with another status than "unavailable", the client remembers that failure
 * and gives it to every append from then on.
 */
function isUnresponsive(error: unknown): boolean {
  const status = statusOf(error)
  return status !== undefined && status !== UNAVAILABLE && status !== CANCELLED
}
