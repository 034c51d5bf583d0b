/** Work that somebody has begun, for whoever closes and has to wait for it. */
export interface RunningWork {
  /** Keeps it until it ends, and hands on what it comes to. */
  track<Answer>(work: Promise<Answer>): Promise<Answer>
  /** Waits for all that is under way now, however each of it ends. */
  settled(): Promise<void>
}

/** Nothing is under way yet. */
export function createRunningWork(): RunningWork {
  const begun = new Set<Promise<unknown>>()
  return {
    track(work) {
      begun.add(work)
      const end = () => void begun.delete(work)
      work.then(end, end)
      return work
    },
    async settled() {
      await Promise.allSettled(begun)
    },
  }
}
