import { setTimeout as delay } from 'node:timers/promises'
import {
  type AllStreamResolvedEvent,
  BACKWARDS,
  END,
  EventStoreDBClient,
  isCommandError,
  type StreamingRead,
} from '@eventstore/db-client'
import { jittered } from '#infra/async.ts'
import { Unavailable } from '#infra/failures.ts'

export const part = 'event store'

/**
 * A connection to EventStoreDB, shared by all stores of this process: the client shares one too, and its limits are per
 * process.
 */
export type Connection = ReturnType<typeof open>

/** In ms. The client's own deadlines do not apply while the server is frozen: it waits 20 s. */
export const limits = {
  /** The time-out of an answer. */
  answer: 3000,
  /** The maximum for an operation, even on a slow but healthy server. */
  least: 500,
  /** How long a broken subscription is resumed silently while it catches up; then its reader gets an error. */
  resume: 2000,
  /** The interval at which a silent server is probed. */
  probe: { first: 100, longest: 2000 },
  /** The maximum of servers per process. More than one is for tests of several installations, where no server fails. */
  servers: 1,
}

/**
 * One connection carries 100 calls at once, however many clients there are; further calls wait silently. So
 * subscriptions, which last, may use half of them; reads and the one call of all appends share the rest.
 */
const MAX_SUBSCRIPTIONS = 50

const connections = new Map<string, Shared>()

interface Shared {
  users: number
  readonly connection: Connection
}

/** Opens the connection, or joins it. Sends nothing before it is used. */
export function connect(url: string): Connection {
  const existing = connections.get(url)
  if (existing) {
    existing.users++
    return existing.connection
  }
  // The client keeps pending appends of all its instances together: when one loses its server, the others' appends fail
  // too, and their late answers crash the process.
  if (connections.size >= limits.servers) throw new Error('A process can be connected to one EventStoreDB only')
  const shared: Shared = { users: 1, connection: open(url, () => --shared.users === 0 && connections.delete(url)) }
  connections.set(url, shared)
  return shared.connection
}

function open(url: string, leave: () => boolean) {
  const reader = EventStoreDBClient.connectionString(url)
  // Appends have their own client. After a failed read a client reconnects while the call that carries its appends may
  // still be open; with two such calls, the end of one would lose the answers of the other.
  let appender = EventStoreDBClient.connectionString(url)
  /** A client's first append can be processed after later ones, so those wait until it has opened their call. */
  let opening: Promise<void> | undefined
  let isOpen = false
  let renewing: Promise<void> | undefined
  /** The server does not answer: callers fail at once. */
  let silent = false
  /** One call got no answer. Callers wait for a look at whether others do. */
  let looking: Promise<void> | undefined
  const over = new AbortController()

  const look = (): void => {
    if (silent) return
    looking ??= collect(readLast(reader), limits.least)
      .then(
        () => {},
        (error: unknown) => void (silent = error instanceof NoResponse),
      )
      .then(() => {
        looking = undefined
        if (silent) void probe()
      })
  }

  const refuseSilent = async (): Promise<void> => {
    await looking
    if (silent) throw new Unavailable(part, { cause: new NoResponse() })
  }

  /** Checks in the background until the server answers again. */
  const probe = async (): Promise<void> => {
    for (let tries = 0; silent && !over.signal.aborted; tries++) {
      await delay(jittered(Math.min(limits.probe.first * 2 ** tries, limits.probe.longest)), undefined, {
        signal: over.signal,
        ref: false,
      }).catch(() => {})
      try {
        await collect(readLast(reader), limits.answer)
        silent = false
      } catch (error) {
        // A refusal is an answer, too: from now on calls are attempted again.
        if (!(error instanceof NoResponse)) silent = false
      }
    }
  }

  /** Replaces a failed client, unless another append has already done so. */
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

  /** Prevents a failed call from affecting others. */
  const notAppended = (client: EventStoreDBClient, error: unknown): never => {
    if (error instanceof NoResponse) look()
    // A call without an answer may never answer again. The next append waits for a new client; after a refusal it need
    // not.
    if (isUnresponsive(error) || error instanceof NoResponse) void renew(client)
    throw error
  }

  /** An append while its call is being opened, or while the server does not answer. */
  const appendFirst = async <Answer>(
    send: (client: EventStoreDBClient) => Promise<Answer>,
    deadline: Deadline,
  ): Promise<Answer> => {
    await refuseSilent()
    let client = appender
    try {
      // A caller whose opening failed waits for the next opening.
      for (let first = renewing ?? opening; first && !(isOpen && !renewing); first = renewing ?? opening)
        await withTimeout(deadline.left(), first)
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

  const appended = <Answer>(answer: Answer): Answer => {
    for (const wake of pausing) wake()
    return answer
  }
  const pausing = new Set<() => void>()

  return {
    /** For reading and subscribing. */
    reader,
    /** Sends an append and waits for its answer. @throws {Unavailable}, {@link NoResponse}, or the client's error. */
    append<Answer>(send: (client: EventStoreDBClient) => Promise<Answer>, deadline: Deadline): Promise<Answer> {
      const client = appender
      // The usual case: nothing to wait for.
      if (isOpen && !silent && !looking && !renewing)
        return withTimeout(deadline.left(), send(client)).then(appended, (error: unknown) => notAppended(client, error))
      return appendFirst(send, deadline).then(appended)
    },
    /** Waits this many ms, or until an append succeeds: then the server is back. */
    async untilAppended(ms: number, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer)
          signal.removeEventListener('abort', wake)
          pausing.delete(wake)
          resolve()
        }
        const timer = setTimeout(wake, ms)
        signal.addEventListener('abort', wake)
        pausing.add(wake)
      })
    },
    /** Reads to the end. @throws {Unavailable} without an answer. */
    async read<Event>(openRead: (client: EventStoreDBClient) => StreamingRead<Event>): Promise<Event[]> {
      await refuseSilent()
      try {
        return await collect(openRead(reader), limits.answer)
      } catch (error) {
        if (error instanceof NoResponse) look()
        throw error
      }
    },
    /**
     * Takes a slot for a subscription; returns the function that frees it.
     *
     * @throws {Unavailable} when all are taken for too long.
     */
    async subscribing(signal: AbortSignal): Promise<() => void> {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.answer)])
      while (subscriptions >= MAX_SUBSCRIPTIONS) {
        if (deadline.aborted)
          throw new Unavailable(part, { cause: new Error(`${MAX_SUBSCRIPTIONS} subscriptions are open`) })
        await new Promise<void>((resolve) => {
          waiting.add(resolve)
          deadline.addEventListener('abort', () => resolve(), { once: true })
        })
      }
      subscriptions++
      let isTaken = true
      return () => {
        if (isTaken) subscriptions--
        isTaken = false
        for (const wake of waiting) wake()
        waiting.clear()
      }
    },
    async release(): Promise<void> {
      if (!leave()) return
      over.abort()
      await Promise.all([reader.dispose(), appender.dispose()])
    },
  }
}

