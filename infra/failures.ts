/** A backing store could not be reached or could not finish. For an append the outcome is unknown: try again with the same event ids. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  constructor(
    /** The unavailable part, in an operator's words: 'event store', 'file store', … */
    readonly part: string,
    options?: ErrorOptions,
  ) {
    super(`The ${part} is not available`, options)
  }
}
