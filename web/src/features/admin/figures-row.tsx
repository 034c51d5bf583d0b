import type { ReactNode } from 'react'
import { formatCount } from '../../format/counts.ts'
import { StatCard } from '../../ui/card.tsx'
import { Skeleton } from '../../ui/states.tsx'

interface Figure {
  readonly label: string
  /** Undefined while loading. */
  readonly value: number | string | undefined
  readonly context?: ReactNode
}

interface FiguresRowProps {
  readonly label: string
  readonly figures: readonly Figure[]
  /** The figures could not be loaded; the page works without them. */
  readonly failed: boolean
}

/** Cards above a table, one figure each. */
export function FiguresRow({ label, figures, failed }: FiguresRowProps) {
  return (
    <div
      role="group"
      aria-label={label}
      aria-busy={!failed && figures.some(({ value }) => value === undefined)}
      className="mb-6 grid grid-cols-[repeat(auto-fit,minmax(120px,1fr))] gap-3"
    >
      {figures.map(({ label: name, value, context }) => (
        <StatCard key={name} label={name} value={displayedValue(value, failed)} context={context} />
      ))}
    </div>
  )
}

function displayedValue(value: number | string | undefined, failed: boolean): ReactNode {
  if (value === undefined) return failed ? 'Unknown' : <Skeleton className="my-1 h-5 w-16" />
  return typeof value === 'number' ? formatCount(value) : value
}
