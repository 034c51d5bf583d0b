import { TemporaryMailFailure } from './outbox.ts'

/** Retries, the same in every outbox. */

/**
 * Tries before a mail fails for good: four and a half days of them. RFC 5321 §4.5.4.1 says four to five days, so that a
 * server that is away over a weekend, or a setting that is wrong for a day, loses no mail.
 */
export const ATTEMPTS = 500
/** Default delay before the second try, in ms. */
export const FIRST_DELAY = 1_000
/** Shorter than the half hour of that section: a link works for an hour. */
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
  const text =
    error instanceof TemporaryMailFailure
      ? error.reason
      : error instanceof Error
        ? error.message || error.name
        : String(error)
  return text
    .slice(0, 2 * LONGEST_REASON)
    .replaceAll(/[^\s<>@]*@[^\s<>@]*/g, '[address]')
    .slice(0, LONGEST_REASON)
}
