import { useEffect, useState } from 'react'
import { serverNow } from '@/api/server-clock.ts'
import { formatDate } from '@/format/dates.ts'
import { isStale } from './standing.ts'

/** More often than a minute changes. */
const TICK = 10_000

/** Now, by the server's clock, in ms since 1970; as time passes, the component renders again. */
export function useServerNow(): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    const ticking = setInterval(() => setNow(serverNow()), TICK)
    return () => clearInterval(ticking)
  }, [])
  return now
}

interface AsOfProps {
  readonly at: string
  /** What no longer changes is of its moment, and never old. */
  readonly isFinal?: boolean
}

/** 'As of 9 Nov 23:00 UTC', marked once it is older than a day: the platform may know more by then. */
export function AsOf({ at, isFinal = false }: AsOfProps) {
  const isOld = isStale(at, useServerNow()) && !isFinal
  const text = `As of ${formatDate(at, 'stamp')}`
  return isOld ? <span className="text-waiting">{text}, older than a day</span> : <span>{text}</span>
}
