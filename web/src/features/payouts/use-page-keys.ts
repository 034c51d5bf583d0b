import { useLayoutEffect } from 'react'
import type { AdminPayout } from '#services/modules/payouts/payout-api.ts'
import { findRow } from '@/ui/data-table.tsx'

/**
 * Keys that work wherever the focus is on a page: J and K move between rows, the others act on the row that has the
 * focus or contains it, else on the first pending one. Not while someone types, and not while a dialog or menu is open.
 */
export function usePageKeys(
  rows: readonly AdminPayout[],
  shortcuts: Readonly<Record<string, (payout: AdminPayout) => void>>,
): void {
  // Before the rows are painted: a key acts on the rows that are seen.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return
      const key = event.key.toLowerCase()
      const at = indexWithFocus(rows)
      if (key === 'j' || key === 'k') findRow(rows[at < 0 ? 0 : at + (key === 'j' ? 1 : -1)]?.id ?? '')?.focus()
      else if (shortcuts[key]) {
        const row = at < 0 ? rows.find(({ status }) => status === 'pending') : rows[at]
        if (row && !event.repeat) shortcuts[key](row)
      } else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  })
}

/** The index of the row that has the focus or contains it, -1 for none. */
function indexWithFocus(rows: readonly AdminPayout[]): number {
  const id = document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset['row']
  return rows.findIndex((row) => row.id === id)
}

const typed = 'input:not([type=checkbox]), textarea, select, [contenteditable]'

function isBusy(target: EventTarget | null): boolean {
  if (target instanceof Element && target.closest(typed)) return true
  return document.querySelector('[role=dialog], [role=alertdialog], [role=menu], dialog[open]') !== null
}
