/** Something that is open until it is closed. */
interface Part {
  close(): Promise<void>
}

/** Collects opened resources, to close them together. */
export interface Cleanup {
  /** Registers a resource and returns it. */
  readonly defer: <Kept extends Part>(part: Kept) => Kept
  /** Closes all resources in reverse order: later ones may depend on earlier ones. */
  close(): Promise<void>
}

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
