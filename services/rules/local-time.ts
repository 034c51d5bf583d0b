import { Temporal } from 'temporal-polyfill'

/** Local times of a zone. */

const DAY = 86_400_000

/** Days whose offset is remembered. */
const REMEMBERED = 5_000

/** Reads local times of a zone, given as if they were UTC, in ms since 1970. */
export function localTimes(zone: string): (local: number) => number | 'twice' | 'never' {
  /** The offset of each local day, in ms; null for a day on which the clock is changed. */
  const offsets = new Map<number, number | null>()
  const offsetOf = (day: number): number | null => {
    const known = offsets.get(day)
    if (known !== undefined) return known
    if (offsets.size >= REMEMBERED) offsets.clear()
    // Clocks are changed by less than a day, and a day that begins and ends with one offset has no change.
    const [start, end] = [instantsOf(zone, day * DAY), instantsOf(zone, (day + 1) * DAY)]
    const before = day * DAY - start.earlier
    const isPlain =
      start.earlier === start.later && end.earlier === end.later && (day + 1) * DAY - end.earlier === before
    const offset = isPlain ? before : null
    offsets.set(day, offset)
    return offset
  }
  return (local) => {
    const offset = offsetOf(Math.floor(local / DAY))
    if (offset !== null) return local - offset
    const { earlier, later, exists } = instantsOf(zone, local)
    if (earlier === later) return earlier
    return exists ? 'twice' : 'never'
  }
}

/** The instants that a local time may mean. They differ where the clock is changed; then it comes twice or never. */
function instantsOf(zone: string, local: number) {
  const time = Temporal.PlainDateTime.from(new Date(local).toISOString().slice(0, -1))
  const earlier = time.toZonedDateTime(zone, { disambiguation: 'earlier' })
  const later = time.toZonedDateTime(zone, { disambiguation: 'later' })
  return {
    earlier: earlier.epochMilliseconds,
    later: later.epochMilliseconds,
    exists: earlier.toPlainDateTime().equals(time),
  }
}
