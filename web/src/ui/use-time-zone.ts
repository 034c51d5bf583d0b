import { useSyncExternalStore } from 'react'
import { onTimeZone, timeZone, type TimeZone } from '../time-zone.ts'

/** The zone that times are shown in. What calls this renders again when another zone is chosen, and with it everything inside that formats times. */
export function useTimeZone(): TimeZone {
  return useSyncExternalStore(onTimeZone, timeZone)
}
