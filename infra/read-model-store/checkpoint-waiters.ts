/** Callers that wait until another checkpoint is saved. */
export function createCheckpointWaiters() {
  const waiting = new Set<(error?: unknown) => void>()
  return {
    isEmpty: () => waiting.size === 0,
    /** Resolves when the waiting ends, or after so many ms. */
    wait: (ms: number): Promise<void> =>
      new Promise((resolve, reject) => {
        const settle = (error?: unknown): void => {
          clearTimeout(timeout)
          waiting.delete(settle)
          if (error === undefined) resolve()
          else reject(error)
        }
        const timeout = setTimeout(settle, ms)
        waiting.add(settle)
      }),
    /** Ends the waiting of all, with an error when checkpoints cannot be read. */
    end(error?: unknown): void {
      for (const settle of waiting) settle(error)
    },
  }
}
