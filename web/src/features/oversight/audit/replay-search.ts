import { oneOf, optional, type Search, textOf } from '@/search.ts'

/** The search parameters of an account's history. Without a moment it shows the account as it is. */
export const replaySearch = ({ at, compare, type, actor, from, to, search, view }: Search) =>
  optional({
    /** The shown moment: an event's number, or a time. */
    at: textOf(at),
    /** Another moment beside it. */
    compare: textOf(compare),
    /** Which events the timeline shows. */
    type: textOf(type),
    actor: textOf(actor),
    from: textOf(from),
    to: textOf(to),
    search: textOf(search),
    /** Where there is room for one thing only: the account instead of the timeline. */
    view: oneOf(view, ['account']),
  })

export type ReplaySearch = ReturnType<typeof replaySearch>
