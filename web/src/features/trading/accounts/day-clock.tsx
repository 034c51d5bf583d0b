import { useEffect, useState } from 'react'
import type { Standing } from '#services/trading/accounts/standing-api.ts'
import { formatDate } from '@/format/dates.ts'
import { resetTime, timeLeft } from './standing.ts'

/** More often than a minute changes. */
const TICK = 10_000

interface DayClockProps {
  readonly standing: Standing
  /** When it was read, by the clock of this browser, in ms. */
  readonly readAt: number
}

/** The present trading day, and how long it lasts by the clock of the server. */
export function DayClock({ standing, readAt }: DayClockProps) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), TICK)
    return () => clearInterval(ticking)
  }, [])
  const { day, at, resetsAt } = standing
  const left = Date.parse(resetsAt) - Date.parse(at) - Math.max(0, now - readAt)
  return (
    <p className="text-13 text-muted">
      Trading day {formatDate(day, 'date')}. <span className="font-medium text-ink">Resets in {timeLeft(left)}</span>,
      at {resetTime(standing)}.
    </p>
  )
}
