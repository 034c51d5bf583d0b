import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, type LinkOptions, useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { LogOut, Menu as MenuIcon, Search, X } from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { letterOf } from '@/input-methods.ts'
import { useFirmName } from '@/firm.ts'
import { keptFocus } from '@/ui/kept-focus.ts'
import { messageOf } from '@/api/api-error.ts'
import type { Session } from '@/api/session.ts'
import { timeZone } from '@/time-zone.ts'
import { toastFailure } from '@/toast.ts'
import { Brand } from '@/ui/brand.tsx'
import { Button, IconButton } from '@/ui/button.tsx'
import { MissingOverPage } from '@/ui/missing-part.tsx'
import { useStore } from '@/use-store.ts'
import { useFirmUpdates } from './firm-updates.ts'
import { useLive } from './live.ts'
import { leave, signOut } from './session-queries.ts'
import { type CommandSource, PALETTE, PALETTE_ASKS, PALETTE_INPUT } from './palette-commands.ts'
import { ThemeSwitch } from './theme-switch.tsx'
import { lazyComponent } from '@/lazy-page.ts'

export interface NavigationLink {
  readonly to: NonNullable<LinkOptions['to']>
  readonly label: string
  /** Also active on the pages below it. */
  readonly withPagesBelow?: boolean
  /** After the label: how much waits there. */
  readonly badge?: ReactNode
}

interface PageFrameProps {
  /** Name of the navigation: 'Trader'. */
  readonly name: string
  readonly home: NonNullable<LinkOptions['to']>
  readonly links: readonly NavigationLink[]
  /** The palette offers these commands. Define them outside the component. */
  readonly commands: readonly CommandSource[]
  readonly session: Session
  /** Beside the theme switch. */
  readonly tools?: ReactNode
  /** Below the header; it scrolls with the page. */
  readonly bar?: ReactNode
  readonly children: ReactNode
}

/** More links than this do not fit beside each other under 1280 px. */
const FEW_LINKS = 8

/** Top navigation, palette and content; under 768 px, or 1280 px with many links, the navigation is a side menu. */
export function PageFrame({ name, home, links, commands, session, tools, bar, children }: PageFrameProps) {
  const [menuOpen, setMenuOpen] = useState(false)
  const hasFew = links.length <= FEW_LINKS
  const { open, palette } = usePalette(commands)
  const client = useQueryClient()
  const navigate = useNavigate()
  const logout = useMutation(signOut(session))
  useLive(session)
  useFirmUpdates(session)
  const firm = useFirmName()
  const signOutNow = () =>
    logout.mutate(undefined, {
      onSuccess: () => leave(client, session, () => navigate({ to: '/auth' })),
      onError: (error) => toastFailure('Logout failed', messageOf(error, 'Failed to log out')),
    })
  const signOutButton = (
    <Button look="quiet" busy={logout.isPending} onClick={signOutNow} className="md:max-lg:px-2.5!" title="Sign out">
      <LogOut size={16} aria-hidden />
      <span className="md:max-lg:sr-only">Sign out</span>
    </Button>
  )
  return (
    <>
      <a
        href="#main"
        className="sr-only rounded-md bg-accent px-4 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-60"
      >
        Skip to content
      </a>
      <header data-bar className="print:hidden sticky top-0 z-30 border-b border-line bg-card">
        <div className="mx-auto flex h-14 max-w-[1248px] items-center gap-2 px-4 enlarged:gap-1 enlarged:px-2 md:max-lg:gap-1 md:max-lg:px-3 lg:px-6">
          <IconButton
            label="Open menu"
            className={hasFew ? 'md:hidden' : 'xl:hidden'}
            aria-haspopup="dialog"
            aria-expanded={menuOpen}
            onClick={() => setMenuOpen(true)}
          >
            <MenuIcon size={20} aria-hidden />
          </IconButton>
          <Link to={home} aria-label={`${firm}, home`} className="mr-2 flex min-w-0 rounded-md md:mr-4 md:max-lg:mr-1">
            <Brand compact />
          </Link>
          <nav aria-label={name} className={hasFew ? 'hidden md:block' : 'hidden xl:block'}>
            <ul className="flex">
              {links.map((link) => (
                <li key={link.label}>
                  <NavigationItem
                    {...link}
                    className={clsx('h-9', hasFew ? 'px-3 md:max-lg:px-1 md:max-xl:text-13! lg:max-xl:px-2' : 'px-2')}
                  />
                </li>
              ))}
            </ul>
          </nav>
          <div className="ml-auto flex shrink-0 items-center gap-1">
            {/* Not named 'Search', which is the name of the search field of a list. */}
            <IconButton
              label="Find anything"
              title="Find anything (Ctrl K)"
              aria-keyshortcuts="Control+K Meta+K"
              onClick={open}
            >
              <Search size={16} aria-hidden />
            </IconButton>
            {tools}
            <div className="max-md:hidden">
              <TimeZoneSwitch />
            </div>
            <ThemeSwitch />
            <div className="hidden md:block">{signOutButton}</div>
          </div>
        </div>
      </header>
      {menuOpen && (
        <SideMenu onClose={() => setMenuOpen(false)}>
          <nav aria-label={name}>
            <ul className="flex flex-col gap-1">
              {links.map((link) => (
                <li key={link.label}>
                  <NavigationItem {...link} className="h-11 px-3" onClick={() => setMenuOpen(false)} />
                </li>
              ))}
            </ul>
          </nav>
          <div className="mt-2 flex items-center justify-between border-t border-line pt-2">
            {signOutButton}
            <TimeZoneSwitch />
          </div>
        </SideMenu>
      )}
      {bar}
      <main ref={keptFocus} id="main" tabIndex={-1} className="mx-auto max-w-[1248px] px-4 py-8 enlarged:px-2 md:px-6">
        {children}
      </main>
      {palette}
    </>
  )
}

