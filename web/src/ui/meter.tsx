import { clsx } from 'clsx'
import type { ReactNode } from 'react'

interface MeterProps {
  /** Its name: 'Room left until the daily drawdown limit'. */
  readonly label: string
  /** From 0 to 100. */
  readonly percent: number
  /** The value in words: '$480.00 of $500.00 left'. */
  readonly text: string
  readonly tone?: 'accent' | 'good' | 'review' | 'waiting' | 'bad' | undefined
  /** 'meter' for a state (room left), 'progressbar' for progress to a goal. */
  readonly role?: 'meter' | 'progressbar'
  /** Shown below the bar instead of the text. */
  readonly children?: ReactNode
  readonly className?: string
}

const fills = { accent: 'bg-accent', good: 'bg-good', review: 'bg-review', waiting: 'bg-waiting', bad: 'bg-bad' } as const

/** A horizontal bar with its value in words below it. */
export function Meter({ label, percent, text, tone = 'accent', role = 'meter', children, className }: MeterProps) {
  const shown = Math.min(100, Math.max(0, Number.isFinite(percent) ? percent : 0))
  return (
    <div className={clsx('min-w-0', className)}>
      <div
        role={role}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(shown * 100) / 100}
        aria-valuetext={text}
        className="h-2 overflow-hidden rounded-full border border-line bg-sunken"
      >
        <div className={clsx('h-full rounded-full transition-[width] duration-150', fills[tone])} style={{ width: `${shown}%` }} />
      </div>
      <p className="mt-1.5 text-12 text-muted">{children ?? text}</p>
    </div>
  )
}
