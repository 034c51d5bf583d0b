import { comparePositions, type Position, start } from '../../infra/event-store/event-store.ts'
import { routes, type SystemReader } from '../api/index.ts'
import { askedPosition } from '../http/position-header.ts'
import { sealingState } from '../proof/seal-status.ts'
import { allViews } from '../projections/index.ts'
import { type Estimate, projectionState, type ViewStatus } from '../event-sourcing/projections/projection-status.ts'
import type { QueryParts, Read } from './query-dependencies.ts'

/** A page shows no more; the command line shows all. */
const MOST_FAILURES = 100

/** Who asks is not kept waiting for longer, in ms: what is known now is told then. */
const PATIENCE = 1_000

/** How the portal itself is, for administrators and auditors. */
export function registerSystem(read: Read, parts: QueryParts): void {
  const { eventStore, viewStore, mailQueue, now } = parts

  /** Who has just asked for something sees that it is being done: the worker has read of it. */
  const untilHeard = async (asked: Position | undefined): Promise<void> => {
    const end = now() + PATIENCE
    while (asked && now() < end) {
      const heard = viewStore.progressed(PATIENCE)
      if (comparePositions((await reactionsState(parts)).reached, asked) >= 0) return
      await heard
    }
  }

  read(routes.system, [], async ({ request }) => {
    await untilHeard(askedPosition(request))
    const { views, setAside } = await projectionState(eventStore, viewStore, allViews, now())
    const { reached: _reached, ...reactions } = await reactionsState(parts)
    const { newest, unsealed } = await sealingState(parts)
    const failures = (await mailQueue.failed()).slice(0, MOST_FAILURES)
    const rebuilding = new Set(views.filter(({ requested, building }) => requested || building).map(({ view }) => view))
    return {
      body: {
        at: new Date(now()).toISOString(),
        parts: await parts.partStates(),
        newest: Number(await eventStore.end()),
        readers: [...views.map(readerOf), reactions],
        setAside: setAside.map(({ id, reader, position, stream, revision, type, error }) => {
          return { id, reader, number: Number(position), stream, revision, type, error, retrying: rebuilding.has(reader) }
        }),
        mail: { ...(await mailQueue.counts()), failures: failures.map(({ id, kind, stream, attempts, error }) => ({ id, kind, stream, attempts, error })) },
        seals: {
          newest: newest && { number: newest.number, sealedAt: new Date(newest.sealedAt).toISOString(), upTo: Number(newest.last), keyId: newest.keyId },
          unsealed,
          everySeconds: parts.sealSeconds,
        },
      },
    }
  })
}

function readerOf({ view, position, caughtUp, catchingUp, requested, building }: ViewStatus): SystemReader {
  return { name: view, position: Number(position), caughtUp, catchingUp: catchingUp && plain(catchingUp), rebuild: rebuildOf({ requested, building }) }
}

function rebuildOf({ requested, building }: Pick<ViewStatus, 'requested' | 'building'>): SystemReader['rebuild'] {
  if (building) return { state: building.fraction < 1 ? 'building' : 'finishing', position: Number(building.position), ...plain(building) }
  return requested ? { state: 'asked', position: 0, fraction: 0, secondsLeft: null } : null
}

const plain = ({ fraction, secondsLeft }: Estimate) => ({ fraction, secondsLeft })

/** Those who react to facts and queue mails have come this far. */
async function reactionsState({ eventStore, viewStore, reactions }: QueryParts): Promise<SystemReader & { readonly reached: Position }> {
  const end = await eventStore.end()
  const reached = (await viewStore.progress(reactions))?.position ?? start
  return { reached, name: reactions, position: Number(reached), caughtUp: comparePositions(reached, end) >= 0, catchingUp: null, rebuild: null }
}
