import { useBlocker } from '@tanstack/react-router'
import { useEffect } from 'react'
import { lazyPart } from '@/lazy-page.ts'
import { unsavedWork } from './unsaved-work.ts'

const loadDialog = () => import('./dialog.tsx').then(({ AlertDialog }) => AlertDialog)
const AlertDialog = lazyPart(loadDialog)

const isUnsaved = () => [...unsavedWork.get()].some((ask) => ask())

/**
 * Asks before a page is left on which something is not saved, also by the browser's Back, which closes dialogs that
 * the address opens. The end of the session is not held up. Only the look of the question loads later: a page can be
 * left before that.
 */
export function AskBeforeLeaving() {
  useEffect(() => {
    // With the first thing typed: the question must be there also when the connection is lost after it.
    const load = () => void loadDialog().catch(() => {})
    document.addEventListener('input', load, { once: true })
    return () => document.removeEventListener('input', load)
  }, [])
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next, action }) =>
      isUnsaved() &&
      next.pathname !== '/auth' &&
      (next.pathname !== current.pathname || (action !== 'PUSH' && action !== 'REPLACE')),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <AlertDialog
      onClose={reset}
      title="Leave without saving?"
      description="What you typed or have open on this page is lost."
      action={{ label: 'Leave', busy: false, onClick: proceed }}
    />
  )
}