interface NavigationItemProps extends NavigationLink {
  readonly className: string
  readonly onClick?: () => void
}

function NavigationItem({ to, label, withPagesBelow = false, badge, className, onClick }: NavigationItemProps) {
  return (
    <Link
      to={to}
      {...(onClick && { onClick })}
      activeOptions={{ exact: !withPagesBelow, includeSearch: false }}
      className={clsx(
        'flex items-center rounded-md text-14 font-medium whitespace-nowrap text-muted transition-colors duration-150 hover:bg-hover hover:text-ink',
        className,
      )}
      activeProps={{ className: 'bg-accent-soft text-accent! hover:bg-accent-soft' }}
    >
      {label}
      {badge}
    </Link>
  )
}

/** Switches all times between UTC and local time; the choice is stored. */
function TimeZoneSwitch() {
  const zone = useStore(timeZone)
  const [shown, name] =
    zone === 'utc' ? ['UTC', 'UTC times. Switch to local time'] : ['Local', 'Local times. Switch to UTC']
  return (
    <Button
      look="quiet"
      aria-label={name}
      title={name}
      className="px-2! text-12! text-muted!"
      onClick={() => timeZone.set(zone === 'utc' ? 'local' : 'utc')}
    >
      {shown}
    </Button>
  )
}

/** A native modal dialog: it keeps the focus, restores it, and closes on Escape. */
function SideMenu({ onClose, children }: { readonly onClose: () => void; readonly children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    // In development React runs effects twice: the dialog may be open already.
    if (!dialog.current?.open) dialog.current?.showModal()
  }, [])
  // The native close also restores the focus; onClose follows.
  const close = () => dialog.current?.close()
  return (
    <dialog
      ref={dialog}
      aria-label="Menu"
      onClose={onClose}
      // A click on the dialog element itself is a click on the backdrop.
      onClick={(event) => event.target === event.currentTarget && close()}
      className="m-0 h-dvh max-h-none w-72 max-w-[85vw] animate-appear border-r border-line bg-card text-ink backdrop:bg-scrim"
    >
      <div className="flex min-h-full flex-col p-3">
        <div className="mb-3 flex items-center justify-between pl-3">
          <Brand />
          <IconButton label="Close menu" onClick={close}>
            <X size={20} aria-hidden />
          </IconButton>
        </div>
        {children}
      </div>
    </dialog>
  )
}

const Palette = lazyComponent(() => import('./palette.tsx').then(({ Palette }) => Palette), MissingOverPage)

/** The palette with these commands, and the function that opens it; Ctrl/⌘ K opens it too. It loads on first use. */
function usePalette(sources: readonly CommandSource[]) {
  const [opened, setOpened] = useState<{ readonly opener: Element | null }>()
  const [typed, setTyped] = useState<string>()
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (letterOf(event) !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      const opener = document.activeElement
      setTyped(undefined)
      setOpened((before) => (before ? undefined : { opener }))
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  const close = () => setOpened(undefined)
  const giveUp = () => {
    close()
    if (opened?.opener instanceof HTMLElement) opened.opener.focus()
  }
  return {
    open: () => {
      setTyped(undefined)
      setOpened({ opener: document.activeElement })
    },
    palette: opened && (
      <Suspense fallback={<PaletteOpening typed={typed} onType={setTyped} onClose={giveUp} />}>
        <Palette sources={sources} initial={typed} opener={opened.opener} onClose={close} />
      </Suspense>
    ),
  }
}

interface PaletteOpeningProps {
  readonly typed: string | undefined
  readonly onType: (typed: string) => void
  readonly onClose: () => void
}

/** Replaces the palette while it loads, and keeps what is typed. */
function PaletteOpening({ typed = '', onType, onClose }: PaletteOpeningProps) {
  // Tells the palette that it is already visible.
  useEffect(() => onType(''), [onType])
  return (
    <div role="dialog" aria-label="Search and commands" aria-busy data-dialog className={`${PALETTE} animate-appear`}>
      <input
        ref={(input) => input?.focus()}
        aria-label="Search and commands"
        value={typed}
        onChange={(event) => onType(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
        placeholder={PALETTE_ASKS}
        className={PALETTE_INPUT}
      />
    </div>
  )
}
