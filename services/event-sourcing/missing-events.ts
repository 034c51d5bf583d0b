/**
 * Events that the log once had and that a checkpoint covers are gone: deleted, replaced, or lost with a restore. Nothing
 * is decided, exported or sealed on what is left.
 */
export class MissingEvents extends Error {
  override readonly name: string = 'MissingEvents'
}

/** A stream ends before its last sealed event, or with another one. */
export class ShortStream extends MissingEvents {
  override readonly name = 'ShortStream'
  /** @param has The revision of its last event; -1 without one. @param sealed That of its last sealed event. */
  constructor(
    readonly stream: string,
    readonly has: number,
    readonly sealed: number,
  ) {
    super(
      has < sealed
        ? `${stream} has lost events: its last is ${has < 0 ? 'none' : `#${has}`}, but ${stream}#${sealed} was sealed. npx proofdesk audit verify`
        : `${stream}#${sealed} is not the event that was sealed. npx proofdesk audit verify`,
    )
  }
}
