/** Instants "are compared to the nanosecond" (behaviour.md). */

/** Ms since 1970, and the nanoseconds beyond them. */
export interface Instant {
  readonly ms: number
  readonly ns: number
}

/** A moment, as written too. */
export interface Moment extends Instant {
  readonly text: string
}

/** Below 0 where `one` is earlier, above 0 where it is later. */
export function compareInstants(one: Instant, other: Instant): number {
  return one.ms - other.ms || one.ns - other.ns
}

/** The instant so many ms later, or earlier below 0. */
export function shifted({ ms, ns }: Instant, by: number): Instant {
  return { ms: ms + by, ns }
}
