/** By how much the server's clock is ahead of the browser's, in ms: a browser's may be wrong by a day. */
let ahead = 0

/** Reads the clock off an answer. @param date Its header `Date`, exact to the second; caches and tests may leave it out. */
export function readServerClock(date: string | null): void {
  const at = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(at)) return
  const difference = at - Date.now()
  // Within the second that the header leaves out, and the time that an answer takes, the clocks agree.
  ahead = Math.abs(difference) < AGREES ? 0 : difference
}

const AGREES = 5_000

/** Now, by the server's clock, in ms since 1970: for how long something waits, and whether it has expired. */
export function serverNow(): number {
  return Date.now() + ahead
}
