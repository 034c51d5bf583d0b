import { oneOf, optional, type Search, textOf } from '../../search.ts'

/** The search parameters of an account's history. */
export const replaySearch = ({ at, compare, type, actor, from, to, view }: Search) =>
  optional({
    /** Moments: an event's number, or a time. */
    at: textOf(at),
    compare: textOf(compare),
    /** Which events the timeline shows. */
    type: textOf(type),
    actor: textOf(actor),
    from: textOf(from),
    to: textOf(to),
    view: oneOf(view, ['account']),
  })
