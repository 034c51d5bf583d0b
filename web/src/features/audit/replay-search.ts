import { oneOf, optional, type Search, textOf } from '../../search.ts'

/** What the address of an account's history says, for whoever reads it. */
export const replaySearch = ({ at, compare, type, actor, from, to, view }: Search) =>
  optional({
    /** Moments: a fact's number, or a time. */
    at: textOf(at),
    compare: textOf(compare),
    /** Which facts the timeline shows. */
    type: textOf(type),
    actor: textOf(actor),
    from: textOf(from),
    to: textOf(to),
    view: oneOf(view, ['account']),
  })
