/** Work that somebody has begun, for whoever closes and has to wait for it. */
export interface UnderWay {
  /** Keeps it until it ends, and hands on what it comes to. */
  track<Answer>(work: Promise<Answer>): Promise<Answer>
  /** Waits for all that is under way now, however each of it ends. */
  ended(): Promise<void>
}

/** Nothing is under way yet. */
export function underWay(): UnderWay {
  const begun = new Set<Promise<unknown>>()
  return {
    async track(work) {
      begun.add(work)
      try {
        return await work
      } finally {
        begun.delete(work)
      }
    },
    async ended() {
      await Promise.allSettled(begun)
    },
  }
}
