import { Outlet, useMatches, useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useLayoutEffect, useState } from 'react'
import { useToast } from '../../toast.ts'
import { PaletteOpening } from './palette-opening.tsx'

const Toaster = lazy(() => import('../../ui/toaster.tsx').then((module) => ({ default: module.Toaster })))
const Palette = lazy(() => import('./palette.tsx').then((module) => ({ default: module.Palette })))

/** Around every page: its title, toasts, the palette. */
export function Root() {
  const toast = useToast()
  const palette = usePalette()
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
      {palette.isOpen && (
        <Suspense fallback={<PaletteOpening typed={palette.typed} onType={palette.setTyped} onClose={palette.giveUp} />}>
          <Palette begun={palette.typed} opener={palette.opener} onClose={palette.close} />
        </Suspense>
      )}
    </>
  )
}

/** Whether the palette is open, where the focus was before, and what was typed before it was loaded. */
function usePalette() {
  const [opened, setOpened] = useState<{ readonly opener: Element | null }>()
  const [typed, setTyped] = useState<string>()
  useEffect(() => {
    const open = () => {
      setTyped(undefined)
      setOpened({ opener: document.activeElement })
    }
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      const opener = document.activeElement
      setTyped(undefined)
      setOpened((before) => (before ? undefined : { opener }))
    }
    document.addEventListener('keydown', press)
    document.addEventListener('open-palette', open)
    return () => {
      document.removeEventListener('keydown', press)
      document.removeEventListener('open-palette', open)
    }
  }, [])
  const opener = opened?.opener ?? null
  const close = () => setOpened(undefined)
  const giveUp = () => {
    close()
    if (opener instanceof HTMLElement) opener.focus()
  }
  return { isOpen: opened !== undefined, opener, typed, setTyped, close, giveUp }
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
