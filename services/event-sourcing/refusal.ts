/** Why a decision is refused, in terms that the HTTP edge maps to a status. A refusal appends nothing. */
export type RefusalKind = 'not-found' | 'conflict' | 'forbidden' | 'invalid' | 'unauthorized'

/** A rule refuses the request. The message is shown to the person who sent it. */
export class Refused extends Error {
  override readonly name = 'Refused'
  constructor(
    readonly kind: RefusalKind,
    message: string,
    /** The request field at fault, if one is. */
    readonly field?: string,
  ) {
    super(message)
  }
}
