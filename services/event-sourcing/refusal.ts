/** Why a wish is refused, in terms the HTTP edge maps to a status: nothing is recorded. */
export type RefusalKind = 'not-found' | 'conflict' | 'forbidden' | 'invalid' | 'unauthorized'

/** A rule says no. The message is for the person who asked. */
export class Refused extends Error {
  override readonly name = 'Refused'
  constructor(
    readonly kind: RefusalKind,
    message: string,
    /** The request field at fault, when there is one. */
    readonly field?: string,
  ) {
    super(message)
  }
}
