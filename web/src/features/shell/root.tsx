import { Outlet, useMatches, useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useLayoutEffect } from 'react'
import { useToast } from '../../toast.ts'

const Toaster = lazy(() => import('../../ui/toaster.tsx').then((module) => ({ default: module.Toaster })))

/** Around every page: its title and toasts. */
export function Root() {
  const toast = useToast()
  useTitle()
  useFocusOnNavigation()
  return (
    <>
      <Outlet />
      {/* A dialog hides everything beside it from assistive technology but what is marked as live: the toast has to stay
          heard and seen then too. It announces itself, hence 'off'. */}
      <div aria-live="off">
        <Suspense>{toast && <Toaster toast={toast} />}</Suspense>
      </div>
    </>
  )
}

/** The browser's tab names the page. */
function useTitle(): void {
  const title = useMatches({ select: (matches) => matches.findLast(({ staticData }) => staticData.title !== undefined)?.staticData.title })
  // Before the effects of the pages: one that knows better says so in an effect of its own.
  useLayoutEffect(() => {
    document.title = title === undefined ? 'Proofdesk' : `${title} · Proofdesk`
  }, [title])
}

/** After a navigation the focus is on the new page's name, so that keyboard and screen reader go on from there. */
function useFocusOnNavigation(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        if (!pathChanged || !fromLocation) return
        const target = document.querySelector<HTMLElement>('h1[tabindex]') ?? document.querySelector<HTMLElement>('main')
        target?.focus({ preventScroll: true })
      }),
    [router],
  )
}
