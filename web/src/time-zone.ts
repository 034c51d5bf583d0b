/** The zone of all shown times: UTC, in which all readers see the same day, or local time. Stored in the browser. Without React, which the verify page does not have. */

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

/** Stores a choice and calls the listeners. Without storage times stay in UTC. */
export function chooseTimeZone(zone: TimeZone): void {
  try {
    if (zone === 'utc') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, zone)
  } catch {
    return
  }
  for (const listener of listeners) listener()
}

/** Calls `listener` after each choice, also in another tab, until the returned function is called. */
export function onTimeZone(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}
