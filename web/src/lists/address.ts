import { type HistoryState, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'

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
    navigate({
      to: '.',
      search: (before: object) => ({ ...before, ...changes }),
      replace,
      state: state ?? true,
      resetScroll: fromTop,
    })
}

/** A list with other filters starts at its first page. */
export const FROM_THE_START = { cursor: undefined, pending: undefined, history: undefined, rows: undefined } as const

/**
 * A value that is shown at once while it is moved or typed; after `pause` ms without another change it is written to
 * the address.
 */
export function useDraft<Value extends string | number>(pause: number, write: (value: Value) => Promise<void>) {
  const [draft, setDraft] = useState<Value>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const writeNow = async (value: Value) => {
    clearTimeout(timer.current)
    await write(value)
    // Unless it changed again meanwhile, the address is shown, also after going back.
    setDraft((current) => (current === value ? undefined : current))
  }
  const change = (value: Value) => {
    setDraft(value)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void writeNow(value), pause)
  }
  return { draft, change, writeNow }
}
