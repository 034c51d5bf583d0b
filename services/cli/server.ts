import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageOf } from '#infra/failures.ts'
import express, { type Express } from 'express'
import type { Logger } from 'pino'
import { pause } from '#infra/async.ts'
import type { Position } from '#infra/event-store/event-store.ts'
import { registerCommands } from '#services/command/command-service.ts'
import { createPasswordHashing, type HashCost } from '#services/identity/authentication/password-hash.ts'
import { BadConfiguration, type Config } from '#services/process/config.ts'
import { createDailyCount } from '#services/framework/http/daily-count.ts'
import { type HealthWatch, registerHealth, type StartState, watchHealth } from './health.ts'
import { mostConnections, openConnections, openFileLimit } from '#services/framework/http/connections.ts'
import { messageClassesOf, registerErrorHandling, registerMiddleware } from '#services/framework/http/express-app.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { createHttpDependencies } from '#services/portal/http-dependencies.ts'
import { assertStrongKeys } from '#services/process/keys/key-strength.ts'
import { reachableHost } from '#services/process/reachable-host.ts'
import { healthStates } from '#services/framework/api/health-schemas.ts'
import { createLogger } from '#services/process/logger.ts'
import type { MetricsServer } from '#services/operations/metrics/metrics-server.ts'
import {
  assembleDependencies,
  type Dependencies,
  prepareDecisions,
  prepareDependencies,
} from '#services/portal/composition-root.ts'
import { publishPresets } from '#services/programmes/programmes/server/programme-commands.ts'
import { AccessKeys, newAccessKey } from '#services/identity/staff/server/access-keys.ts'
import { registerQueries } from '#services/query/query-service.ts'
import { allProjections } from '#services/portal/modules.ts'
import { currentCalendar } from '#services/trading/calendar/server/current-calendar.ts'
import { createStages } from '#services/trading/accounts/server/stages.ts'
import { createDamagedFiles } from '#services/trading/certificates/server/damaged-files.ts'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { listDeadLetters } from '#services/event-sourcing/read-models/projection-progress.ts'
import { createDependencyWait, type DependencyWait } from './wait-for-dependencies.ts'
import { POLICY_SUBSCRIPTION } from '#services/worker/policy-subscription.ts'
import { readInstallationState } from '#services/operations/installation-state.ts'
import { allRoutes } from '#services/portal/routes.ts'
import { assertLaterKeys } from '#services/portal/required-keys.ts'
import { sealingKeys } from '#services/proof/account-export.ts'
import { checkLogWithWitnesses, followCheckpoints } from '#services/proof/log-start.ts'
import { runWorker } from '#services/worker/worker-service.ts'

/** The services. A process runs all of them by default, or any one of them. */
export const services = ['command', 'query', 'worker'] as const
export type Service = (typeof services)[number]

const STARTING_RETRY_SECONDS = 2
/** With fewer connections at a time the start says so: a browser opens up to six, and live pages keep theirs. */
const FEW_CONNECTIONS = 1_000
/** How long a request waits for a start in progress, in ms: proxies send requests as soon as a replica listens. */
const STARTING_PATIENCE_MS = 5_000

/** A listening server, which works once its dependencies are available. */
export interface Started {
  /** Its address: 'http://localhost:3000'. */
  readonly address: string
  readonly parts: Dependencies
  /**
   * Resolves once it works, or with undefined when it is stopped before. Rejects when waiting does not help.
   *
   * @throws {BadConfiguration} {@link Unavailable}
   */
  readonly working: Promise<{ readonly firstAdminKey: string | undefined } | undefined>
  /** Stops gracefully: completes requests and batches in progress. */
  stop(): Promise<void>
}

export interface StartOptions {
  /** The cost of new password hashes; the security checklist's unless a test says otherwise. */
  readonly passwordCost?: HashCost
  /** Called when it must not go on, with a reason for people: then it should be stopped. Only logged by default. */
  readonly onFailure?: (reason: unknown) => void
}

export interface Running extends Omit<Started, 'working'> {
  /** The admin key created at the first start; shown once. */
  readonly firstAdminKey: string | undefined
}

/**
 * Starts services on the configured port and resolves once they work.
 *
 * @throws {BadConfiguration} {@link Unavailable} or a system error (the port is taken) when they can't.
 */
