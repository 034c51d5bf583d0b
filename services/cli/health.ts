import type { Express, Request } from 'express'
import { shared, withTimeout } from '#infra/async.ts'
import { comparePositions, type Position } from '#infra/event-store/event-store.ts'
import { type Readiness, statusCodeOf } from '#services/framework/api/health-schemas.ts'
import type { ProofProblem } from '#services/framework/api/proof-schemas.ts'
import { serviceRoutes } from '#services/framework/api/service-routes.ts'
import type { SystemPart } from '#services/operations/installation/installation-api.ts'
import type { AccessControl } from '#services/identity/sign-in/server/access-control.ts'
import { serve } from '#services/framework/http/serve-route.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { allProjections } from '#services/portal/modules.ts'
import { version } from '#services/process/version.ts'
import { personIdOf } from '#services/oversight/event-catalogue.ts'
import { readProjectionsState } from '#services/event-sourcing/read-models/projection-progress.ts'

/** The probe timeout, in ms. */
const PROBE_TIMEOUT_MS = 4_000

/** The start state of this process. */
export interface StartState {
  /** Whether every dependency was available. */
  readonly isWorking: boolean
  /** The end of the log at the start. A process that serves or builds read models is ready once they include it. */
  readonly visibleFrom: Position | undefined
}

/** The health of a process's parts. However many ask, each part is asked at most this often. */
export type HealthWatch = ReturnType<typeof watchHealth>

/** How long an answer is shared, in ms. A mail server and a bucket open a connection for each question, and count it. */
const SHARED_MS = { usually: 1_000, connecting: 5_000 }

/** Parts without which the portal works on: nobody waits for a mail (decision 015). */
const UNNEEDED: ReadonlySet<string> = new Set(['mail queue', 'mail transport', 'mail'])

/** Watches the parts of a process for /readyz, the metrics and the page System. */
export function watchHealth(parts: Dependencies, start: StartState) {
  const components = componentStates(parts)
  const projections = shared(SHARED_MS.usually, () =>
    probe(() => readProjectionsState(parts.eventStore, parts.readModelStore, allProjections)),
  )
  const mails = shared(SHARED_MS.usually, () => outboxState(parts))
  const proofs = shared(SHARED_MS.usually, () => proofState(parts))

  return {
    components,
    /** Whether the service is ready, part by part: for staff and the metrics port. The public learns only whether it is. */
    async readiness(): Promise<Readiness> {
      // As it is now: a process that begins to work meanwhile is not ready by what was asked before.
      const { isWorking, visibleFrom } = start
      const [states, views, mail, proof] = await Promise.all([
        components(),
        projections().then((state) => projectionStates(state, visibleFrom)),
        mails(),
        proofs(),
      ])
      const stores = Object.fromEntries(states.map(({ name, ready }) => [name, { ready }] as const))
      const all = { ...stores, views, mail, proof, ...(isWorking ? {} : { start: { ready: false } }) }
      const away = Object.entries(all).flatMap(([name, { ready }]) => (ready ? [] : name))
      return {
        status: away.some((name) => !UNNEEDED.has(name))
          ? 'unavailable'
          : away.length > 0 || proof.problems?.length
            ? 'degraded'
            : 'ok',
        parts: all,
        version,
        startedAt: new Date(performance.timeOrigin).toISOString(),
      }
    },
  }
}

/** GET /healthz and /readyz, the same for every service, also while it waits for its dependencies. */
export function registerHealth(app: Express, accessControl: AccessControl, health: HealthWatch): void {
  const options = { accessControl, secureCookies: false }
  serve(app, serviceRoutes.health, options, async () => ({ body: { status: 'ok' } }))

  serve(app, serviceRoutes.readiness, options, async ({ request }) => {
    const [body, isStaff] = await Promise.all([health.readiness(), isFromStaff(request, accessControl)])
    return { status: statusCodeOf(body), body: isStaff ? body : { status: body.status } }
  })
}

/** No one is recognized while sessions can't be read. */
async function isFromStaff(request: Request, accessControl: AccessControl): Promise<boolean> {
  return (await probe(() => accessControl.adminOf(request))) !== undefined
}

/** The availability of each store and transport the portal depends on. */
export function componentStates(parts: Dependencies): () => Promise<SystemPart[]> {
  const stores = {
    'event store': parts.eventStore,
    'view store': parts.readModelStore,
    'key store': parts.keyStore,
    'session store': parts.sessionStore,
    'mail queue': parts.outbox,
    'mail transport': parts.mailTransport,
    'file store': parts.fileStore,
  }
  const { s3Url, smtpUrl } = parts.config
  const connecting = new Set([...(s3Url ? ['file store'] : []), ...(smtpUrl ? ['mail transport'] : [])])
  const watched = Object.entries(stores).map(([name, store]) => ({
    name,
    isReady: shared(
      connecting.has(name) ? SHARED_MS.connecting : SHARED_MS.usually,
      async () => (await probe(() => store.ready().then(() => true))) === true,
    ),
  }))
  return () =>
    Promise.all(
      watched.map(async ({ name, isReady }) => ({ name, ready: await isReady(), needed: !UNNEEDED.has(name) })),
    )
}

/**
 * The lag of each read model. They are ready once they include everything that was in the log at the start; a later lag
 * or a dead letter is no reason to take a service out of use.
 *
 * @param state Undefined where it could not be read.
 */
function projectionStates(
  state: Awaited<ReturnType<typeof readProjectionsState>> | undefined,
  visibleFrom: Position | undefined,
): { ready: boolean; views?: unknown; setAside?: unknown } {
  if (!state) return { ready: false }
  const { projections, deadLetters } = state
  return {
    ready:
      visibleFrom === undefined || projections.every(({ position }) => comparePositions(position, visibleFrom) >= 0),
    views: projections.map(({ view, position, end, caughtUp, catchingUp, building, poison }) => {
      return { view, position, end, caughtUp, catchingUp, building, poison: poison.length }
    }),
    setAside: deadLetters.map(({ id, type, error, stream }) => ({ id, type, error: withoutPerson(error, stream) })),
  }
}

/** Auditors and the metrics port read this too, and only administrators may learn whom an event is about. */
function withoutPerson(error: string, stream: string): string {
  const person = personIdOf(stream)
  return person === undefined ? error : error.replaceAll(person, '…')
}

async function outboxState({
  outbox,
}: Dependencies): Promise<{ ready: boolean; waiting?: number; sent?: number; failed?: number }> {
  const counts = await probe(() => outbox.counts())
  return { ready: counts !== undefined, ...counts }
}

/** Reads the problems of the proof, for which no service is taken out of use. Unknown where the file store is away. */
async function proofState({ proofWatch }: Dependencies): Promise<{ ready: true; problems?: ProofProblem[] }> {
  const state = await probe(() => proofWatch.read())
  if (!state) return { ready: true }
  // Streams are named as `user-…#3`.
  const hidden = (says: string) => says.replaceAll(/[\w-]+(?=#\d)/g, (stream) => withoutPerson(stream, stream))
  return { ready: true, problems: state.problems.map((problem) => ({ ...problem, says: hidden(problem.says) })) }
}

/** The answer of a part; undefined where it fails, or takes too long. */
async function probe<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await withTimeout(ask(), PROBE_TIMEOUT_MS, () => new Error(`No answer within ${PROBE_TIMEOUT_MS} ms`))
  } catch {
    return undefined
  }
}
