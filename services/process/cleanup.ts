/** Something that is open until it is closed. */
interface Part {
  close(): Promise<void>
}

export type Cleanup = ReturnType<typeof createCleanup>

/** Collects opened resources, to close them together. */
export function createCleanup() {
  const parts: Part[] = []
  return {
    /** Registers a resource and returns it. */
    defer<Kept extends Part>(part: Kept): Kept {
      parts.push(part)
      return part
    },
    /** Closes all resources in reverse order: later ones may depend on earlier ones. */
    async close(): Promise<void> {
      for (const part of parts.toReversed()) await part.close()
    },
  }
}
