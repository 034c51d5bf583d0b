import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { registerCommands } from './command/command-service.ts'
import { openThrottle } from './command/throttle.ts'
import { BadConfiguration, type Config } from './config.ts'
import { partStates, registerHealth } from './http/health.ts'
import { Gate } from './http/access-control.ts'
import { createApp, finish } from './http/express-app.ts'
import { HttpError } from './http/http-errors.ts'
import { openSessions, purgeSessions } from './http/sessions.ts'
import { adminKeys } from './domain/streams.ts'
import { openLog } from './logger.ts'
import type { MetricsServer } from './metrics/metrics-server.ts'
import { assembleParts, type Parts, prepareParts } from './composition-root.ts'
import { AdminKeys, newAccessKey } from './use-cases/access-keys.ts'
import { registerQueries } from './query/query-service.ts'
import { allViews } from './projections/index.ts'
import { openViews } from './event-sourcing/projections/read-models.ts'
import { setAsideEvents } from './event-sourcing/projections/projection-status.ts'
import { openWaiting, type Waiting } from './wait-for-dependencies.ts'
import { REACTIONS } from './worker/reaction-subscription.ts'
import { runWorker } from './worker/worker-service.ts'

/** The services there are. One process may run any of them; with nothing said it runs all. */
export const services = ['command', 'query', 'worker'] as const
export type Service = (typeof services)[number]

const STARTING_RETRY_SECONDS = 2

/**
 * How long a connection may lie idle, in ms: longer than proxies keep one (Caddy 2 minutes, nginx 1), so that it is never us who
 * ends it just when a request comes on it.
 */
const IDLE = 150_000
/** While it stops, in ms. */
const CLOSING_IDLE_EVERY = 50

/** What listens, and works as soon as everything that it needs is there. */
export interface Started {
  /** Where it listens: 'http://localhost:3000'. */
  readonly address: string
  readonly parts: Parts
  /**
   * Resolves when it works, or with undefined when it was stopped before. Rejects when waiting does not help.
   *
   * @throws {BadConfiguration} {@link Unavailable}
   */
  readonly working: Promise<{ readonly firstAdminKey: string | undefined } | undefined>
  /** Ends it gracefully: no request is cut, no batch left half done. */
  stop(): Promise<void>
}

export interface Running extends Omit<Started, 'working'> {
  /** The admin key that was made at this first start; shown once. */
  readonly firstAdminKey: string | undefined
}

/**
 * Starts services on the configured port and answers once they work.
 *
 * @throws {BadConfiguration} {@link Unavailable} or a system error (the port is taken) when they can't.
 */
export async function start(config: Config, wanted: readonly Service[] = services): Promise<Running> {
  const { address, parts, working, stop } = await listen(config, wanted)
  try {
    return { address, parts, stop, firstAdminKey: (await working)?.firstAdminKey }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Listens on the configured port at once; until the servers are there that it needs, it says so to whoever asks.
 *
 * @throws {BadConfiguration} {@link Unavailable} or a system error (the port is taken) when it never could work.
 */
export async function listen(config: Config, wanted: readonly Service[] = services): Promise<Started> {
  const log = openLog(config.logLevel)
  const server = createServer({ keepAliveTimeout: IDLE })
  const answering = answersUnderWay(server)
  // Whoever asks before there is anybody to answer waits that moment.
  let answer: (app: RequestListener) => void = () => {}
  const app = new Promise<RequestListener>((resolve) => (answer = resolve))
  server.on('request', (request, response) => void app.then((respond) => respond(request, response)))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.port, config.host, () => resolve())
  })
  const { port } = addressOf(server.address())
  const everywhere = config.host === '::' || config.host === '0.0.0.0'
  const address = `http://${everywhere ? 'localhost' : config.host}:${port}`
  const closing = new AbortController()
  const stopping = new AbortController()
  try {
    const publicUrl = config.publicUrl ?? new URL(address)
    const parts = await assembleParts(config, log)
    const waiting = openWaiting(parts, log)
    const metrics = await openMetrics(parts, server)
    let isWorking = false
    let worker = Promise.resolve()
    answer(appOf(parts, wanted, { publicUrl, closing: closing.signal, waiting, isWorking: () => isWorking }))

    const begin = async () => {
      const prepared = await waiting.untilDone(async () => {
        await prepareParts(parts)
        return { firstAdminKey: wanted.includes('command') ? await firstKey() : undefined }
      }, stopping.signal)
      if (!prepared || stopping.signal.aborted) return undefined
      if (wanted.includes('worker')) worker = runWorker(workerParts(parts, publicUrl), stopping.signal)
      isWorking = true
      parts.meters?.working.set(1)
      return prepared
    }
    // The same one however often it has to be tried.
    const [thisStart, made] = [`start ${randomUUID()}`, newAccessKey()]
    const firstKey = () => new AdminKeys(parts.journal, parts.secrets).ensureFirst(config.adminAccessKey, thisStart, made)
    const working = begin()
    // Whoever waits for it is told.
    working.catch(() => {})

    return {
      address,
      parts,
      working,
      async stop() {
        // Answers that would go on for ever are ended first.
        closing.abort()
        await closeGracefully(server, answering)
        // Only now: a read that was under way may have waited for the worker.
        stopping.abort()
        await working.catch(() => {})
        await worker
        await metrics?.close()
        await parts.close()
      },
    }
  } catch (error) {
    stopping.abort()
    server.close()
    server.closeAllConnections()
    throw error
  }
}

