import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { formatCount } from '@/format/counts.ts'

interface SelectionBarProps {
  /** How many rows of the page may be chosen, and what they are: 'pending'. */
  readonly selectable: number
  readonly what: string
  readonly all: boolean
  readonly onToggleAll: () => void
  /** The selection in words; undefined while there is none. */
  readonly chosen: ReactNode | undefined
  /** The room around it, below it by default. */
  readonly className?: string
  /** Buttons that decide what is chosen. */
  readonly children: ReactNode
}

/** Chooses all rows of a page that wait for a decision, and decides the chosen ones together. */
export function SelectionBar({
  selectable,
  what,
  all,
  onToggleAll,
  chosen,
  className = 'mb-3',
  children,
}: SelectionBarProps) {
  return (
    <div
      role="group"
      aria-label="Decide several at once"
      className={clsx('flex min-h-9 flex-wrap items-center gap-x-4 gap-y-2 text-13', className)}
    >
      <label className="flex items-center gap-2">
        <input type="checkbox" className="size-4 accent-accent" checked={all} onChange={onToggleAll} />
        Select all {formatCount(selectable)} {what} on this page
      </label>
      {chosen !== undefined && (
        <>
          <span role="status" className="text-muted">
            {chosen}
          </span>
          <span className="flex gap-2">{children}</span>
        </>
      )}
    </div>
  )
}
