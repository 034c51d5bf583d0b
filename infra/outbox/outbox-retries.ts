/** Retries, the same in every outbox. */

/** Default number of tries. */
export const ATTEMPTS = 8
/** Default delay before the second try, in ms. */
export const FIRST_DELAY = 1_000
export const LONGEST_DELAY = 15 * 60_000

/**
 * The delay after `failures` failed tries, in ms: doubled each time, capped, and up to a quarter less, so that jobs
 * that failed together are not all retried together.
 *
 * @param random From 0 up to, but not including, 1.
 */
export function retryDelay(failures: number, firstDelay: number, random: number): number {
  return Math.round(Math.min(firstDelay * 2 ** (failures - 1), LONGEST_DELAY) * (1 - random / 4))
}

const LONGEST_REASON = 500

/** The text of an error to store. Mail servers repeat the refused address, which must not outlive its owner. */
export function failureReasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text
    .slice(0, 2 * LONGEST_REASON)
    .replaceAll(/[^\s<>@]*@[^\s<>@]*/g, '[address]')
    .slice(0, LONGEST_REASON)
}
