import { comparePositions, type EventStore, type Position, start } from '#infra/event-store/event-store.ts'
import type { DeadLetter, ProjectionState, ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import type { Projection } from './projection.ts'
import { initialState, isCollection } from './blue-green-rebuild.ts'

/** How far a projection has followed the log. Positions are not counts: their difference is no number of events. */
export interface ProjectionStatus {
  readonly view: string
  /** The collection that queries read. */
  readonly collection: string
  readonly position: Position
  /** The end of the log. */
  readonly end: Position
  readonly caughtUp: boolean
  /** The progress of the collection that queries read, while it is behind. */
  readonly catchingUp: Estimate | null
  /** A rebuild was requested and has not begun. */
  readonly requested: boolean
  /** The collection that will replace it. */
  readonly building: ({ readonly collection: string; readonly position: Position } & Estimate) | null
  /** Events that could not be applied to what is served; each blocks its stream until the read model is rebuilt. */
  readonly poison: readonly DeadLetterEntry[]
}

/** How much is done, and how long the rest will take. */
export interface Estimate {
  /** The part of the log that is read, from 0 to 1. */
  readonly fraction: number
  /** Null where it is not known: nothing is moving, or what is left is not reading. */
  readonly secondsLeft: number | null
}

/** An event that a consumer of the log could not use. */
export interface DeadLetterEntry extends Omit<DeadLetter, 'consumer'> {
  /** 'users.1042': the projection or subscription, and the event's position. */
  readonly id: string
  /** The projection or subscription. */
  readonly reader: string
}

/** A pace older than this, in ms, means that no worker is running. */
const PACE_VALID_FOR = 15_000

/** The parts of a store that hold states and not documents. */
export type StatusStore = Pick<ReadModelStore, 'checkpoints' | 'projections' | 'deadLetters'>

/** The state of every projection and all dead letters, for health, `proofdesk status` and administrators. */
export async function readProjectionsState(
  eventStore: Pick<EventStore, 'end'>,
  store: StatusStore,
  projections: readonly Projection[],
  now = Date.now(),
) {
  const end = await eventStore.end()
  // As many queries as for one projection: a busy store is asked little.
  const [checkpoints, states, letters] = await Promise.all([
    store.checkpoints.loadAll(),
    store.projections.loadAll(),
    store.deadLetters.list(),
  ])
  const positionOf = (collection: string) => checkpoints.get(collection)?.position ?? start
  const statusOf = (projection: Projection): ProjectionStatus => {
    const { serving, building, rebuildRequested, pace } = states.get(projection.name) ?? initialState(projection)
    const estimate = (collection: string) =>
      estimateOf(positionOf(collection), end, pace?.collection === collection ? pace : null, now)
    const position = positionOf(serving)
    const caughtUp = comparePositions(position, end) >= 0
    return {
      view: projection.name,
      collection: serving,
      position,
      end,
      caughtUp,
      catchingUp: caughtUp ? null : estimate(serving),
      requested: rebuildRequested,
      building:
        building === null ? null : { collection: building, position: positionOf(building), ...estimate(building) },
      poison: letters
        .filter(({ consumer }) => consumer === serving)
        .map((letter) => deadLetterEntryOf(projection.name, letter)),
    }
  }
  return { projections: projections.map(statusOf), deadLetters: visibleDeadLetters(states, letters, projections) }
}

/** The state of every projection. */
export async function readProjectionStatus(
  eventStore: Pick<EventStore, 'end'>,
  store: StatusStore,
  projections: readonly Projection[],
): Promise<readonly ProjectionStatus[]> {
  return (await readProjectionsState(eventStore, store, projections)).projections
}

/**
 * The dead letters of the collections that are served and of the policies. Those of a collection being built appear
 * once it is served.
 */
export async function listDeadLetters(
  store: Omit<StatusStore, 'checkpoints'>,
  projections: readonly Projection[],
): Promise<DeadLetterEntry[]> {
  const [states, letters] = await Promise.all([store.projections.loadAll(), store.deadLetters.list()])
  return visibleDeadLetters(states, letters, projections)
}

function visibleDeadLetters(
  states: ReadonlyMap<string, ProjectionState>,
  letters: readonly DeadLetter[],
  projections: readonly Projection[],
): DeadLetterEntry[] {
  const served = new Map(
    projections.map((projection) => [
      (states.get(projection.name) ?? initialState(projection)).serving,
      projection.name,
    ]),
  )
  return letters.flatMap((letter) => {
    const reader = served.get(letter.consumer) ?? (isCollection(letter.consumer) ? undefined : letter.consumer)
    return reader === undefined ? [] : [deadLetterEntryOf(reader, letter)]
  })
}

function deadLetterEntryOf(reader: string, { consumer: _consumer, ...letter }: DeadLetter): DeadLetterEntry {
  return { ...letter, reader, id: `${reader.replaceAll(/[^a-z0-9]+/gi, '-')}.${letter.position}` }
}

/** The progress of a consumer, and the time left at this pace. */
export function estimateOf(
  position: Position,
  end: Position,
  pace: Pick<NonNullable<ProjectionState['pace']>, 'at' | 'perSecond'> | null,
  now: number,
): Estimate {
  const [done, all] = [Number(position), Number(end)]
  const left = all - done
  if (left <= 0) return { fraction: 1, secondsLeft: null }
  const isMoving = pace !== null && now - pace.at < PACE_VALID_FOR && pace.perSecond > 0
  return { fraction: done / all, secondsLeft: isMoving ? Math.ceil(left / pace.perSecond) : null }
}

/** '43 %, about 12 s left' */
export function formatEstimate({ fraction, secondsLeft }: Estimate): string {
  const share = `${Math.floor(fraction * 100)} %`
  return secondsLeft === null ? share : `${share}, about ${secondsLeft} s left`
}
