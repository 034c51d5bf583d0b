/** Mails that are under way at once, slow ones not counted: Microsoft 365 takes three connections, most relays ten or more. */
const AT_ONCE = 5

/** A mail that takes longer, in ms, is slow: the relay waits for its recipient's server, and another mail begins. */
const SLOW_AFTER_MS = 750

/** All that are under way, slow ones too. Postfix takes 50 connections of a client (smtpd_client_connection_count_limit). */
export const MOST_AT_ONCE = 40

export interface GateOptions {
  /** So many at once, 5 by default. */
  readonly atOnce?: number | undefined
  /** A mail that takes longer than so many ms does not count; 750 by default. */
  readonly slowAfter?: number | undefined
}

/**
 * Lets mails begin: those that a person waits for first, else in the order in which they came.
 *
 * @returns Does the work at its turn and returns true; false where `signal` aborted before.
 */
export function createSendingGate(
  { atOnce = AT_ONCE, slowAfter = SLOW_AFTER_MS }: GateOptions,
  signal: AbortSignal,
): (isUrgent: boolean, work: () => Promise<void>) => Promise<boolean> {
  const urgent: (() => void)[] = []
  const others: (() => void)[] = []
  let counted = 0

  const begin = () => {
    while (counted < atOnce || signal.aborted) {
      const next = urgent.shift() ?? others.shift()
      if (!next) return
      counted += 1
      next()
    }
  }
  signal.addEventListener('abort', begin)

  return async (isUrgent, work) => {
    await new Promise<void>((turn) => {
      ;(isUrgent ? urgent : others).push(turn)
      begin()
    })
    let counts = true
    const leave = () => {
      if (counts) counted -= 1
      counts = false
      begin()
    }
    const slow = setTimeout(leave, slowAfter)
    try {
      if (signal.aborted) return false
      await work()
      return true
    } finally {
      clearTimeout(slow)
      leave()
    }
  }
}
