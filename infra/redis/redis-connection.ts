import { createHash } from 'node:crypto'
import { Redis as Client, type RedisOptions } from 'ioredis'
import { Unavailable } from '#infra/failures.ts'

/** A process's connection to Redis, shared by all stores. */
export type Redis = ReturnType<typeof openRedis>

/** The prefix of all our keys, in a Redis that others may use too. */
export const PREFIX = 'proofdesk'

/**
 * How long a command waits for a connection, and then for its response, in ms: together within the 5 s promised to
 * callers.
 */
const TIMEOUT_MS = 2_000
/** The longest wait before the next try to connect, in ms. */
const LONGEST_WAIT = 1_000
/** How long the key of {@link writeSomething} lasts. */
const READY_SECONDS = 60
/** A dedicated connection without data for this long counts as dead, in ms. */
const SILENCE = 15_000

/**
 * Connects to Redis, and reconnects when the connection breaks. Opening never fails. During an outage commands are
 * refused and not queued, so that memory stays bounded.
 *
 * @param url redis:// or rediss://
 */
export function openRedis(url: string) {
  const shared = {
    connectTimeout: TIMEOUT_MS,
    maxLoadingRetryTime: LONGEST_WAIT,
    retryStrategy: (times: number) =>
      Math.min(50 * 2 ** Math.min(times, 10), LONGEST_WAIT) * (0.75 + Math.random() / 4),
  } satisfies RedisOptions
  const client = new Client(url, {
    ...shared,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: TIMEOUT_MS,
    // Disconnect from a hanging server, so that commands without a response do not stay in memory.
    socketTimeout: TIMEOUT_MS + 500,
  })
  let lastError: Error | undefined
  /** The start of the outage; undefined while connected. */
  let outageSince: number | undefined = Date.now()
  let closed = false
  client.on('error', (error: Error) => {
    lastError = error
  })
  client.on('ready', () => {
    outageSince = undefined
  })
  client.on('close', () => {
    outageSince ??= Date.now()
  })

  /** Waits for the connection, but no longer than the time-out since the outage began. */
  const connected = async (): Promise<void> => {
    if (client.status === 'ready') return
    const rest = closed ? 0 : TIMEOUT_MS - (Date.now() - (outageSince ?? Date.now()))
    if (rest <= 0) throw lastError ?? new Error('There is no connection')
    await new Promise<void>((resolve, reject) => {
      const finish = (settle: () => void) => () => {
        clearTimeout(timer)
        client.off('ready', ready).off('end', ended)
        settle()
      }
      const ready = finish(resolve)
      const ended = finish(() => reject(lastError ?? new Error('The connection is closed')))
      const timer = setTimeout(ended, rest)
      client.on('ready', ready).on('end', ended)
    })
  }
  // Every waiting command listens. BullMQ adds to this number, so 0 (unlimited) does not work.
  client.setMaxListeners(Infinity)

  return {
    /**
     * Runs commands once it is connected.
     *
     * @param part The part that runs them, in an operator's words.
     * @throws {Unavailable} within the time-outs, also while the server hangs; running commands may have taken effect.
     */
    async run<Result>(part: string, commands: (client: Client) => Promise<Result>): Promise<Result> {
      try {
        await connected()
        return await commands(client)
      } catch (error) {
        throw isDisconnected(error) ? new Unavailable(part, { cause: withoutCommand(error) }) : error
      }
    },
    /**
     * A separate connection for a reader that blocks it and waits through outages. The caller ends it, with all its
     * duplicates.
     */
    dedicatedConnection() {
      const dedicated = new TrackedClient(url, { ...shared, maxRetriesPerRequest: null, socketTimeout: SILENCE })
      return { client: dedicated, end: () => dedicated.endAll() }
    },
    async close(): Promise<void> {
      closed = true
      client.disconnect()
    },
  }
}

/** Tracks the duplicates that a library makes of a connection, so that they can be ended. */
class TrackedClient extends Client {
  readonly #copies: Client[] = []

  constructor(url: string, options: Omit<RedisOptions, 'replyMapping'>) {
    super(url, options)
    ignoreErrors(this)
  }

  override duplicate(override?: Partial<RedisOptions>): Client {
    const copy = super.duplicate(override)
    this.#copies.push(ignoreErrors(copy))
    return copy
  }

  endAll(): void {
    for (const client of [this, ...this.#copies]) client.disconnect()
  }
}

/** Each failure is followed by a retry, and reported to the users of the connection. */
function ignoreErrors(client: Client): Client {
  return client.on('error', () => {})
}

/**
 * Whether a retry may help, once the server is there again or its operator has given our user its rights. Errors about the
 * command itself are our mistakes.
 */
function isDisconnected(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof TypeError) return false
  return (
    !/^(ERR|WRONGTYPE|NOSCRIPT) /.test(error.message) || error.message.startsWith('ERR The user executing the script ')
  )
}

/** The client's errors contain the command, and so the password when signing in: keep only name and message. */
function withoutCommand({ name, message }: Error): Error {
  const error = new Error(message)
  error.name = name
  return error
}

/** Writes something harmless: a full Redis answers reads, and so does one whose user may not write. */
export async function writeSomething(client: Client): Promise<void> {
  await client.set(`${PREFIX}:ready`, '', 'EX', READY_SECONDS)
}

/** Creates a script that Redis runs atomically. Its text is sent again to a server that does not know it. */
export function script(text: string) {
  const hash = createHash('sha1').update(text).digest('hex')
  return {
    async run(client: Client, keys: readonly string[], args: readonly (string | number)[] = []): Promise<unknown> {
      try {
        return await client.evalsha(hash, keys.length, ...keys, ...args)
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
        return await client.eval(text, keys.length, ...keys, ...args)
      }
    },
  }
}
