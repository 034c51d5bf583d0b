import { comparePositions, type EventStore, type Position, start } from '../../../infra/event-store/event-store.ts'
import type { PoisonEvent, ViewStore } from '../../../infra/read-model-store/read-model-store.ts'
import { rebuildStateFrom, type RebuildRate, rebuildRateFrom } from './rebuild-state.ts'
import type { Projection } from './projection.ts'

/** How a view stands to the log. Positions are places, not counts: their difference is no number of events. */
export interface ProjectionStatus {
  readonly view: string
  /** The collection that queries read. */
  readonly collection: string
  readonly position: Position
  /** Where the log ends. */
  readonly end: Position
  readonly caughtUp: boolean
  /** How far what queries read has come, while it is behind. */
  readonly catchingUp: Estimate | null
  /** Somebody asked for it to be built anew, and that has not begun. */
  readonly requested: boolean
  /** The collection that will take its place. */
  readonly building: ({ readonly collection: string; readonly position: Position } & Estimate) | null
  /** Events that could not be folded into what is served; each holds up its stream until the view is rebuilt. */
  readonly poison: readonly DeadLetterEntry[]
}

/** How much of a way is done, and how long the rest will take. */
export interface Estimate {
  /** Of the log, from 0 to 1. */
  readonly fraction: number
  /** Null where it can't be told: nothing moves just now, or what is left is not reading. */
  readonly secondsLeft: number | null
}

/** An event that a reader of the log could not use. */
export interface DeadLetterEntry extends PoisonEvent {
  /** 'users.1042': what could not use it, and the fact's number. */
  readonly id: string
}

/** A pace older than this, in ms, says nothing any more: nobody is at work. */
const RATE_VALID_FOR = 15_000

/** How the log becomes views. */
export interface ProjectionsState {
  readonly projections: readonly ProjectionStatus[]
  /** As {@link listDeadLetters} answers it. */
  readonly deadLetters: readonly DeadLetterEntry[]
}

/** Where every view stands, and all that was set aside, for health, `proofdesk status` and administrators. */
export async function readProjectionsState(
  eventStore: Pick<EventStore, 'end'>,
  viewStore: ViewStore,
  views: readonly Projection[],
  now = Date.now(),
): Promise<ProjectionsState> {
  const end = await eventStore.end()
  // However many views there are: a store that has much to do is asked little.
  const [readers, settings, notes] = await Promise.all([viewStore.readers(), viewStore.settings(), viewStore.poison()])
  const positionOf = (collection: string) => readers.get(collection)?.position ?? start
  const estimate = (collection: string) => estimateOf(positionOf(collection), end, rebuildRateFrom(settings, collection), now)
  const statusOf = (view: Projection): ProjectionStatus => {
    const { live, shadow, requested } = rebuildStateFrom(settings, view)
    const position = positionOf(live)
    const caughtUp = comparePositions(position, end) >= 0
    return {
      view: view.name,
      collection: live,
      position,
      end,
      caughtUp,
      catchingUp: caughtUp ? null : estimate(live),
      requested,
      building: shadow === undefined ? null : { collection: shadow, position: positionOf(shadow), ...estimate(shadow) },
      poison: notes.filter(({ reader }) => reader === live).map((note) => deadLetterEntryOf(view.name, note)),
    }
  }
  return { projections: views.map(statusOf), deadLetters: deadLettersIn(settings, notes, views) }
}

/** Where every view stands. */
export async function readProjectionStatus(
  eventStore: Pick<EventStore, 'end'>,
  viewStore: ViewStore,
  views: readonly Projection[],
): Promise<readonly ProjectionStatus[]> {
  return (await readProjectionsState(eventStore, viewStore, views)).projections
}

/**
 * Every event that is set aside now, by what is served of views and by those who react to facts. What a generation that is
 * being built can't use is told once it is served.
 */
export async function listDeadLetters(viewStore: ViewStore, views: readonly Projection[]): Promise<DeadLetterEntry[]> {
  const [settings, notes] = await Promise.all([viewStore.settings(), viewStore.poison()])
  return deadLettersIn(settings, notes, views)
}

function deadLettersIn(settings: ReadonlyMap<string, string>, notes: readonly PoisonEvent[], views: readonly Projection[]): DeadLetterEntry[] {
  const names = new Map(views.map((view) => [rebuildStateFrom(settings, view).live, view.name]))
  const isOfView = (reader: string) => /_v\d+(_\d+)?$/.test(reader)
  return notes.flatMap((note) => {
    const name = names.get(note.reader) ?? (isOfView(note.reader) ? undefined : note.reader)
    return name === undefined ? [] : [deadLetterEntryOf(name, note)]
  })
}

function deadLetterEntryOf(name: string, note: PoisonEvent): DeadLetterEntry {
  return { ...note, reader: name, id: `${name.replaceAll(/[^a-z0-9]+/gi, '-')}.${note.position}` }
}

/** How far a reader of the log is, and how long it will take at this pace. */
export function estimateOf(position: Position, end: Position, pace: RebuildRate | undefined, now: number): Estimate {
  const [done, all] = [Number(position), Number(end)]
  const left = all - done
  if (left <= 0) return { fraction: 1, secondsLeft: null }
  const isMoving = pace !== undefined && now - pace.at < RATE_VALID_FOR && pace.perSecond > 0
  return { fraction: done / all, secondsLeft: isMoving ? Math.ceil(left / pace.perSecond) : null }
}

/** '43 %, about 12 s left' */
export function formatEstimate({ fraction, secondsLeft }: Estimate): string {
  const share = `${Math.floor(fraction * 100)} %`
  if (fraction >= 1) return `${share}, its indexes are being made`
  return secondsLeft === null ? share : `${share}, about ${secondsLeft} s left`
}
