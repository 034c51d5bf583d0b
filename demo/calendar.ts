/** The made-up firm's days, in UTC. */

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The beginning of a moment's day. */
export function midnight(moment: number): number {
  return moment - (((moment % DAY) + DAY) % DAY)
}

export function isWorkday(moment: number): boolean {
  const day = new Date(moment).getUTCDay()
  return day >= 1 && day <= 5
}

/** The first moment from here on when someone is at a desk: on workdays from eight to five. */
export function atDesk(moment: number): number {
  const opens = midnight(moment) + 8 * HOUR
  const closes = midnight(moment) + 17 * HOUR
  if (!isWorkday(moment) || moment >= closes) return atDesk(midnight(moment) + DAY + 8 * HOUR + (moment % (4 * HOUR)))
  return Math.max(moment, opens + (moment % HOUR))
}
