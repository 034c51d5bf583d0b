/** A count that begins again at midnight UTC, in the memory of this process. */
export interface DailyCount {
  add(): void
  /** The count, and the moment since which it counts: midnight, or the start of the process. */
  today(): { readonly count: number; readonly since: number }
}

const DAY_MS = 86_400_000

export function createDailyCount(now: () => number): DailyCount {
  let since = now()
  let count = 0
  const turn = () => {
    const midnight = now() - (now() % DAY_MS)
    if (midnight > since) [since, count] = [midnight, 0]
  }
  return {
    add() {
      turn()
      count += 1
    },
    today() {
      turn()
      return { count, since }
    },
  }
}
