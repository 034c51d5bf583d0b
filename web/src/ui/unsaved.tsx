import { useBlocker } from '@tanstack/react-router'
import { AlertDialog } from './dialog.tsx'

/** Asks before a page is left on which something is typed and not saved. The end of the session is not held up. */
export function AskBeforeLeaving({ unsaved }: { readonly unsaved: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => unsaved && next.pathname !== current.pathname && next.pathname !== '/auth',
    enableBeforeUnload: unsaved,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <AlertDialog
      onClose={reset}
      title="Leave without saving?"
      description="What you changed on this page is not saved."
      action={{ label: 'Leave', busy: false, onClick: proceed }}
    />
  )
}
