import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { formatCount } from '@/format/counts.ts'
import { AddressLink } from './address-link.tsx'
import { StatCard } from './card.tsx'
import { FailedFigures, Skeleton } from './states.tsx'

interface Figure {
  readonly label: string
  /** Undefined while loading. */
  readonly value: number | string | undefined
  readonly context?: ReactNode
  /** The list of what is counted. */
  readonly href?: string
}

interface FiguresRowProps {
  readonly label: string
  readonly figures: readonly Figure[]
  /** The figures could not be loaded; the page works without them. */
  readonly failed: boolean
  readonly onRetry: () => unknown
  /** Above a long table. */
  readonly dense?: boolean
}

/** Cards above a table, one figure each. */
export function FiguresRow({ label, figures, failed, onRetry, dense = false }: FiguresRowProps) {
  return (
    <div
      role="group"
      aria-label={label}
      aria-busy={!failed && figures.some(({ value }) => value === undefined)}
      className={clsx(
        // On a phone two in a row leave room for an amount, and a single last one takes its row.
        dense ? 'mb-3' : 'mb-6',
        'grid grid-cols-2 gap-2 md:grid-cols-[repeat(auto-fit,minmax(120px,1fr))] md:gap-3',
        'max-md:[&>section:last-of-type:nth-of-type(odd)]:col-span-2',
      )}
    >
      {figures.map(({ label: name, value, context, href }) => (
        <StatCard
          key={name}
          label={href === undefined ? name : <FigureLink href={href}>{name}</FigureLink>}
          value={displayedValue(value, failed)}
          context={context}
          dense={dense}
          className={clsx(href !== undefined && 'relative transition-colors duration-150 hover:bg-hover/60')}
        />
      ))}
      {failed && figures.some(({ value }) => value === undefined) && (
        <FailedFigures onRetry={onRetry} className="col-span-full">
          The figures could not be loaded.
        </FailedFigures>
      )}
    </div>
  )
}

/** Covers the whole card, so that a click on the figure follows it too. */
function FigureLink({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <AddressLink
      href={href}
      className="rounded-sm underline decoration-edge/60 decoration-dotted underline-offset-4 after:absolute after:inset-0 hover:decoration-ink"
    >
      {children}
    </AddressLink>
  )
}

function displayedValue(value: number | string | undefined, failed: boolean): ReactNode {
  if (value === undefined) return failed ? 'Unknown' : <Skeleton className="my-1 h-5 w-16" />
  return typeof value === 'number' ? formatCount(value) : value
}
