import { clsx } from 'clsx'
import { type ReactNode, useLayoutEffect } from 'react'
import { letterOf, lettersOfLayout } from '@/input-methods.ts'
import { findRow } from '@/ui/data-table.tsx'
import { useStore } from '@/use-store.ts'
import { turnPage } from './list-table.tsx'

interface HasId {
  readonly id: string
}

/** Keys act on a row, or on the rows of the page. */
interface PageKeys<Row> {
  /** With the row that has the focus or contains it, else with the first one that waits for the member. */
  readonly withRow: Readonly<Record<string, (row: Row) => void>>
  /** With Shift. */
  readonly withPage: Readonly<Record<string, () => void>>
  readonly waits: (row: Row) => boolean
}

/**
 * Keys that work wherever the focus is on a page: J and K move between rows, and from the last or the first one to the
 * next or the previous page. Not while someone types, and not while a dialog or menu is open.
 */
export function usePageKeys<Row extends HasId>(
  rows: readonly Row[] = [],
  { withRow, withPage, waits }: PageKeys<Row> = { withRow: {}, withPage: {}, waits: () => true },
): void {
  // Before the rows are painted: a key acts on the rows that are seen.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return
      const key = letterOf(event)
      const at = indexWithFocus(rows)
      if (key === 'j' || key === 'k') {
        const next = rows[at < 0 ? 0 : at + (key === 'j' ? 1 : -1)]
        if (next) findRow(next.id)?.focus()
        else if (!event.repeat) turnPage(key === 'j' ? 'next' : 'previous')
      } else if (event.shiftKey && withPage[key]) {
        if (!event.repeat) withPage[key]()
      } else if (!event.shiftKey && withRow[key]) {
        const row = at < 0 ? rows.find(waits) : rows[at]
        if (row && !event.repeat) withRow[key](row)
      } else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  })
}

/** The index of the row that has the focus or contains it, -1 for none. */
function indexWithFocus(rows: readonly HasId[]): number {
  const id = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset['row']
  return rows.findIndex((row) => row.id === id)
}

const typed = 'input:not([type=checkbox]), textarea, select, [contenteditable]'

function isBusy(target: EventTarget | null): boolean {
  if (target instanceof Element && target.closest(typed)) return true
  return document.querySelector('[role=dialog], [role=alertdialog], [role=menu], dialog[open]') !== null
}

/** A key as it is named in a sentence, with what the member's keyboard writes there if that is no Latin letter. */
export function Key({ children }: { readonly children: string }) {
  const own = useStore(lettersOfLayout)[children.toLowerCase()]
  return <kbd className="font-mono">{own === undefined ? children : `${children} (${own.toUpperCase()})`}</kbd>
}

interface RowKeysProps {
  readonly opens: string
  /** The room around it, below it by default. */
  readonly className?: string
  readonly children?: ReactNode
}

/** Explains the keys that move between rows; `children` go on with others. */
export function RowKeys({ opens, className = 'mb-3', children }: RowKeysProps) {
  return (
    <p className={clsx('text-13 text-muted max-md:hidden', className)}>
      <Key>J</Key> and <Key>K</Key> move between rows, <Key>Enter</Key> opens {opens}
      {children}.
    </p>
  )
}
