import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Badge } from './badge.tsx'

interface FoldProps {
  readonly id?: string
  readonly title: string
  /** What is said of it in one line while it is folded. */
  readonly summary: ReactNode
  /** It is open, and says so. What was opened stays open until the reader closes it. */
  readonly needsAttention?: boolean
  readonly children: ReactNode
}

/** A section of a page that is one line while all is well. Its title is a level-2 heading. */
export function Fold({ id, title, summary, needsAttention = false, children }: FoldProps) {
  const [isOpen, setIsOpen] = useState(needsAttention)
  const [known, setKnown] = useState(needsAttention)
  if (needsAttention !== known) {
    setKnown(needsAttention)
    if (needsAttention) setIsOpen(true)
  }
  return (
    <details
      id={id}
      open={isOpen}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      className="group rounded-lg border border-line bg-card"
    >
      <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-5 py-2.5 hover:bg-hover/60 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          size={16}
          aria-hidden
          className="shrink-0 text-muted transition-transform duration-150 group-open:rotate-90"
        />
        <h2 className="text-14 font-semibold md:w-48">{title}</h2>
        <span className="min-w-0 flex-1 text-13 max-md:order-1 max-md:basis-full max-md:pl-7 break-words text-muted">
          {summary}
        </span>
        {needsAttention && <Badge tone="waiting">Needs attention</Badge>}
      </summary>
      <div className="border-t border-line p-5">{children}</div>
    </details>
  )
}
