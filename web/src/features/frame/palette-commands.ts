import type { AnyRouter } from '@tanstack/react-router'
import type { QueryClient } from '@tanstack/react-query'

/** The palette's commands: pages, traders, and actions on traders. Each page frame has its own. */

export interface Command {
  readonly id: string
  readonly label: string
  /** Shown smaller after the label: an email, an account's status. */
  readonly hint?: string
  readonly run?: () => void
  /** Actions on the result, offered instead of all other commands once it is chosen. */
  readonly actions?: readonly Command[]
}

export interface PaletteContext {
  readonly router: AnyRouter
  readonly queryClient: QueryClient
  readonly signal: AbortSignal
}

/** The palette's classes, shared with its loading state. */
export const PALETTE =
  'fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-32px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-card shadow-float'
export const PALETTE_INPUT = 'h-12 w-full border-b border-line bg-card px-4 text-16 outline-none'
export const PALETTE_ASKS = 'Type where to go or what to do'

/** A group of commands. `find` runs at every change of the text and filters by itself. */
export interface CommandSource {
  readonly title: string
  readonly find: (typed: string, context: PaletteContext) => readonly Command[] | Promise<readonly Command[]>
}

/** A source of fixed pages: `pages('Go to', [{ to: '/payouts', label: 'Payouts' }])`. */
export function pages(title: string, links: readonly { readonly to: string; readonly label: string }[]): CommandSource {
  return {
    title,
    find: (typed, { router }) =>
      links
        .filter(({ label }) => label.toLowerCase().includes(typed.trim().toLowerCase()))
        .map(({ to, label }) => ({ id: to, label, run: () => void router.navigate({ to }) })),
  }
}
