import { clsx } from 'clsx'
import type { ReactNode } from 'react'

interface MeterProps {
  /** Its name: 'Lost: Daily Drawdown'. */
  readonly label: string
  /** From 0 to 100. */
  readonly percent: number
  /** A line across the bar, from 0 to 100. */
  readonly mark?: number
  /** The value in words: '$120.00 of $500.00 lost'. */
  readonly text: string
  readonly tone?: 'accent' | 'good' | 'review' | 'waiting' | 'bad' | undefined
  /** 'meter' for a state (what is lost), 'progressbar' for progress to a goal. */
  readonly role?: 'meter' | 'progressbar'
  /** Shown below the bar instead of the text. */
  readonly children?: ReactNode
  readonly className?: string
}

const fills = {
  accent: 'bg-accent',
  good: 'bg-good',
  review: 'bg-review',
  waiting: 'bg-waiting',
  bad: 'bg-bad',
} as const

/** A horizontal bar with its value in words below it. */
export function Meter({
  label,
  percent,
  mark,
  text,
  tone = 'accent',
  role = 'meter',
  children,
  className,
}: MeterProps) {
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
        className="relative h-2.5 overflow-hidden rounded-full border border-line bg-sunken"
      >
        <div
          className={clsx('h-full rounded-full transition-[width] duration-150', fills[tone])}
          style={{ width: `${shown}%` }}
        />
        {mark !== undefined && <span className="absolute inset-y-0 w-px bg-ink/60" style={{ left: `${mark}%` }} />}
      </div>
      <p className="mt-1.5 text-12 text-muted">{children ?? text}</p>
    </div>
  )
}