/** The server did not answer in time: the operation may have happened. */
export class NoResponse extends Error {
  override readonly name = 'NoAnswer'
  constructor() {
    super(`EventStoreDB did not answer within ${limits.answer} ms`)
  }
}

export type Deadline = ReturnType<typeof createDeadline>

/** The deadline of an operation, counted from now, however often it is retried: a server may disconnect repeatedly. */
export function createDeadline() {
  const end = performance.now() + limits.answer
  return {
    /** Ms from now. */
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

/** When this process itself was suspended, the answer may have arrived without having been processed yet. */
function lastChance(giveUp: () => void): void {
  setImmediate(() => setTimeout(() => setImmediate(giveUp), 1))
}

/** Collects a read that ends by itself. The time-out applies between two events. */
async function collect<Event>(reading: StreamingRead<Event>, ms: number): Promise<Event[]> {
  const events: Event[] = []
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
        events.push(event)
        seen++
        timer?.refresh()
      })
      // The listener stays: an error may be emitted twice, and after the time-out.
      reading.on('error', reject).on('end', () => resolve())
    })
    return events
  } catch (error) {
    // Without cancelling, the call stays open, and there are only a hundred.
    reading.cancel().catch(() => {})
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** The last event of the log, of any writer. */
export function readLast(client: EventStoreDBClient): StreamingRead<AllStreamResolvedEvent> {
  return client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 })
}

/** The gRPC status of a failure. While the server is down, a batch append fails with a plain error without a status. */
export function statusOf(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'number' ? code : undefined
}

const CANCELLED = 1
const UNAVAILABLE = 14

/**
 * When the request for the server's features fails with any status but "unavailable", the client remembers that failure
 * and fails every later append with it. So it does with the plain error of a search for the leader that found no host
 * of a cluster, which has no status. A refusal of an append may have none either, but it is the server's answer.
 */
function isUnresponsive(error: unknown): boolean {
  const status = statusOf(error)
  if (status === undefined) return error instanceof Error && !isCommandError(error)
  return status !== UNAVAILABLE && status !== CANCELLED
}
