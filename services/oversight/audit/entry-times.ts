import type { ExportedEvent } from '#services/proof/export-format.ts'

/** Whether the times of entries can be: the firm writes them, and others confirm when a checkpoint was. */

/** How much the clocks of two processes may differ, in ms. */
const CLOCKS_DIFFER = 60_000

/** "3 minutes", "40 days": how far two times are apart, in whole units. @param ms Above 0. */
export function spanText(ms: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1_000],
  ] as const
  const [name, length] = units.find(([, each]) => ms >= each) ?? ['second', 1_000]
  const count = Math.max(1, Math.floor(ms / length))
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/** When something outside the firm's log confirms that a checkpoint was there, ms since 1970. */
export interface Confirmed {
  readonly at: number
  /** 'its checkpoint', 'the cosignature of …' */
  readonly by: string
}

/**
 * The entries whose time cannot be, with why, by their numbers: an entry is at most a minute older than the newest
 * before it, and not later than what confirms it. A clock that was set wrong is no forgery.
 *
 * @param proven How many of the entries, from the first in the log, were there at each confirmation.
 */
export function untimelyEntries(
  events: readonly Pick<ExportedEvent, 'position' | 'at' | 'index'>[],
  committed: number,
  confirmations: readonly Confirmed[],
): ReadonlyMap<number, string> {
  const faults = new Map<number, string>()
  let newest = -Infinity
  for (const { position, at, index } of events) {
    const number = Number(position)
    const late = confirmations.find((confirmed) => at > confirmed.at + CLOCKS_DIFFER)
    if (index !== null && index < committed && late)
      faults.set(number, `entry #${number} is dated ${spanText(at - late.at)} later than ${late.by}.`)
    else if (newest - at > CLOCKS_DIFFER)
      faults.set(
        number,
        `entry #${number} is dated ${spanText(newest - at)} before an entry that was recorded earlier.`,
      )
    // A time that cannot be says nothing about those after it.
    else newest = Math.max(newest, at)
  }
  return faults
}
