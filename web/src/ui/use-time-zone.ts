import { useSyncExternalStore } from 'react'
import { onTimeZone, timeZone, type TimeZone } from '../time-zone.ts'

/** The zone that times are shown in. A component that calls this renders again when another zone is chosen, with all its parts that format times. */
export function useTimeZone(): TimeZone {
  return useSyncExternalStore(onTimeZone, timeZone)
}
