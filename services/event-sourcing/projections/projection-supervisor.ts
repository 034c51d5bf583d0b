import type { EventStore } from '../../../infra/event-store/event-store.ts'
import type { ViewStore } from '../../../infra/read-model-store/read-model-store.ts'
import type { PersonKeys } from '../crypto-shredding/person-keys.ts'
import {
  startRebuild,
  dropCollection,
  type RebuildState,
  recordLiveCollection,
  readRebuildState,
  saveRebuildRate,
  promoteShadow,
  collectionVersion,
} from './rebuild-state.ts'
import type { EventRegistry } from '../event-registry.ts'
import type { Projection } from './projection.ts'
import { runAsLeader } from '../subscriptions/leader-election.ts'
import { type Follower, followerReader } from '../subscriptions/reaction-runner.ts'
import { type Lanes, type Log, openLanes, pause } from '../subscriptions/shared-subscription.ts'
import { type ViewReader, viewReader } from './projection-runner.ts'

export type { Follower } from '../subscriptions/reaction-runner.ts'
export type { Log } from '../subscriptions/shared-subscription.ts'

export interface ProjectorOptions {
  readonly registry: EventRegistry
  readonly eventStore: EventStore
  readonly viewStore: ViewStore
  readonly personKeys: Pick<PersonKeys, 'get'>
  readonly views: readonly Projection[]
  readonly followers?: readonly Follower[]
  readonly signal: AbortSignal
  readonly log: Log
  /** Events folded at once where there are many. With more, most of a batch outlives the young generation of the garbage collector. */
  readonly batchSize?: number
  /** How often it looks for what was asked of it, in ms: rebuilds, and the lease while another has it. */
  readonly pollInterval?: number
  /** How long a collection stays after another took its place, in ms: queries that began on it may still be under way. */
  readonly retireAfter?: number
  /** What a reader that failed waits before it begins again, in ms; then twice as long each time. */
  readonly retryAfter?: number
  /** How long another projector waits for a sign of life, in ms. */
  readonly leaseTime?: number
}

/** The time over which it is measured how fast a view comes on, in ms; and after how many looks that is noted. */
const PACE = { over: 30_000, looks: 4 }

/**
 * Keeps all views up to what the log says and feeds the followers, until `signal` aborts. One projector works, others
 * stand by. It never gives up: whatever fails is begun again where it stood.
 */
export function runProjector(options: ProjectorOptions): Promise<void> {
  const { viewStore, signal, log, pollInterval, leaseTime } = options
  return runAsLeader({ leases: viewStore, name: 'projector', signal, log, pollInterval, leaseTime }, (term) => project({ ...options, signal: term }))
}

async function project(options: ProjectorOptions): Promise<void> {
  const { views, followers = [], registry, eventStore, viewStore, personKeys, signal, log, batchSize = 500, retryAfter = 100 } = options
  const lanes = openLanes({ registry, eventStore, personKeys, batchSize, retryAfter, log })
  await Promise.all([
    ...views.map((view) => tend(view, lanes, options)),
    ...followers.map((follower) => lanes.attend(followerReader(follower, viewStore, log), signal)),
  ])
}

