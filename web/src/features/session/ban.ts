import { useSyncExternalStore } from 'react'
import { createStore } from '../../store.ts'

/** The ban that ended the session or refused the sign-in, until it is dismissed or someone signs in. */
export interface Ban {
  /** Null when none is known. */
  readonly reason: string | null
}

const ban = createStore<Ban | undefined>(undefined)

/** The sign-in screen then shows the ban. */
export function showBan(reason: string | null): void {
  ban.set({ reason })
}

export function dismissBan(): void {
  ban.set(undefined)
}

/** The present ban, for the sign-in screen. */
export function useBan(): Ban | undefined {
  return useSyncExternalStore(ban.subscribe, ban.get)
}