/** Tells metrics where that is wanted, and times requests from now on. */
async function openMetrics(parts: Parts, server: Server): Promise<MetricsServer | undefined> {
  const { meters, config } = parts
  if (!meters || !config.metrics) return undefined
  server.on('request', (request, response) => meters.request(request, response))
  const [{ openMetricsServer }, { observeState }] = await Promise.all([import('./metrics/metrics-server.ts'), import('./metrics/state-metrics.ts')])
  try {
    return await openMetricsServer(config.metrics, meters, () => observeState(parts, meters))
  } catch (error) {
    await parts.close()
    throw new BadConfiguration(`METRICS_PORT: nothing can be told there: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The answers that a server has not given yet. */
function answersUnderWay(server: Server): ReadonlySet<ServerResponse> {
  const answering = new Set<ServerResponse>()
  server.on('request', (_request, response) => {
    answering.add(response)
    // It takes no new connections any more: those that there are end with their answers, however busy a client is.
    if (!server.listening) response.shouldKeepAlive = false
    response.once('close', () => answering.delete(response))
  })
  return answering
}

/** Lets nobody in any more, and waits until everybody who was has an answer. */
function closeGracefully(server: Server, answering: ReadonlySet<ServerResponse>): Promise<void> {
  return new Promise((resolve) => {
    // An answer whose head was sent before now leaves its connection open for a next request, which is not awaited.
    const closingIdle = setInterval(() => {
      if (answering.size === 0) server.closeAllConnections()
    }, CLOSING_IDLE_EVERY)
    server.close(() => {
      clearInterval(closingIdle)
      resolve()
    })
    for (const response of answering) response.shouldKeepAlive = false
  })
}

interface AppState {
  readonly publicUrl: URL
  readonly closing: AbortSignal
  readonly waiting: Waiting
  readonly isWorking: () => boolean
}

function appOf(parts: Parts, wanted: readonly Service[], { publicUrl, closing, waiting, isWorking }: AppState) {
  const { config, log, journal, sessionStore } = parts
  const app = createApp({ log, publicUrl, trustedProxies: config.trustedProxies })
  const secureCookies = publicUrl.protocol === 'https:'
  const sessions = openSessions(sessionStore, { secure: secureCookies, now: parts.now })
  const gate = new Gate(sessions, journal.of(adminKeys))
  registerHealth(app, gate, parts, isWorking)
  app.use((_request, _response, next) => {
    if (!isWorking()) throw waiting.missing ?? new HttpError(503, { message: 'Proofdesk is starting. Please try again in a moment.' }, STARTING_RETRY_SECONDS)
    next()
  })
  if (wanted.includes('command'))
    registerCommands(app, gate, {
      ...parts,
      sessions,
      files: parts.fileStore,
      findSetAside: async (id) => (await setAsideEvents(parts.viewStore, allViews)).find((event) => event.id === id),
      throttle: openThrottle(parts.openRateLimit),
      secureCookies,
    })
  if (wanted.includes('query'))
    registerQueries(app, {
      ...parts,
      gate,
      views: openViews(parts.viewStore),
      files: parts.fileStore,
      partStates: () => partStates(parts),
      reactions: REACTIONS,
      sealSeconds: config.sealSeconds,
      secureCookies,
      purchaseUrl: config.purchaseUrl,
      closing,
    })
  finish(app, log)
  return app
}

function workerParts(parts: Parts, publicUrl: URL) {
  const { config, journal, mailQueue, mailTransport, sessionStore, log, now } = parts
  const sealing = { ...parts, outside: parts.sealsOutside, every: config.sealSeconds * 1_000 }
  return {
    ...parts,
    sealing,
    purgeSessions: () => purgeSessions(sessionStore, now()),
    mail: { journal, queue: mailQueue, transport: mailTransport, publicUrl, log, now },
  }
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return address
}
