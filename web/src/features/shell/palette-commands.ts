import type { AnyRouter } from '@tanstack/react-router'
import type { QueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

/** What the palette offers. Features add their own: pages, people that are found, what can be done with them. */

export interface Command {
  readonly id: string
  readonly label: string
  /** Smaller, behind the label: an email, an account's status. */
  readonly hint?: string
  readonly run?: () => void
  /** What can be done with what was found: offered next, in the place of everything else. */
  readonly actions?: readonly Command[]
}

export interface PaletteContext {
  readonly router: AnyRouter
  readonly queryClient: QueryClient
  readonly signal: AbortSignal
}

/** A group of commands. `find` is asked at every change of what is typed, and finds what fits by itself. */
export interface CommandSource {
  readonly title: string
  readonly find: (typed: string, context: PaletteContext) => readonly Command[] | Promise<readonly Command[]>
}

const sources = new Set<CommandSource>()

/** Offers commands while the component is there. Keep the source outside the component, or it is taken for a new one. */
export function useCommands(source: CommandSource): void {
  useEffect(() => {
    sources.add(source)
    return () => void sources.delete(source)
  }, [source])
}

export function commandSources(): readonly CommandSource[] {
  return [...sources]
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
