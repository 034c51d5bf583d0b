import { counted } from '@/format/counts.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** How long ago, in words: 'less than an hour', '5 hours', '19 days'. `now` is in ms since 1970. */
export function timeSince(at: string, now: number): string {
  const past = Math.max(0, now - Date.parse(at))
  if (past < HOUR) return 'less than an hour'
  const [count, unit] = past < 2 * DAY ? [Math.floor(past / HOUR), 'hour'] : [Math.floor(past / DAY), 'day']
  return counted(count, unit)
}
