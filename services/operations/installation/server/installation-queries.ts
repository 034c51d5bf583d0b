import { mailFolderOf } from '#services/process/data-folder.ts'
import { isBeyondLog, requestedPosition } from '#services/framework/http/position-header.ts'
import { areSealsInDataFolder } from '#services/process/data-folder.ts'
import { comparePositions, type Position, start } from '#infra/event-store/event-store.ts'
import type { System, systemRoutes, SystemReader } from '../installation-api.ts'
import {
  type Estimate,
  readProjectionsState,
  type ProjectionStatus,
} from '#services/event-sourcing/read-models/projection-progress.ts'
import type { OperationsParts } from '#services/operations/parts.ts'
import type { Queries } from '#services/framework/module.ts'

/** The maximum on a page; the command line shows more. */
const MAX_MAILS = 100

/** The longest wait for the worker, in ms; then the current state is shown. */
const TIMEOUT_MS = 1_000

/** The state of the portal, for administrators and auditors. */
export function systemQueries(parts: OperationsParts['queries']) {
  const { eventStore, readModelStore, outbox, now } = parts

  const policiesPosition = async (): Promise<Position> =>
    (await readModelStore.checkpoints.load(parts.policies))?.position ?? start

  /** Waits until the worker has read a request that the caller has just made. */
  const untilReacted = async (position: Position): Promise<void> => {
    const deadline = now() + TIMEOUT_MS
    for (let left = TIMEOUT_MS; left > 0; left = deadline - now()) {
      const saved = readModelStore.checkpoints.saved(left)
      if (comparePositions(await policiesPosition(), position) >= 0) return
      await saved
    }
  }

  return {
    system: {
      needs: [],
      handle: async ({ request }) => {
        const position = requestedPosition(request)
        if (position && !(await isBeyondLog(position, eventStore))) await untilReacted(position)
        const end = await eventStore.end()
        const { projections, deadLetters } = await readProjectionsState(
          { end: async () => end },
          readModelStore,
          parts.projections,
          now(),
        )
        const reached = await policiesPosition()
        const caughtUp = comparePositions(reached, end) >= 0
        const progress = { name: parts.policies, position: Number(reached), caughtUp }
        const policies: SystemReader = { ...progress, catchingUp: null, rebuild: null }
        const { problems, verifying, seals } = await parts.proofWatch.read()
        const newest = seals?.newest ?? null
        const failures = (await outbox.failed()).slice(0, MAX_MAILS)
        const retrying = await outbox.retrying(MAX_MAILS)
        const serverErrors = parts.serverErrors.today()
        const rebuilding = new Set(
          projections.filter(({ requested, building }) => requested || building).map(({ view }) => view),
        )
        return {
          body: {
            at: new Date(now()).toISOString(),
            installation: await parts.installationState(),
            serverErrors: { count: serverErrors.count, since: new Date(serverErrors.since).toISOString() },
            parts: await parts.componentStates(),
            newest: Number(end),
            readers: [...projections.map(readerOf), policies],
            setAside: deadLetters.map(({ position, ...event }) => {
              return { ...event, number: Number(position), retrying: rebuilding.has(event.reader) }
            }),
            damagedFiles: parts.damagedFiles.list(),
            mail: {
              folder: mailFolderOf(parts.config),
              ...(await outbox.counts()),
              failures: failures.map(({ revision: _revision, ...failure }) => failure),
              retrying: retrying.map(({ revision: _revision, dueAt, ...mail }) => ({
                ...mail,
                nextTry: new Date(dueAt).toISOString(),
              })),
            },
            seals: {
              newest: newest && {
                number: newest.number,
                sealedAt: new Date(newest.sealedAt).toISOString(),
                upTo: Number(newest.last),
                keyId: newest.keyId,
              },
              unsealed: seals?.unsealed ?? 0,
              everySeconds: parts.config.sealSeconds,
              kept: keptBy(parts.config),
            },
            proof: {
              problems: [...problems],
              verifying: verifying
                ? {
                    startedAt: new Date(verifying.startedAt).toISOString(),
                    fraction: Math.min(1, verifying.position / Math.max(1, Number(end))),
                  }
                : null,
            },
          },
        }
      },
    },
  } satisfies Partial<Queries<typeof systemRoutes>>
}

function keptBy({ witnessPolicy, ...config }: OperationsParts['queries']['config']): System['seals']['kept'] {
  if (!areSealsInDataFolder(config)) return 'elsewhere'
  return witnessPolicy?.witnesses.some(({ url }) => url) ? 'witnessed' : 'in the data folder'
}

function readerOf({ view, position, caughtUp, catchingUp, requested, building }: ProjectionStatus): SystemReader {
  return {
    name: view,
    position: Number(position),
    caughtUp,
    catchingUp: catchingUp && toPlainText(catchingUp),
    rebuild: rebuildOf({ requested, building }),
  }
}

function rebuildOf({ requested, building }: Pick<ProjectionStatus, 'requested' | 'building'>): SystemReader['rebuild'] {
  if (building)
    return {
      state: building.fraction < 1 ? 'building' : 'finishing',
      position: Number(building.position),
      ...toPlainText(building),
    }
  return requested ? { state: 'asked', position: 0, fraction: 0, secondsLeft: null } : null
}

const toPlainText = ({ fraction, secondsLeft }: Estimate) => ({ fraction, secondsLeft })
