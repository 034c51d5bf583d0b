import { List } from 'immutable'
import type { PayoutId } from '#services/framework/ids.ts'
import { type Dismissed, evaluateRules, type Rules, startOf, type State } from '#services/rules/engine.ts'
import { compareObservations, type Observation } from '#services/rules/observation.ts'

/**
 * The rows that a stage has seen, in the order of the rules, and where the engine stands after them. After a late row
 * only what follows it is evaluated again, because the state is remembered at every so many rows.
 */
export interface Timeline {
  readonly rows: List<SeenRow>
  /** The state before the rows 0, {@link INTERVAL}, and so on. */
  readonly states: List<State>
  /** After the last row. */
  readonly engine: State
}

/** Staff dismissed what the rules find at these rows, and at these instants by ends of days and clocks. */
export interface DismissedHits {
  readonly rows: ReadonlySet<SeenRow['source']>
  /** Ms since 1970. */
  readonly times: ReadonlySet<number>
}

export interface SeenRow {
  /** The number of an observation; the id of a payout; null for a balance of the ledger, and for a clock. */
  readonly source: number | PayoutId | null
  /** As the engine sees it. */
  readonly observation: Observation
}

const INTERVAL = 64

export function emptyTimeline(rules: Rules): Timeline {
  return { rows: List(), states: List(), engine: startOf(rules) }
}

/** The timeline with more rows, in any order. */
export function withRows(
  rules: Rules,
  timeline: Timeline,
  added: readonly SeenRow[],
  dismissed: DismissedHits,
): Timeline {
  const [first, ...others] = added.toSorted(byOrder)
  if (!first) return timeline
  const last = timeline.rows.last()
  if (!last || byOrder(last, first) <= 0) return appended(rules, timeline, [first, ...others], dismissed)
  const index = placeOf(timeline, first)
  const later = [...timeline.rows.slice(index), first, ...others].toSorted(byOrder)
  return appended(rules, upTo(rules, timeline, index, dismissed), later, dismissed)
}

/** The timeline with some of its rows replaced, or taken away with null. Replaced rows keep their place. */
export function replacedRows(
  rules: Rules,
  timeline: Timeline,
  from: number,
  replace: (row: SeenRow) => SeenRow | null,
  dismissed: DismissedHits,
): Timeline {
  const later = timeline.rows
    .slice(from)
    .toArray()
    .flatMap((row) => replace(row) ?? [])
  return appended(rules, upTo(rules, timeline, from, dismissed), later, dismissed)
}

/** The rows before this index, evaluated from the nearest remembered state. */
function upTo(rules: Rules, { rows, states, engine }: Timeline, index: number, dismissed: DismissedHits): Timeline {
  const kept = Math.floor(index / INTERVAL)
  const start = { rows: rows.take(kept * INTERVAL), states: states.take(kept), engine: states.get(kept) ?? engine }
  return appended(rules, start, rows.slice(kept * INTERVAL, index).toArray(), dismissed)
}

function appended(
  rules: Rules,
  { rows, states, engine }: Timeline,
  more: readonly SeenRow[],
  dismissed: DismissedHits,
): Timeline {
  const remembered: State[] = []
  let [state, size] = [engine, rows.size]
  for (const row of more) {
    if (size % INTERVAL === 0) remembered.push(state)
    state = evaluateRules(rules, state, row.observation, dismissedOf(row, dismissed)).state
    size += 1
  }
  return { rows: rows.concat(more), states: states.concat(remembered), engine: state }
}

/** Returns the dismissed hits that an evaluation of this row may meet. */
export function dismissedOf({ source, observation: { kind, at } }: SeenRow, { rows, times }: DismissedHits): Dismissed {
  const isOfRow = source !== null && rows.has(source)
  return { observation: isOfRow || (kind === 'clock' && times.has(at.ms)), dayEnds: times }
}

/** The index of the first row that comes after this one. */
export function placeOf({ rows }: Timeline, row: SeenRow): number {
  let [low, high] = [0, rows.size]
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = rows.get(middle)
    if (other && byOrder(other, row) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

function byOrder(one: SeenRow, other: SeenRow): number {
  return compareObservations(one.observation, other.observation)
}
