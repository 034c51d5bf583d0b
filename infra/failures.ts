import { setTimeout as delay } from 'node:timers/promises'

/**
 * A backing store could not be reached or could not finish. For an append the outcome is unknown: try again with the
 * same event ids.
 */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  constructor(
    /** The unavailable part, in an operator's words: 'event store', 'file store', … */
    readonly part: string,
    options?: ErrorOptions,
  ) {
    super(`The ${part} is not available`, options)
  }
}

/**
 * Someone else put something into the file of a store, or changed or removed what is ours. A trigger could swallow what is written,
 * without an error.
 */
export class ForeignSchema extends Error {
  override readonly name = 'ForeignSchema'
  constructor(path: string, found: readonly string[]) {
    super(
      `${path} ${found.join(', ')}. Nothing is written to it until it is as the portal made it. Keep a copy as evidence: docs/broken-proof.md, "A database with something foreign in it"`,
    )
  }
}

/** The outcome of the work; undefined where it fails with an error of this kind. */
export async function unlessFails<Result>(
  work: Promise<Result>,
  kind: abstract new (...details: never[]) => Error = Unavailable,
): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof kind) return undefined
    throw error
  }
}

/** What an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Does work that may be repeated, and again after each of these waits (in ms) while a store is {@link Unavailable}. */
export async function retryUnavailable<Result>(
  waits: readonly number[],
  work: () => Promise<Result>,
  pause: (ms: number) => Promise<unknown> = delay,
): Promise<Result> {
  for (const wait of waits) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      await pause(wait)
    }
  }
  return work()
}
