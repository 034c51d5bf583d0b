/** What every mail queue does alike when a mail could not be sent. */

/** Tries a job gets unless told. */
export const ATTEMPTS = 8
/** Delay before the second try, in ms, unless told. */
export const FIRST_DELAY = 1_000
export const LONGEST_DELAY = 15 * 60_000

/**
 * How long to wait after a job failed `failures` times, in ms: doubled each time, capped, and up to a quarter less so
 * that jobs which failed together don't all come back together.
 *
 * @param random from 0 up to, but not including, 1
 */
export function retryDelay(failures: number, firstDelay: number, random: number): number {
  return Math.round(Math.min(firstDelay * 2 ** (failures - 1), LONGEST_DELAY) * (1 - random / 4))
}

const LONGEST_REASON = 500

/** An error as a queue keeps it. Mail servers like to repeat the address they refuse, which must not outlive its owner. */
export function failureReasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text
    .slice(0, 2 * LONGEST_REASON)
    .replaceAll(/[^\s<>@]*@[^\s<>@]*/g, '[address]')
    .slice(0, LONGEST_REASON)
}
