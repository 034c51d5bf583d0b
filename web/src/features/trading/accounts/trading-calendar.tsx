import { clsx } from 'clsx'
import { useState } from 'react'
import type { AccountHistory } from '#services/trading/accounts/account-api.ts'
import type { CalendarDay } from '#services/trading/accounts/standing-api.ts'
import type { HitState } from '#services/trading/stream/account-vocabulary.ts'
import { counted } from '@/format/counts.ts'
import { formatDate } from '@/format/dates.ts'
import { formatMoney } from '@/format/money.ts'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { Result } from '@/ui/text.tsx'
import { EventLink } from './event-link.tsx'

type Calendar = NonNullable<AccountHistory['calendar']>

/** The trading days of a month: result, whether the day counts, which limits were reached. */
export function TradingCalendar({ calendar }: { readonly calendar: Calendar }) {
  const { zone, startsAt, days } = calendar
  const months = [...new Set(days.map(({ date }) => monthOf(date)))]
  const [chosen, setChosen] = useState<string>()
  const month = chosen !== undefined && months.includes(chosen) ? chosen : months.at(-1)
  const place = month === undefined ? -1 : months.indexOf(month)
  const [earlier, later] = [months[place - 1], months[place + 1]]
  return (
    <Card title="Trading days">
      <p className="mb-3 text-13 text-muted">
        A day is from {startsAt} to {startsAt} in {zone}, and is named after the date on which it starts.
      </p>
      {month === undefined ? (
        <p className="text-13 text-muted">Nothing was observed on this account yet.</p>
      ) : (
        <>
          <div className="mb-3 flex flex-wrap items-center gap-2">
            <h3 className="min-w-28 text-14 font-semibold" aria-live="polite">
              {monthName(month)}
            </h3>
            <Button look="secondary" disabled={earlier === undefined} onClick={() => setChosen(earlier)}>
              Earlier
            </Button>
            <Button look="secondary" disabled={later === undefined} onClick={() => setChosen(later)}>
              Later
            </Button>
          </div>
          <Month days={days.filter(({ date }) => monthOf(date) === month)} />
        </>
      )}
    </Card>
  )
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

/** A week a row; on a phone a day a row. */
function Month({ days }: { readonly days: readonly CalendarDay[] }) {
  const [first] = days
  if (!first) return null
  const known = new Map(days.map((day) => [day.date, day]))
  return (
    <>
      <div aria-hidden className="mb-1 grid grid-cols-7 gap-1 text-12 text-muted max-md:hidden">
        {weekdays.map((name) => (
          <span key={name} className="px-2">
            {name}
          </span>
        ))}
      </div>
      <ol aria-label={monthName(monthOf(first.date))} className="grid gap-1 md:grid-cols-7">
        {datesOf(monthOf(first.date)).map((date, index) => (
          <li
            key={date}
            className={clsx(
              'min-w-0 rounded-md border p-2 text-12',
              index === 0 && firstColumns[weekdayOf(date)],
              known.has(date) ? 'border-line bg-card' : 'border-transparent text-muted max-md:hidden',
            )}
          >
            <Day date={date} day={known.get(date)} />
          </li>
        ))}
      </ol>
    </>
  )
}

// Whole class names, which the build finds.
const firstColumns = [
  'md:col-start-1',
  'md:col-start-2',
  'md:col-start-3',
  'md:col-start-4',
  'md:col-start-5',
  'md:col-start-6',
  'md:col-start-7',
] as const

const reached: Readonly<Record<HitState, string>> = {
  breached: 'breached',
  paused: 'paused trading',
  warned: 'reached, with a warning',
  undetermined: 'not certain',
}

function Day({ date, day }: { readonly date: string; readonly day: CalendarDay | undefined }) {
  const name = <time dateTime={date}>{formatDate(date, 'short')}</time>
  if (!day) return name
  const { result, closing, counts, trades, limits, event } = day
  return (
    <div className="flex flex-col gap-0.5 max-md:flex-row max-md:flex-wrap max-md:items-baseline max-md:gap-x-3">
      <span className="flex flex-wrap justify-between gap-x-2 text-muted max-md:min-w-14">
        {name}
        {event !== null && <EventLink number={event} />}
      </span>
      <span className="text-14 font-semibold">
        <Result amount={result} />
      </span>
      <span className="text-muted">Balance {formatMoney(closing)}</span>
      <span className="text-muted">
        {[trades !== null && counted(trades, 'trade'), counts !== null && (counts ? 'counts' : 'does not count')]
          .filter(Boolean)
          .join(', ')}
      </span>
      {limits.map(({ title, state, event: proof }, index) => (
        <span key={index} className="font-medium text-bad">
          {title} {reached[state]}
          {proof !== null && proof !== event && (
            <>
              {' '}
              <EventLink number={proof} />
            </>
          )}
        </span>
      ))}
    </div>
  )
}

function monthOf(date: string): string {
  return date.slice(0, 7)
}

/** 'November 2026'. */
function monthName(month: string): string {
  const [, , name = '', year = ''] = /^(\d+) (\w+) (\d+)$/.exec(formatDate(`${month}-01`, 'date')) ?? []
  return `${name} ${year}`
}

/** From 0 for Monday. */
function weekdayOf(date: string): number {
  return (new Date(date).getUTCDay() + 6) % 7
}

function datesOf(month: string): string[] {
  const [year, number] = month.split('-').map(Number)
  const count = new Date(Date.UTC(year ?? 0, number ?? 1, 0)).getUTCDate()
  return Array.from({ length: count }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`)
}
