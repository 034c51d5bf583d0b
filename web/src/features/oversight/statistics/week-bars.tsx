import type { FirmWeek } from '#services/oversight/statistics/statistics-api.ts'
import { formatDate } from '@/format/dates.ts'

interface WeekBarsProps {
  readonly title: string
  readonly weeks: readonly FirmWeek[]
  /** How high a week's bar is; nothing below zero. */
  readonly valueOf: (week: FirmWeek) => number
  /** What a week's bar means: '12 new accounts'. */
  readonly textOf: (week: FirmWeek) => string
  /** What all weeks come to. */
  readonly total: string
}

/**
 * A bar for each week, the last one up to today. Each says its days and its value, to a pointer and to assistive
 * technology.
 */
export function WeekBars({ title, weeks, valueOf, textOf, total }: WeekBarsProps) {
  const highest = Math.max(1, ...weeks.map(valueOf))
  const describe = (week: FirmWeek) =>
    `${formatDate(week.from, 'short')} to ${formatDate(week.to, 'short')}: ${textOf(week)}`
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="text-13 text-muted">{title}</h3>
      <p className="text-20 font-semibold break-words">{total}</p>
      <ol aria-label={`${title} by week`} className="mt-3 flex h-24 items-end gap-1 border-b border-line">
        {weeks.map((week) => (
          <li key={week.from} title={describe(week)} className="group flex h-full min-w-0 flex-1 items-end">
            <span className="sr-only">{describe(week)}</span>
            <span
              aria-hidden
              className="w-full rounded-t-sm bg-accent group-hover:bg-accent-strong"
              style={{ height: `${Math.max(0, (valueOf(week) / highest) * 100)}%` }}
            />
          </li>
        ))}
      </ol>
      <p aria-hidden className="mt-1 flex justify-between text-12 text-muted">
        <span>{formatDate(weeks[0]?.from, 'short')}</span>
        <span>Today</span>
      </p>
    </section>
  )
}
