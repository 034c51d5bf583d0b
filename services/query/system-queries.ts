import { comparePositions, type Position, start } from '../../infra/event-store/event-store.ts'
import { routes, type SystemReader } from '../api/index.ts'
import { requestedPosition } from '../http/position-header.ts'
import { readSealStatus } from '../proof/seal-status.ts'
import { allProjections } from '../projections/index.ts'
import { type Estimate, readProjectionsState, type ProjectionStatus } from '../event-sourcing/projections/projection-status.ts'
import { isBeyondLog, type QueryDependencies, type RegisterQuery } from './query-dependencies.ts'

/** A page shows no more; the command line shows all. */
const MAX_FAILURES = 100

/** Who asks is not kept waiting for longer, in ms: what is known now is told then. */
const TIMEOUT_MS = 1_000

/** How the portal itself is, for administrators and auditors. */
export function registerSystemQueries(read: RegisterQuery, parts: QueryDependencies): void {
  const { eventStore, readModelStore, outbox, now } = parts

  /** Who has just asked for something sees that it is being done: the worker has read of it. */
  const untilHeard = async (asked: Position | undefined): Promise<void> => {
    if (!asked || (await isBeyondLog(asked, eventStore))) return
    const end = now() + TIMEOUT_MS
    while (now() < end) {
      const heard = readModelStore.checkpoints.saved(TIMEOUT_MS)
      if (comparePositions((await reactionsState(parts)).reached, asked) >= 0) return
      await heard
    }
  }

  read(routes.system, [], async ({ request }) => {
    await untilHeard(requestedPosition(request))
    const { projections, deadLetters } = await readProjectionsState(eventStore, readModelStore, allProjections, now())
    const { reached: _reached, ...reactions } = await reactionsState(parts)
    const { newest, unsealed } = await readSealStatus(parts)
    const failures = (await outbox.failed()).slice(0, MAX_FAILURES)
    const rebuilding = new Set(projections.filter(({ requested, building }) => requested || building).map(({ view }) => view))
    return {
      body: {
        at: new Date(now()).toISOString(),
        parts: await parts.componentStates(),
        newest: Number(await eventStore.end()),
        readers: [...projections.map(readerOf), reactions],
        setAside: deadLetters.map(({ id, reader, position, stream, revision, type, error }) => {
          return { id, reader, number: Number(position), stream, revision, type, error, retrying: rebuilding.has(reader) }
        }),
        mail: { ...(await outbox.counts()), failures: failures.map(({ id, kind, stream, attempts, error }) => ({ id, kind, stream, attempts, error })) },
        seals: {
          newest: newest && { number: newest.number, sealedAt: new Date(newest.sealedAt).toISOString(), upTo: Number(newest.last), keyId: newest.keyId },
          unsealed,
          everySeconds: parts.config.sealSeconds,
        },
      },
    }
  })
}

function readerOf({ view, position, caughtUp, catchingUp, requested, building }: ProjectionStatus): SystemReader {
  return { name: view, position: Number(position), caughtUp, catchingUp: catchingUp && toPlainText(catchingUp), rebuild: rebuildOf({ requested, building }) }
}

function rebuildOf({ requested, building }: Pick<ProjectionStatus, 'requested' | 'building'>): SystemReader['rebuild'] {
  if (building) return { state: building.fraction < 1 ? 'building' : 'finishing', position: Number(building.position), ...toPlainText(building) }
  return requested ? { state: 'asked', position: 0, fraction: 0, secondsLeft: null } : null
}

const toPlainText = ({ fraction, secondsLeft }: Estimate) => ({ fraction, secondsLeft })

/** Those who react to facts and queue mails have come this far. */
async function reactionsState({ eventStore, readModelStore, reactions }: QueryDependencies): Promise<SystemReader & { readonly reached: Position }> {
  const end = await eventStore.end()
  const reached = (await readModelStore.checkpoints.load(reactions))?.position ?? start
  return { reached, name: reactions, position: Number(reached), caughtUp: comparePositions(reached, end) >= 0, catchingUp: null, rebuild: null }
}
