import { type AnyEvent, describeEvent } from '#services/modules/subjects.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-number.ts'
import { type StampDocument, stampOf } from '#services/modules/decision-stamp.ts'

/** The balance of an account over time, with the decisions that affected it. */

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

/** A curve of bounded length, however long the account's stream. Mutable. */
export interface Curve {
  readonly points: Point[]
  readonly markers: Marker[]
  /** Markers dropped in favour of newer ones. */
  olderMarkers: number
  /** The next revision to apply of each stream. */
  next: { account: number; user: number }
}

/** Above this many points, neighbouring points are merged until about half remain. */
export const MAX_POINTS = 3_000
/** Only the newest are kept. */
export const MAX_MARKERS = 1_000

export function createCurve(): Curve {
  return { points: [], markers: [], olderMarkers: 0, next: { account: 0, user: 0 } }
}

/** Applies an event of the account or its user. Never reads master passwords or payment details. */
export function applyToCurve(curve: Curve, event: RecordedEvent<AnyEvent>): void {
  const stream = event.stream.startsWith('user-') ? 'user' : 'account'
  curve.next[stream] = event.revision + 1
  const point = pointOf(curve.points.at(-1), event)
  if (point) keepPoint(curve, point)
  const { marker, reason } = describeEvent(event.type)
  if (!marker) return
  curve.markers.push({ ...stampOf(event), stream, type: event.type, label: marker(event.data), why: reason?.(event.data) || null })
  if (curve.markers.length <= MAX_MARKERS) return
  curve.markers.shift()
  curve.olderMarkers += 1
}

function pointOf(last: Point | undefined, event: RecordedEvent<AnyEvent>): Point | undefined {
  const { balance, profitLoss } = last ?? { balance: 0, profitLoss: 0 }
  const own = { at: event.at, number: eventNumber(event) }
  switch (event.type) {
    case 'AccountOpened':
      return { ...own, balance: 0, profitLoss: 0 }
    case 'BalanceChanged':
      return { ...own, balance: event.data.to, profitLoss }
    case 'ProfitLossChanged':
      return { ...own, balance, profitLoss: event.data.to }
    default:
      return undefined
  }
}

function keepPoint({ points }: Curve, point: Point): void {
  // Balance and profit set by one change are one point.
  if (points.at(-1)?.at === point.at) points.pop()
  points.push(point)
  if (points.length > MAX_POINTS) points.splice(0, points.length, ...mergePoints(points))
}

/** Keeps the lowest, highest and last point of each interval, so that no dip is lost. */
function mergePoints(points: readonly Point[]): Point[] {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return []
  // Three points per interval, and half the maximum overall.
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
