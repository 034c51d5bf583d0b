import { type HistoryState, useLocation, useNavigate } from '@tanstack/react-router'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Cursors of the pages before this one, by the parameter that they are of: the way back, page by page. */
    earlier?: Readonly<Record<string, readonly string[]>>
    /** A form over the page stands there alone, without the details of the user below it. */
    alone?: boolean
    /** The entry before this one is the same page without the dialog: closing goes back to it. */
    openedHere?: boolean
  }
}

type Parameters = Readonly<Record<string, string | undefined>>

interface ChangeOptions {
  /** Puts the new address in the place of the present one, so that going back does not stop here. */
  readonly replace?: boolean
  readonly state?: (before: HistoryState) => HistoryState
  /** A new page begins at its top; everything else stays where it is. */
  readonly fromTop?: boolean
}

/** Changes parameters of the address of the present page; the others stay. */
export function useChangeAddress() {
  const navigate = useNavigate()
  return (changes: Parameters, { replace = false, state, fromTop = false }: ChangeOptions = {}) =>
    navigate({ to: '.', search: (before: object) => ({ ...before, ...changes }), replace, state: state ?? true, resetScroll: fromTop })
}

export interface Paging {
  readonly onFirst: (() => void) | undefined
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
}

/** The ways from a page of a list to the others. `parameter` is the one that holds the page's cursor. */
export function usePaging(parameter: string, cursor: string | undefined, next: string | undefined): Paging {
  const change = useChangeAddress()
  const earlier = useLocation({ select: ({ state }) => state.earlier?.[parameter] }) ?? []
  const go = (to: string, pagesBefore: readonly string[]) =>
    void change(
      { [parameter]: to || undefined },
      { fromTop: true, state: (before) => ({ ...before, earlier: { ...before.earlier, [parameter]: pagesBefore } }) },
    )
  const previous = earlier.at(-1)
  return {
    onFirst: cursor === undefined ? undefined : () => go('', []),
    // A link to a page in the middle does not tell what came before it.
    onPrevious: cursor === undefined || previous === undefined ? undefined : () => go(previous, earlier.slice(0, -1)),
    onNext: next === undefined ? undefined : () => go(next, [...earlier, cursor ?? '']),
  }
}

/** Other filters make another list, which begins with its first page. */
export const FROM_THE_START = { cursor: undefined, pending: undefined, history: undefined } as const

export const pageSizes = ['25', '50', '100'] as const
export type PageSize = (typeof pageSizes)[number]

/** How many rows a page has when nothing else was chosen. */
export const ROWS: PageSize = '25'
