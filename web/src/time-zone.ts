import { useSyncExternalStore } from 'react'

/** The zone that times are shown in: UTC, in which everybody reads the same day, or the reader's own. Remembered in the browser. */

export type TimeZone = 'utc' | 'local'

const KEY = 'time-zone'
const listeners = new Set<() => void>()

/** The chosen zone. */
export function timeZone(): TimeZone {
  try {
    return localStorage.getItem(KEY) === 'local' ? 'local' : 'utc'
  } catch {
    return 'utc'
  }
}

/** Stores a choice; pages that use {@link useTimeZone} follow. Without storage times stay in UTC. */
export function chooseTimeZone(zone: TimeZone): void {
  try {
    if (zone === 'utc') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, zone)
  } catch {
    return
  }
  for (const listener of listeners) listener()
}

/** The chosen zone, also after a choice in another tab. */
export function useTimeZone(): TimeZone {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    addEventListener('storage', listener)
    return () => {
      listeners.delete(listener)
      removeEventListener('storage', listener)
    }
  }, timeZone)
}
