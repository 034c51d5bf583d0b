import { createStore } from '@/store.ts'

/** A ban that ended the session or refused the sign-in. */
export interface Ban {
  /** Null when none is known. */
  readonly reason: string | null
}

/** The ban that the sign-in screen shows, until it is dismissed or someone signs in. */
export const shownBan = createStore<Ban | undefined>(undefined)
