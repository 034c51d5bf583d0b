import { useSyncExternalStore } from 'react'

/** The ban that ended the session or refused the sign-in, until it is dismissed or someone signs in. */
export interface Ban {
  /** Null when none is known. */
  readonly reason: string | null
}

let current: Ban | undefined
const listeners = new Set<() => void>()

function set(ban: Ban | undefined): void {
  current = ban
  for (const listener of listeners) listener()
}

/** The sign-in screen then shows the ban. */
export function showBan(reason: string | null): void {
  set({ reason })
}

export function dismissBan(): void {
  set(undefined)
}

/** The present ban, for the sign-in screen. */
export function useBan(): Ban | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => current,
  )
}
