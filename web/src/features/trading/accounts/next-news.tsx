import { useQuery } from '@tanstack/react-query'
import { useContext } from 'react'
import type { StandingRule } from '#services/trading/accounts/standing-api.ts'
import { ReadByStaff } from '@/account-in-address.ts'
import { serverNow } from '@/api/server-clock.ts'
import { calendarQuery, concerned } from '@/features/trading/calendar/calendar-query.ts'
import { formatDate } from '@/format/dates.ts'
import { useServerNow } from './as-of.tsx'
import { timeLeft } from './standing.ts'

const MINUTE = 60_000
const DAY = 86_400_000
/** How many windows are shown. */
const SHOWN = 3

interface NextNewsProps {
  readonly window: NonNullable<NonNullable<StandingRule['terms']>['window']>
}

/** The next windows of news in which a trade would hit, with how long it is until the first. */
export function NextNews({ window: { before, after, impacts } }: NextNewsProps) {
  const session = useContext(ReadByStaff) ? 'admin' : 'trader'
  const today = new Date(serverNow()).toISOString().slice(0, 10)
  const week = new Date(serverNow() + 8 * DAY).toISOString().slice(0, 10)
  const { data } = useQuery(calendarQuery(session, today, week))
  const now = useServerNow()
  const coming = (data ?? []).flatMap((entry) => {
    const at = Date.parse(entry.at)
    const [from, to] = [at - before * MINUTE, at + after * MINUTE]
    return to >= now && !entry.withdrawn && impacts.includes(entry.impact) ? [{ entry, from, to }] : []
  })
  if (!data) return null
  const [next] = coming
  if (!next) return <p className="mt-3 text-12 text-muted">No such news are published for the next days.</p>
  return (
    <div className="mt-3 text-12">
      <p className={next.from <= now ? 'font-medium text-bad' : 'font-medium text-waiting'}>
        {next.from <= now
          ? `A window of news is open, for ${timeLeft(next.to - now)} more`
          : `The next window of news opens in ${timeLeft(next.from - now)}`}
      </p>
      <ul className="mt-1 flex flex-col gap-1 text-muted">
        {coming.slice(0, SHOWN).map(({ entry, from, to }) => (
          <li key={entry.id} className="[overflow-wrap:anywhere]">
            {formatDate(new Date(from), 'stamp')} to {formatDate(new Date(to), 'stamp')}: {entry.title} (
            {concerned(entry)})
          </li>
        ))}
      </ul>
    </div>
  )
}
