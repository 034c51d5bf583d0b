/** Where an axis has its marks: at figures and moments that people would choose. Times in ms. */

/** Round figures from below the lowest to above the highest, with about so many steps between them. */
export function roundMarks(lowest: number, highest: number, steps: number): readonly number[] {
  const rough = Math.max(highest - lowest, Number.EPSILON) / steps
  const magnitude = 10 ** Math.floor(Math.log10(rough))
  const step = magnitude * ([1, 2, 5].find((times) => times * magnitude >= rough) ?? 10)
  const first = Math.floor(lowest / step)
  return Array.from({ length: Math.ceil(highest / step) - first + 1 }, (_, index) => (first + index) * step)
}

interface Pace {
  /** About how long, to choose by. */
  readonly length: number
  /** The nth mark from the beginning of the day, month or year that a moment is in. */
  readonly mark: (moment: Date, n: number) => Date
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

// In the person's own time, as the marks are labelled; days and months are not all of one length.
const hours = (count: number): Pace => ({
  length: count * HOUR,
  mark: (moment, n) => new Date(moment.getFullYear(), moment.getMonth(), moment.getDate(), n * count),
})
const days = (count: number): Pace => ({
  length: count * DAY,
  mark: (moment, n) => new Date(moment.getFullYear(), moment.getMonth(), moment.getDate() + n * count),
})
const months = (count: number): Pace => ({
  length: count * 30 * DAY,
  mark: (moment, n) => new Date(moment.getFullYear(), n * count, 1),
})
const years = (count: number): Pace => ({ length: count * 365 * DAY, mark: (moment, n) => new Date(moment.getFullYear() + n * count, 0, 1) })

const paces: readonly Pace[] = [...[1, 3, 6, 12].map(hours), ...[1, 2, 7, 14].map(days), ...[1, 3, 6].map(months), ...[1, 2, 5, 10].map(years)]

/** Whole hours, days, months or years within a stretch of time, at most so many. */
export function timeMarks(from: number, until: number, most: number): readonly number[] {
  const pace = paces.find(({ length }) => (until - from) / length <= most) ?? years(100)
  const beginning = new Date(from)
  const marks: number[] = []
  for (let n = 0; ; n++) {
    const at = pace.mark(beginning, n).getTime()
    if (at > until) return marks.slice(0, most)
    if (at >= from) marks.push(at)
  }
}