export async function start(
  config: Config,
  wanted: readonly Service[] = services,
  options: StartOptions = {},
): Promise<Running> {
  const { address, parts, working, stop } = await listen(config, wanted, createLogger(config.logLevel), options)
  try {
    return { address, parts, stop, firstAdminKey: (await working)?.firstAdminKey }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Listens on the configured port at once, and answers 503 until its dependencies are available.
 *
 * @throws {BadConfiguration} {@link Unavailable} or a system error (the port is taken) when waiting does not help.
 */
export async function listen(
  config: Config,
  wanted: readonly Service[],
  log: Logger,
  { passwordCost, onFailure = () => {} }: StartOptions = {},
): Promise<Started> {
  await assertStrongKeys(config)
  const app = express()
  // Requests that arrive before the app is ready are held until it is.
  let answer = (): void => {}
  const ready = new Promise<void>((resolve) => (answer = resolve))
  const connections = openConnections(
    (request, response) => void ready.then(() => app(request, response)),
    messageClassesOf(app),
  )
  const { server } = connections
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.port, config.host, () => resolve())
  })
  const { port } = addressOf(server.address())
  const address = `http://${reachableHost(config.host, 'localhost')}:${port}`
  const closing = new AbortController()
  const stopping = new AbortController()
  try {
    const publicUrl = config.publicUrl ?? new URL(address)
    const parts = await assembleDependencies(config, log)
    if (config.smtpUrl === undefined && wanted.includes('worker'))
      log.warn(
        'SMTP_URL is not set: mails are written to outbox in DATA_DIR. Whoever can read them takes over accounts by the links in them',
      )
    if (config.smtpUrl !== undefined && config.publicUrl === undefined && wanted.includes('worker'))
      log.warn(`PUBLIC_URL is not set: the links in mails lead to ${publicUrl.origin}, which only this machine knows`)
    warnAboutOpenFiles(log)
    const waiting = createDependencyWait(parts, log)
    const startState: { isWorking: boolean; visibleFrom: Position | undefined } = {
      isWorking: false,
      visibleFrom: undefined,
    }
    const started = new AbortController()
    const health = watchHealth(parts, startState)
    const metrics = await startMetrics(parts, server, health)
    let background: readonly Promise<void>[] = []
    registerAll(app, parts, wanted, {
      publicUrl,
      closing: closing.signal,
      dependencyWait: waiting,
      startState,
      health,
      started: started.signal,
      passwordCost,
    })
    answer()

    const begin = async () => {
      const prepared = await waiting.retryUntilAvailable(async () => {
        await prepareDependencies(parts)
        const checkOtherKeys = wanted.includes('worker')
          ? await assertLaterKeys({
              ...parts,
              readModels: createReadModels(parts.readModelStore),
              sealingKeys: (await sealingKeys(parts.repositories)).length,
            })
          : undefined
        await checkLogWithWitnesses(parts, stopping.signal)
        await prepareDecisions(parts)
        // Commands need no read models.
        if (wanted.some((service) => service !== 'command')) startState.visibleFrom = await parts.eventStore.end()
        return { checkOtherKeys, firstAdminKey: wanted.includes('command') ? await firstKey() : undefined }
      }, stopping.signal)
      if (!prepared || stopping.signal.aborted) return undefined
      background = [
        ...(wanted.includes('worker') ? [runWorker({ ...parts, publicUrl }, stopping.signal)] : []),
        checkInBackground(prepared.checkOtherKeys),
        followCheckpoints(parts, config.sealSeconds * 1_000, stopping.signal),
      ]
      startState.isWorking = true
      started.abort()
      parts.meters?.working.set(1)
      return prepared
    }
    const checkInBackground = async (check: ((signal: AbortSignal) => Promise<void>) | undefined) => {
      try {
        await check?.(stopping.signal)
      } catch (error) {
        log.fatal({ err: error }, 'The portal must not go on')
        onFailure(error)
      }
    }
    // Created once, so that retries of the start use the same key.
    const [startId, newKey] = [`start ${randomUUID()}`, newAccessKey()]
    const firstKey = async () => {
      await publishPresets(parts.repositories, startId)
      return new AccessKeys(parts.repositories, parts.secrets).ensureFirstKey(config.adminAccessKey, startId, newKey)
    }
    const working = begin()
    // A caller that awaits it gets the error.
    working.catch(() => {})

    return {
      address,
      parts,
      working,
      async stop() {
        // End live streams first: they never end by themselves.
        closing.abort()
        await connections.close()
        // Stop the worker last: a read in progress may wait for it.
        stopping.abort()
        await working.catch(() => {})
        await Promise.all(background)
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

/** With a low limit few people are served at a time, without an error anywhere. */
function warnAboutOpenFiles(log: Logger): void {
  const files = openFileLimit()
  if (mostConnections() < FEW_CONNECTIONS)
    log.warn(
      `This process may open ${files} files, so it serves ${mostConnections()} connections at a time. Raise the limit on open files (ulimit -n, LimitNOFILE)`,
    )
}

/** Starts the metrics server if configured, and times requests from now on. */
async function startMetrics(
  parts: Dependencies,
  server: Server,
  health: HealthWatch,
): Promise<MetricsServer | undefined> {
  const { meters, config } = parts
  if (!meters || !config.metrics) return undefined
  server.on('request', (request, response) => meters.request(request, response))
  const [{ startMetricsServer }, { updateStateMetrics }] = await Promise.all([
    import('#services/operations/metrics/metrics-server.ts'),
    import('#services/operations/metrics/state-metrics.ts'),
  ])
  try {
    return await startMetricsServer(config.metrics, meters, {
      observe: async () => {
        const [{ status }] = await Promise.all([
          health.readiness(),
          updateStateMetrics({ ...parts, projections: allProjections }, meters),
        ])
        for (const state of healthStates) meters.health.set({ state }, state === status ? 1 : 0)
      },
      readiness: () => health.readiness(),
    })
  } catch (error) {
    await parts.close()
    throw new BadConfiguration(`METRICS_PORT: cannot listen on this port: ${messageOf(error)}`)
  }
}

interface AppState {
  readonly publicUrl: URL
  readonly closing: AbortSignal
  readonly dependencyWait: DependencyWait
  readonly startState: StartState
  readonly health: HealthWatch
  /** Aborts once the service works. */
  readonly started: AbortSignal
  readonly passwordCost: HashCost | undefined
}

function registerAll(
  app: Express,
  parts: Dependencies,
  wanted: readonly Service[],
  { publicUrl, closing, dependencyWait, startState, health, started, passwordCost }: AppState,
): void {
  const { config, log } = parts
  const serverErrors = createDailyCount(parts.now)
  registerMiddleware(app, {
    log,
    publicUrl,
    trustedProxies: config.trustedProxies,
    onServerError: serverErrors.add,
    recordedDownloads: allRoutes.filter(({ access }) => access === 'export'),
    largeBodies: allRoutes.filter(({ largestBody }) => largestBody !== undefined),
  })
  const shared = { ...parts, ...createHttpDependencies(parts, publicUrl) }
  registerHealth(app, shared.accessControl, health)
  const waitForStart = async (): Promise<void> => {
    if (!dependencyWait.missing) await pause(STARTING_PATIENCE_MS, AbortSignal.any([started, closing]))
    if (startState.isWorking) return
    throw (
      dependencyWait.missing ??
      new HttpError(503, { message: 'Proofdesk is starting. Please try again in a moment.' }, STARTING_RETRY_SECONDS)
    )
  }
  app.use(async (_request, _response, next) => {
    if (!startState.isWorking) await waitForStart()
    next()
  })
  if (wanted.includes('command'))
    registerCommands(app, {
      ...shared,
      findDeadLetter: async (id) =>
        (await listDeadLetters(parts.readModelStore, allProjections)).find((event) => event.id === id),
      passwords: createPasswordHashing(passwordCost),
      onAccessKeyRefused: () => parts.meters?.accessKeysRefused.inc(),
    })
  if (wanted.includes('query')) {
    const readModels = createReadModels(parts.readModelStore)
    registerQueries(app, {
      ...shared,
      readModels,
      stages: createStages(readModels, () => currentCalendar(parts.repositories)),
      projections: allProjections,
      serverErrors,
      damagedFiles: createDamagedFiles({ ...parts, onDamage: () => parts.meters?.damagedFiles.inc() }),
      componentStates: () => health.components(),
      installationState: () => readInstallationState(parts),
      policies: POLICY_SUBSCRIPTION,
      closing,
    })
  }
  registerErrorHandling(app, allRoutes, log)
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return address
}
