import type { Instant } from './instant.ts'

/** A trade of the stage, as the rules remember it. Plain data. */
export interface KnownTrade {
  /** Its place among the trades of the stage, from 0. */
  readonly index: number
  readonly id: string
  /** Null where nobody knows it, and for one that 0.2.0 recorded with a close before it. */
  readonly openedAt: Instant | null
  readonly closedAt: Instant
  /** In cents. */
  readonly profit: number
  /** As it is written. */
  readonly volume: string
  readonly symbol: string | null
  readonly side: 'buy' | 'sell' | null
  /** The number of the day on which it was observed, and the number of the observation. */
  readonly day: number
  readonly observation: number
}
