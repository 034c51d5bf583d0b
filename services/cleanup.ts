/** What is open until it is closed. */
interface Part {
  close(): Promise<void>
}

/** What was opened one after the other, to be closed together. */
export interface Cleanup {
  /** Remembers a part, and hands it on. */
  readonly defer: <Kept extends Part>(part: Kept) => Kept
  /** Closes all that was kept, the last one first: it may stand on those before it. */
  close(): Promise<void>
}

/** Nothing is open yet. */
export function createCleanup(): Cleanup {
  const parts: Part[] = []
  return {
    defer(part) {
      parts.push(part)
      return part
    },
    async close() {
      for (const part of parts.toReversed()) await part.close()
    },
  }
}
