import { useLayoutEffect } from 'react'

/** The id of the element with the page: all but toasts, which stay audible over a dialog. */
export const PAGE_ID = 'page'

/**
 * Makes the page and open dialogs inert while the calling dialog is open. The primitive only hides them from assistive
 * technology, so that for a moment hidden elements could take the focus.
 */
export function usePageInert(): void {
  useLayoutEffect(() => {
    // The dialog itself is not in the document yet: its portal renders after this.
    const others = [...document.querySelectorAll<HTMLElement>(`#${PAGE_ID}, [data-dialog]`)].filter(
      ({ inert }) => !inert,
    )
    for (const other of others) other.inert = true
    return () => {
      for (const other of others) other.inert = false
    }
  }, [])
}
