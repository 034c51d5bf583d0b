import { pause } from '#infra/async.ts'
import { comparePositions, type EventStore, type Position } from '#infra/event-store/event-store.ts'
import type {
  CheckpointStore,
  ConsumerCheckpoint,
  ProjectionState,
  ReadModelStore,
} from '#infra/read-model-store/read-model-store.ts'
import type { EventRegistry } from '#services/event-sourcing/event-registry.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import { runAsLeader } from '#services/event-sourcing/subscriptions/leader-election.ts'
import {
  type Consumer,
  createLogSubscriptions,
  type Fed,
  type LogSubscriptions,
} from '#services/event-sourcing/subscriptions/log-subscription.ts'
import type { Projection } from './projection.ts'
import { type ReadModelWriter, createReadModelWriter } from './read-model-writer.ts'
import {
  beginRebuild,
  forgetRetired,
  initialState,
  isCollection,
  needsRebuild,
  replaceUnauthentic,
  type StateChange,
  switchOver,
} from './blue-green-rebuild.ts'

export interface ProjectorOptions {
  readonly registry: EventRegistry
  readonly eventStore: Pick<EventStore, 'subscribe'>
  readonly store: Omit<ReadModelStore, 'ready' | 'close'>
  readonly personKeys: Pick<PersonKeys, 'get'>
  readonly projections: readonly Projection[]
  /** They read the log beside the projections. */
  readonly consumers?: readonly Consumer[]
  readonly signal: AbortSignal
  readonly log: Log
  /**
   * Events applied at once where there are many. With more, most of a batch outlives the young generation of the
   * garbage collector.
   */
  readonly batchSize?: number
  /** How often it looks for requested rebuilds, and for the lease while another has it, in ms. */
  readonly pollInterval?: number
  /** How long a collection is kept after another replaced it, in ms: queries that began on it may still be running. */
  readonly retireAfter?: number
  /** The first delay after a failure of a consumer, in ms; doubled each time. */
  readonly retryAfter?: number
  /** How long another projector waits for a sign of life, in ms. */
  readonly leaseTime?: number
}

/** The pace is written once in so many looks. */
const LOOKS_PER_PACE = 4
/** How long a switch waits for the new collection to reach the old one, in ms. */
const SWITCH_TIMEOUT_MS = 1_000

/**
 * Keeps all read models up to date and feeds the other consumers until `signal` aborts. One projector works, the others
 * stand by. Failures are retried from the last checkpoint, for ever.
 */
export function runProjector(options: ProjectorOptions): Promise<void> {
  const { store, signal, log, pollInterval, leaseTime } = options
  return runAsLeader({ leases: store.leases, name: 'projector', signal, log, pollInterval, leaseTime }, (term) =>
    project({ ...options, signal: term }),
  )
}

async function project(options: ProjectorOptions): Promise<void> {
  const {
    registry,
    eventStore,
    consumers = [],
    personKeys,
    signal,
    log,
    batchSize = 500,
    retryAfter = 100,
    pollInterval = 500,
  } = options
  const subscriptions = createLogSubscriptions({ registry, eventStore, personKeys, batchSize, retryAfter, log })
  const fed = subscriptions.add(consumers, signal)
  const supervisor = createSupervisor(options, subscriptions)
  while (!signal.aborted) {
    try {
      // One change may allow the next: look again at once.
      while (!signal.aborted && (await supervisor.look())) continue
    } catch (error) {
      log.warn({ err: error }, 'The projections could not be supervised and will be again')
    }
    await pause(pollInterval, signal)
  }
  await Promise.all([supervisor.stop(), ...fed.map(({ stop }) => stop())])
}

/** A collection that is being kept up to date. */
interface Running extends Fed<ReadModelWriter> {
  /** It has caught up at least once. */
  isFilled: boolean
  looks: number
  /** Where it was at the first look. */
  readonly from: { readonly at: number; readonly position: Position }
}

