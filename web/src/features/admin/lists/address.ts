import { type HistoryState, useLocation, useNavigate } from '@tanstack/react-router'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Cursors of the previous pages, by their parameter, for the way back page by page. */
    earlier?: Readonly<Record<string, readonly string[]>>
    /** A form is open without the user's details below it. */
    alone?: boolean
    /** The previous history entry is the same page without the dialog: closing goes back. */
    openedHere?: boolean
  }
}

type Parameters = Readonly<Record<string, string | undefined>>

interface ChangeOptions {
  /** Replaces the present history entry, so that going back skips it. */
  readonly replace?: boolean
  readonly state?: (before: HistoryState) => HistoryState
  /** Scrolls to the top, for a new page of a list. */
  readonly fromTop?: boolean
}

/** Changes some search parameters of the present address. */
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

/** Navigation from a page of a list to the others. `parameter` holds the page's cursor. */
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
    // A link to a page in the middle does not know the previous pages.
    onPrevious: cursor === undefined || previous === undefined ? undefined : () => go(previous, earlier.slice(0, -1)),
    onNext: next === undefined ? undefined : () => go(next, [...earlier, cursor ?? '']),
  }
}

/** A list with other filters starts at its first page. */
export const FROM_THE_START = { cursor: undefined, pending: undefined, history: undefined } as const

export const pageSizes = ['25', '50', '100'] as const
export type PageSize = (typeof pageSizes)[number]

/** The default page size. */
export const ROWS: PageSize = '25'
