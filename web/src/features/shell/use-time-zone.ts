import { useSyncExternalStore } from 'react'
import { onTimeZone, timeZone, type TimeZone } from '../../time-zone.ts'

/** The zone that times are shown in. */
export function useTimeZone(): TimeZone {
  return useSyncExternalStore(onTimeZone, timeZone)
}