/** Keeps the generations of one view going: serves one, builds another when that is asked for, drops what is retired. */
async function tend(view: Projection, lanes: Lanes, options: ProjectorOptions): Promise<void> {
  const { viewStore, signal, log, pollInterval = 500, retireAfter = 5_000 } = options
  const running = new Map<string, Running>()
  const retiredSince = new Map<string, number>()

  const run = (collection: string): Running => {
    const known = running.get(collection)
    if (known) return known
    const started = startReader(collection, viewReader(view, collection, viewStore, log), lanes, signal)
    running.set(collection, started)
    return started
  }

  const stopAllBut = async (wanted: readonly (string | undefined)[]) => {
    for (const [collection, { stop }] of running) {
      if (wanted.includes(collection)) continue
      await stop()
      running.delete(collection)
    }
  }

  const dropRetired = async (retired: readonly string[]) => {
    for (const collection of retired) {
      const since = retiredSince.get(collection) ?? Date.now()
      retiredSince.set(collection, since)
      if (Date.now() - since < retireAfter) continue
      await dropCollection(viewStore, view, collection)
      retiredSince.delete(collection)
      log.info({ view: view.name, collection }, 'A retired collection was dropped')
    }
  }

  /** Documents are written much faster while there are no indexes; those are made once it has caught up. */
  const completeIndexes = async (reader: Running): Promise<void> => {
    if (reader.complete) return
    let caughtUp = false
    await lanes.between(reader.reader, async (lane) => void (caughtUp = lane.caughtUp))
    if (!caughtUp) return
    // It takes long where there are many documents. Who stops meanwhile need not wait: it goes on at the next start.
    const opened = viewStore.open(view.collection(reader.collection))
    opened.catch(() => {})
    await Promise.race([opened, aborted(signal)])
    reader.complete = !signal.aborted
    if (reader.complete) await saveRebuildRate(viewStore, reader.collection, null)
  }

  /** For whoever wants to know how long it will take: this worker knows best how fast it is. */
  const notePace = async ({ complete, collection, reader, samples }: Running): Promise<void> => {
    const now = Date.now()
    if (complete || now - (samples.at(-1)?.at ?? 0) < PACE.looks * pollInterval) return
    samples.push({ at: now, position: Number(reader.reached) })
    while (now - (samples[1]?.at ?? now) > PACE.over) samples.shift()
    const [first, last] = [samples[0], samples.at(-1)]
    if (!first || !last || last.at === first.at) return
    await saveRebuildRate(viewStore, collection, { at: now, perSecond: (last.position - first.position) / ((last.at - first.at) / 1_000) })
  }

  /** Switches while both generations rest at the same position, so that no query ever sees less than one before it. */
  const switchWhenReached = async (generations: RebuildState, serving: Running, building: Running): Promise<boolean> => {
    let switched = false
    await lanes.between(building.reader, async (lane) => {
      if (!lane.has(serving.reader) && !(lane.caughtUp && lanes.isFailing(serving.reader))) return
      await promoteShadow(viewStore, view, generations)
      switched = true
    })
    if (switched) log.info({ view: view.name, from: generations.live, to: generations.shadow }, 'A rebuilt view is served')
    return switched
  }

  const look = async (): Promise<boolean> => {
    const generations = await readRebuildState(viewStore, view)
    const { live, shadow, retired, requested } = generations
    const wrongVersion = collectionVersion(shadow ?? live) !== view.version
    if (wrongVersion || (requested && !shadow)) {
      await startRebuild(viewStore, view, generations)
      log.info({ view: view.name, version: view.version, serving: live }, 'A view is being built anew')
      return true
    }
    await stopAllBut([live, shadow])
    const served = run(live)
    await notePace(served)
    await completeIndexes(served)
    if (shadow) {
      const next = run(shadow)
      await notePace(next)
      await completeIndexes(next)
      if (next.complete && (await switchWhenReached(generations, served, next))) return true
    }
    await dropRetired(retired)
    return false
  }

  let prepared = false
  while (!signal.aborted) {
    try {
      if (!prepared) await recordLiveCollection(viewStore, view)
      prepared = true
      if (await look()) continue
    } catch (error) {
      log.warn({ view: view.name, err: error }, 'A view could not be looked after and will be again')
    }
    await pause(pollInterval, signal)
  }
  await stopAllBut([])
}

interface Running {
  readonly collection: string
  readonly reader: ViewReader
  /** Where it was when it was looked at, while it is not complete. */
  readonly samples: { readonly at: number; readonly position: number }[]
  /** All indexes are there. */
  complete: boolean
  stop(): Promise<void>
}

function startReader(collection: string, reader: ViewReader, lanes: Lanes, signal: AbortSignal): Running {
  const stopped = new AbortController()
  const ended = lanes.attend(reader, AbortSignal.any([signal, stopped.signal]))
  return {
    collection,
    reader,
    samples: [],
    complete: false,
    async stop() {
      stopped.abort()
      await ended
    },
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
