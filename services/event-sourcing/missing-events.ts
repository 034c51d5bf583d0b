/**
 * Events that the log once had and that a checkpoint covers are gone: deleted, replaced, or lost with a restore. Nothing
 * is decided, exported or sealed on what is left.
 */
export class MissingEvents extends Error {
  override readonly name: string = 'MissingEvents'
}

/** A stream ends before an event that it had, lacks one in between, or has another one in the place of its last sealed one. */
export class ShortStream extends MissingEvents {
  override readonly name = 'ShortStream'
  /**
   * @param has The revision of its last event, or of the one before the gap; -1 without one.
   * @param had That of the last one it had.
   */
  constructor(
    readonly stream: string,
    readonly has: number,
    readonly had: number,
  ) {
    super(
      has < had
        ? `${stream} has lost events: ${has < 0 ? `${stream}#0 is gone` : `after ${stream}#${has} they are gone`}, but the log had them up to ${stream}#${had}. npx proofdesk audit verify`
        : `${stream}#${had} is not the event that was sealed. npx proofdesk audit verify`,
    )
  }
}
