/** Tracks running work, so that closing can wait for it. */
export interface RunningWork {
  /** Tracks the work until it ends, and returns it. */
  track<Answer>(work: Promise<Answer>): Promise<Answer>
  /** Waits until all work now running has ended, with success or failure. */
  settled(): Promise<void>
}

export function createRunningWork(): RunningWork {
  const running = new Set<Promise<unknown>>()
  return {
    track(work) {
      running.add(work)
      const end = () => void running.delete(work)
      work.then(end, end)
      return work
    },
    async settled() {
      await Promise.allSettled(running)
    },
  }
}
