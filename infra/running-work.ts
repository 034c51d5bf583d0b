/** Tracks running work, so that closing can wait for it. */
export function createRunningWork() {
  const running = new Set<Promise<unknown>>()
  return {
    /** Tracks the work until it ends, and returns it. */
    track<Answer>(work: Promise<Answer>): Promise<Answer> {
      running.add(work)
      const end = () => void running.delete(work)
      work.then(end, end)
      return work
    },
    /** Waits until all work now running has ended, with success or failure. */
    async settled(): Promise<void> {
      await Promise.allSettled(running)
    },
  }
}
