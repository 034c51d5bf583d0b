/** The axes of a chart: where a value is drawn, and which round values are named. */

/** Maps values between `from` and `until` to pixels between `start` and `end`. */
export function linearScale([from, until]: readonly [number, number], [start, end]: readonly [number, number]): (value: number) => number {
  return (value) => start + ((value - from) / (until - from)) * (end - start)
}

/** Round values in equal steps (1, 2 or 5 times a power of ten) that enclose a range in about `count` steps. */
export function roundValues(lowest: number, highest: number, count: number): readonly number[] {
  const wanted = (highest - lowest) / count
  const power = 10 ** Math.floor(Math.log10(wanted))
  const factor = [1, 2, 5].find((one) => wanted / power <= one * Math.SQRT2) ?? 10
  const step = factor * power
  const first = Math.floor(lowest / step)
  return Array.from({ length: Math.ceil(highest / step) - first + 1 }, (_, index) => (first + index) * step)
}

type TickOf = (start: Date, index: number) => Date

const hours =
  (step: number): TickOf =>
  (start, index) =>
    new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate(), index * step))
const days =
  (step: number): TickOf =>
  (start, index) =>
    new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), 1 + index * step))
const months =
  (step: number): TickOf =>
  (start, index) =>
    new Date(Date.UTC(start.getUTCFullYear(), index * step))

const intervals = [hours(1), hours(3), hours(6), hours(12), days(1), days(2), days(7), days(14), months(1), months(3), months(6), months(12), months(60)]

/** At most `most` beginnings of hours, days or months in UTC, as the days of an account are, in equal steps between two moments in ms. */
export function timeTicks(from: number, until: number, most: number): readonly Date[] {
  for (const tickOf of intervals) {
    const ticks: Date[] = []
    for (let index = 0; ticks.length <= most; index++) {
      const tick = tickOf(new Date(from), index)
      if (tick.getTime() > until) return ticks
      if (tick.getTime() >= from) ticks.push(tick)
    }
  }
  return []
}

/** The first line in which each label has space, undefined where none has: labels are from left to right, [start, end] in px. */
export function rowsOf(labels: readonly (readonly [start: number, end: number])[], lines: number): readonly (number | undefined)[] {
  const ends = Array.from({ length: lines }, () => -Infinity)
  return labels.map(([start, end]) => {
    const row = ends.findIndex((taken) => taken <= start)
    if (row === -1) return undefined
    ends[row] = end
    return row
  })
}

/** Heights that are at least `distance` apart and not below `lowest`, each as close as possible to its own, in px from the top. */
export function spread(heights: readonly number[], distance: number, lowest: number): readonly number[] {
  const ascending = heights.map((height, index) => ({ height, index })).sort((a, b) => b.height - a.height)
  const result = [...heights]
  let limit = lowest
  for (const { height, index } of ascending) {
    result[index] = Math.min(height, limit)
    limit = (result[index] ?? height) - distance
  }
  return result
}
