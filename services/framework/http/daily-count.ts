const DAY_MS = 86_400_000

export type DailyCount = ReturnType<typeof createDailyCount>

/** A count that begins again at midnight UTC, in the memory of this process. */
export function createDailyCount(now: () => number) {
  let since = now()
  let count = 0
  const turn = () => {
    const midnight = now() - (now() % DAY_MS)
    if (midnight > since) [since, count] = [midnight, 0]
  }
  return {
    add(): void {
      turn()
      count += 1
    },
    /** The count, and the moment since which it counts: midnight, or the start of the process. */
    today() {
      turn()
      return { count, since }
    },
  }
}
