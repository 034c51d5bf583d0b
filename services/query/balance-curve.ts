import type { AnyEvent } from '../domain/streams.ts'
import type { RecordedEvent } from '../event-sourcing/codec/event-codec.ts'
import { describeEvent } from '../domain/event-descriptions.ts'
import { eventNumber } from '../event-sourcing/codec/event-number.ts'
import { type StampDocument, stampOf } from '../projections/index.ts'

/** How an account came to where it is: facts folded into a curve of its balance, with the decisions along the way. */

export interface Point {
  readonly at: number
  readonly number: number
  /** Cents. */
  readonly balance: number
  readonly profitLoss: number
}

export interface Marker extends StampDocument {
  readonly stream: 'account' | 'user'
  readonly type: string
  readonly label: string
  readonly why: string | null
}

/** A curve of bounded length, however long the account's stream is. It is changed in place. */
export interface Curve {
  readonly points: Point[]
  readonly markers: Marker[]
  /** Markers that were dropped for newer ones. */
  olderMarkers: number
  /** Revisions that the fold goes on from. */
  next: { account: number; user: number }
}

/** When there are more points than this, stretches of time are drawn together until there are about half as many. */
export const MAX_POINTS = 3_000
/** The newest are kept. */
export const MAX_MARKERS = 1_000

export function createCurve(): Curve {
  return { points: [], markers: [], olderMarkers: 0, next: { account: 0, user: 0 } }
}

/** Folds one more fact of the account or of its person. Master passwords and payment details are never looked at. */
export function applyToCurve(curve: Curve, fact: RecordedEvent<AnyEvent>): void {
  const stream = fact.stream.startsWith('user-') ? 'user' : 'account'
  curve.next[stream] = fact.revision + 1
  const point = pointOf(curve.points.at(-1), fact)
  if (point) keepPoint(curve, point)
  const { marker, reason } = describeEvent(fact.type)
  if (!marker) return
  curve.markers.push({ ...stampOf(fact), stream, type: fact.type, label: marker(fact.data), why: reason?.(fact.data) || null })
  if (curve.markers.length <= MAX_MARKERS) return
  curve.markers.shift()
  curve.olderMarkers += 1
}

function pointOf(last: Point | undefined, fact: RecordedEvent<AnyEvent>): Point | undefined {
  const { balance, profitLoss } = last ?? { balance: 0, profitLoss: 0 }
  const own = { at: fact.at, number: eventNumber(fact) }
  switch (fact.type) {
    case 'AccountOpened':
      return { ...own, balance: 0, profitLoss: 0 }
    case 'BalanceChanged':
      return { ...own, balance: fact.data.to, profitLoss }
    case 'ProfitLossChanged':
      return { ...own, balance, profitLoss: fact.data.to }
    default:
      return undefined
  }
}

function keepPoint({ points }: Curve, point: Point): void {
  // Balance and profit that were set by one change are one point.
  if (points.at(-1)?.at === point.at) points.pop()
  points.push(point)
  if (points.length > MAX_POINTS) points.splice(0, points.length, ...mergePoints(points))
}

/** For each stretch of time its lowest, its highest and its last point, so that no dip is lost. */
function mergePoints(points: readonly Point[]): Point[] {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return []
  // Three a stretch, and half as many as there may be.
  const stretch = Math.max(1, (last.at - first.at) / (MAX_POINTS / 6))
  const kept: Point[] = []
  let within: Point[] = []
  let number = 0
  const close = () => {
    const [start] = within
    if (!start) return
    const lowest = within.reduce((low, point) => (point.balance < low.balance ? point : low), start)
    const highest = within.reduce((high, point) => (point.balance > high.balance ? point : high), start)
    const telling = new Set([lowest, highest, within.at(-1)])
    kept.push(...within.filter((point) => telling.has(point)))
    within = []
  }
  for (const point of points) {
    const belongs = Math.floor((point.at - first.at) / stretch)
    if (belongs !== number) close()
    number = belongs
    within.push(point)
  }
  close()
  return kept
}
