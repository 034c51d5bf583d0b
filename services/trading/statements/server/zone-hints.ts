import type { ReadTime } from './statement-format.ts'
import { type Clock, clockOf } from './values/times.ts'

/** Brokers' servers keep one of these clocks. In most weeks of the year both show the same. */
const ZONES = ['Europe/Athens', 'America/New_York+7'] as const

/** One sentence where the zone shows the clock of one of the two at a row's time, but not of the other. */
export function zoneHints(times: Iterable<ReadTime>, zone: string): readonly string[] {
  const clocks = ZONES.map(clockOf).filter((clock): clock is Clock => typeof clock !== 'string')
  let first: number | null = null
  for (const { ms, local } of times) {
    if (local === null || (first !== null && local >= first)) continue
    const [athens, newYork] = clocks.map((clock) => clock(local) === ms)
    if (athens !== newYork) first = local
  }
  if (first === null) return []
  const date = new Date(first).toISOString().slice(0, 10)
  return [
    `From ${date} the clocks of ${ZONES[0]} and ${ZONES[1]} differ, and ${zone} shows only one of them: make sure that it is the server's.`,
  ]
}