/** Keeps the collections of all projections going: serves one of each, builds another on request, drops the retired. */
function createSupervisor(
  { store, projections, signal, log, retireAfter = 5_000 }: ProjectorOptions,
  subscriptions: LogSubscriptions,
) {
  const { documents, checkpoints, deadLetters } = store
  const stores = { documents, deadLetters, checkpoints: { ...checkpoints, save: savedTogether(checkpoints) } }
  const running = new Map<string, Running>()
  const retiredSince = new Map<string, number>()

  const stop = async (collection: string) => {
    await running.get(collection)?.stop()
    running.delete(collection)
  }

  /** Starts together what starts at the same look: a rebuild of all projections reads the log once. */
  const runOnly = async (wanted: ReadonlyMap<string, Projection>) => {
    for (const collection of running.keys()) if (!wanted.has(collection)) await stop(collection)
    const missing = [...wanted].filter(([collection]) => !running.has(collection))
    const consumers = missing.map(([collection, projection]) =>
      createReadModelWriter(projection, collection, stores, log),
    )
    for (const { consumer, stop } of subscriptions.add(consumers, signal))
      running.set(consumer.name, {
        consumer,
        stop,
        isFilled: false,
        looks: 0,
        from: { at: Date.now(), position: consumer.position },
      })
  }

  /** False when another worker was faster. */
  const change = ({ projection, serving, building, generation }: ProjectionState, to: StateChange): Promise<boolean> =>
    store.projections.update(projection, to, { serving, building, generation })

  /** For estimates of the time left: only the worker knows how fast it is. */
  const savePace = async ({ projection, pace }: ProjectionState, one: Running) => {
    const { consumer, from } = one
    const seconds = (Date.now() - from.at) / 1_000
    one.isFilled ||= consumer.caughtUp
    if (one.isFilled) {
      if (pace !== null) await store.projections.update(projection, { pace: null })
    } else if (++one.looks % LOOKS_PER_PACE === 0) {
      const perSecond = (Number(consumer.position) - Number(from.position)) / seconds
      await store.projections.update(projection, { pace: { collection: consumer.name, at: Date.now(), perSecond } })
    }
  }

  /**
   * The old collection is not updated until queries read the new one, so that no query sees less than one before it.
   */
  const switchWhenReached = async (state: ProjectionState, serving: Running, building: Running): Promise<boolean> => {
    if (!building.consumer.caughtUp) return false
    await stop(state.serving)
    const isBehind = () => comparePositions(building.consumer.position, serving.consumer.position) < 0
    const until = Date.now() + SWITCH_TIMEOUT_MS
    while (isBehind() && Date.now() < until && !signal.aborted) await checkpoints.saved(10)
    if (!isBehind() && (await change(state, switchOver(state))))
      log.info({ view: state.projection, from: state.serving, to: state.building }, 'A rebuilt read model is served')
    return true
  }

  const dropRetired = async (state: ProjectionState): Promise<boolean> => {
    for (const collection of state.retired) {
      const since = retiredSince.get(collection) ?? Date.now()
      retiredSince.set(collection, since)
      if (Date.now() - since < retireAfter) continue
      await documents.drop(collection)
      await checkpoints.delete(collection)
      await deadLetters.delete(collection)
      retiredSince.delete(collection)
      if (await change(state, forgetRetired(state, collection)))
        log.info({ view: state.projection, collection }, 'A retired collection was dropped')
      return true
    }
    return false
  }

  /** Does the next thing that a state asks for. Returns whether the state has changed. */
  const step = async (projection: Projection, state: ProjectionState): Promise<boolean> => {
    if (!isCollection(state.serving)) return change(state, replaceUnauthentic(state, projection))
    if (needsRebuild(state, projection)) {
      if (await change(state, beginRebuild(state, projection)))
        log.info(
          { view: projection.name, version: projection.version, serving: state.serving },
          'A read model is being rebuilt',
        )
      return true
    }
    const [serving, building] = [running.get(state.serving), running.get(state.building ?? '')]
    const filling = building ?? serving
    if (filling) await savePace(state, filling)
    if (serving && building && (await switchWhenReached(state, serving, building))) return true
    return dropRetired(state)
  }

  return {
    /** Returns whether something has changed, so that the next look is due at once. */
    async look(): Promise<boolean> {
      const known = await store.projections.loadAll()
      const states = await Promise.all(
        projections.map(
          async (projection) =>
            [
              projection,
              known.get(projection.name) ?? (await store.projections.create(initialState(projection))),
            ] as const,
        ),
      )
      await runOnly(
        new Map(
          states.flatMap(([projection, { serving, building }]) =>
            [serving, building].flatMap((name) => (name ? [[name, projection]] : [])),
          ),
        ),
      )
      const changed = await Promise.all(states.map(([projection, state]) => step(projection, state)))
      return changed.includes(true)
    },
    stop: () => runOnly(new Map()),
  }
}

/** Saves what is to be saved in the same turn of the event loop at once: several checkpoints cost one commit. */
function savedTogether(checkpoints: Pick<CheckpointStore, 'save'>): CheckpointStore['save'] {
  let waiting: ConsumerCheckpoint[] = []
  let saving: Promise<void> | undefined
  const save = () => {
    const all = waiting
    waiting = []
    saving = undefined
    return checkpoints.save(...all)
  }
  return (...checkpoint) => {
    waiting.push(...checkpoint)
    saving ??= Promise.resolve().then(save)
    return saving
  }
}
