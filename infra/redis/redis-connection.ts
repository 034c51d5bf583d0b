import { createHash } from 'node:crypto'
import { Redis as Client, type RedisOptions } from 'ioredis'
import { Unavailable } from '../failures.ts'

/** A process's way to its Redis: one connection for all that is asked and answered. */
export interface Redis {
  /**
   * Runs commands, once the connection stands.
   *
   * @param part whose commands these are, in an operator's words.
   * @throws {Unavailable} in time, also while the server hangs; what was under way may have happened.
   */
  run<Result>(part: string, commands: (client: Client) => Promise<Result>): Promise<Result>
  /** A connection apart, for a reader that blocks it and waits through every outage. Whoever asked for it ends it. */
  dedicatedConnection(): DedicatedConnection
  close(): Promise<void>
}

export interface DedicatedConnection {
  readonly client: Client
  /** Ends it, with all that were made after its model, whatever they wait for. */
  end(): void
}

/** Everything of ours in a Redis that others may use as well. */
export const PREFIX = 'proofdesk'

/** How long a command waits for a connection, and then for its answer, in ms: together within the 5 s that a person waits. */
const TIMEOUT_MS = 2_000
/** Waits before the next try to connect, in ms. */
const LONGEST_WAIT = 1_000
/** A reader apart hears something at least so often, or its connection is dead, in ms. */
const SILENCE = 15_000

/**
 * Connects to a Redis, and again whenever the connection breaks. Opening never fails: what is asked meanwhile is refused,
 * and nothing is kept for later, so that memory stays bounded however long the server is away.
 *
 * @param url redis:// or rediss://
 */
export function openRedis(url: string): Redis {
  const shared = {
    connectTimeout: TIMEOUT_MS,
    maxLoadingRetryTime: LONGEST_WAIT,
    retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 10), LONGEST_WAIT) * (0.75 + Math.random() / 4),
  } satisfies RedisOptions
  const client = new Client(url, {
    ...shared,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: TIMEOUT_MS,
    // A server that hangs is left, so that what it never answered is not remembered.
    socketTimeout: TIMEOUT_MS + 500,
  })
  let lastError: Error | undefined
  /** Since when there is no connection; undefined while there is one. */
  let awaySince: number | undefined = Date.now()
  let closed = false
  client.on('error', (error: Error) => {
    lastError = error
  })
  client.on('ready', () => {
    awaySince = undefined
  })
  client.on('close', () => {
    awaySince ??= Date.now()
  })

  /** Waits for the connection, but not behind somebody who has waited in vain. */
  const connected = async (): Promise<void> => {
    if (client.status === 'ready') return
    const rest = closed ? 0 : TIMEOUT_MS - (Date.now() - (awaySince ?? Date.now()))
    if (rest <= 0) throw lastError ?? new Error('There is no connection')
    await new Promise<void>((resolve, reject) => {
      const over = (settle: () => void) => () => {
        clearTimeout(timer)
        client.off('ready', ready).off('end', ended)
        settle()
      }
      const ready = over(resolve)
      const ended = over(() => reject(lastError ?? new Error('The connection is closed')))
      const timer = setTimeout(ended, rest)
      client.on('ready', ready).on('end', ended)
    })
  }
  // As many wait for it as ask; BullMQ counts on from this number, so that 0 would not do.
  client.setMaxListeners(Infinity)

  return {
    async run(part, commands) {
      try {
        await connected()
        return await commands(client)
      } catch (error) {
        throw isDisconnected(error) ? new Unavailable(part, { cause: withoutCommand(error) }) : error
      }
    },
    dedicatedConnection() {
      const apart = new Model(url, { ...shared, maxRetriesPerRequest: null, socketTimeout: SILENCE })
      return { client: apart, end: () => apart.endAll() }
    },
    async close() {
      closed = true
      client.disconnect()
    },
  }
}

/** A library that makes connections after its model keeps them to itself: they are remembered here, so that they can be ended. */
class Model extends Client {
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

/** Each failure is followed by a new try; whoever uses the connection hears of them as well. */
function ignoreErrors(client: Client): Client {
  return client.on('error', () => {})
}

/** Answers that say that a command was wrong, and would be wrong again, are mistakes of ours; all else may pass. */
function isDisconnected(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof TypeError) && !/^(ERR|WRONGTYPE|NOSCRIPT) /.test(error.message)
}

/** The client hangs the command on its errors, with the password where it was the one that signs in. */
function withoutCommand({ name, message }: Error): Error {
  const error = new Error(message)
  error.name = name
  return error
}

/** A script that runs as one step: nothing else happens in between. */
export interface Script {
  run(client: Client, keys: readonly string[], given?: readonly (string | number)[]): Promise<unknown>
}

/** Makes a script of its text. A server that does not know it (any more) is told it again. */
export function script(text: string): Script {
  const hash = createHash('sha1').update(text).digest('hex')
  return {
    async run(client, keys, given = []) {
      try {
        return await client.evalsha(hash, keys.length, ...keys, ...given)
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
        return await client.eval(text, keys.length, ...keys, ...given)
      }
    },
  }
}
