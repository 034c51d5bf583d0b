import { Outlet, useMatches, useRouter } from '@tanstack/react-router'
import { useEffect, useLayoutEffect } from 'react'
import { type ConfirmationRequest, shownConfirmation } from '@/api/confirmation.ts'
import { useFirmName } from '@/firm.ts'
import { useReachability } from '@/api/reachability.ts'
import { useStore } from '@/use-store.ts'
import { dismissToast, shownToast, type Toast } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { firstField } from '@/ui/first-field.ts'
import { MissingOverPage } from '@/ui/missing-part.tsx'
import { AskBeforeLeaving } from '@/ui/unsaved.tsx'
import { unsavedWork } from '@/ui/unsaved-work.ts'
import { PAGE_ID } from '@/ui/use-page-inert.ts'
import { lazyPartOr } from '@/lazy-page.ts'

const Toaster = lazyPartOr(() => import('@/ui/toaster.tsx').then(({ Toaster }) => Toaster), PlainToast)

const ConfirmationDialog = lazyPartOr<ConfirmationRequest>(
  () =>
    import('@/features/identity/second-factors/confirmation-dialog.tsx').then(
      ({ ConfirmationDialog }) => ConfirmationDialog,
    ),
  ({ done }) => <MissingOverPage onClose={() => done(false)} />,
)

/** The frame of every page: its title, toasts and the question who one is. */
export function Root() {
  const toast = useStore(shownToast)
  const confirmation = useStore(shownConfirmation)
  const mayBeUnsaved = useStore(unsavedWork).size > 0
  useTitle()
  useFocusOnNavigation()
  return (
    <>
      <div id={PAGE_ID}>
        <Outlet />
      </div>
      <ConnectionLine />
      {mayBeUnsaved && <AskBeforeLeaving />}
      {confirmation && <ConfirmationDialog {...confirmation} />}
      {/* An open dialog hides everything but live regions from assistive technology. Toasts must stay audible; they
          announce themselves, hence 'off'. */}
      <div aria-live="off">{toast && <Toaster toast={toast} />}</div>
    </>
  )
}

/** A toast while its own code cannot be loaded: what it says is not lost. */
function PlainToast({ toast: { title, description, open } }: { readonly toast: Toast }) {
  return (
    open && (
      <p
        role="alert"
        className="pointer-events-auto! fixed inset-x-0 top-0 z-60 flex items-center justify-center gap-3 border-b border-line bg-card px-4 py-2"
      >
        <span>
          <strong>{title}</strong> {description}
        </span>
        <Button look="quiet" onClick={dismissToast}>
          Close
        </Button>
      </p>
    )
  )
}

/** A thin line while the server cannot be reached. The page stays, and continues by itself. */
function ConnectionLine() {
  const reachability = useReachability()
  return (
    <div role="status">
      {reachability !== 'reachable' && (
        <p className="pointer-events-none fixed inset-x-0 bottom-0 z-60 flex h-6 items-center justify-center bg-waiting-soft px-4 text-12 font-medium text-waiting">
          {reachability === 'offline'
            ? 'You are offline. This page waits for the connection.'
            : 'Connection lost. Reconnecting…'}
        </p>
      )}
    </div>
  )
}

/** The browser's tab names the page. */
function useTitle(): void {
  const title = useMatches({
    select: (matches) => matches.findLast(({ staticData }) => staticData.title !== undefined)?.staticData.title,
  })
  // Runs before the effects of pages, which may set a more specific title.
  const firm = useFirmName()
  useLayoutEffect(() => {
    document.title = title === undefined ? firm : `${title} · ${firm}`
  }, [title, firm])
}

/** Moves the focus to the new page's first field or heading, where keyboard and screen reader continue. */
function useFocusOnNavigation(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        if (!pathChanged || !fromLocation) return
        const target =
          firstField() ??
          document.querySelector<HTMLElement>('h1[tabindex]') ??
          document.querySelector<HTMLElement>('main')
        target?.focus({ preventScroll: true })
      }),
    [router],
  )
}
