import { useEffect, useState } from 'react'
import { endOfDay } from './room-left.ts'

/** A moment of the present UTC day; changes at midnight, when the daily limit resets. */
export function useToday(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const waiting = setTimeout(() => setNow(Date.now()), endOfDay(now) - Date.now() + 1)
    return () => clearTimeout(waiting)
  }, [now])
  return now
}
