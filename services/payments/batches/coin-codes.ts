import { z } from 'zod'
import { aggregate } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { type CoinCodes, ownCodes } from './coin-code-vocabulary.ts'

/** The codes that the firm's provider uses, in one stream. */

const stored = z.record(z.string(), z.string())

export const coinCodeEvents = defineEvents({
  CoinCodesChanged: { from: stored, to: stored },
})
export type CoinCodeEvent = EventOf<typeof coinCodeEvents>

const decider: Decider<CoinCodes, CoinCodeEvent> = {
  initial: ownCodes,
  evolve: (_, { data }) => ({ ...ownCodes, ...data.to }),
}

export const coinCodes = aggregate('coincodes', decider, coinCodeEvents, null)

export const COIN_CODES_ID = 'this'

/** Those that are not given stay. */
export function setCoinCodes(from: CoinCodes, change: Readonly<Record<string, string | undefined>>): CoinCodeEvent[] {
  const to = Object.fromEntries(Object.entries(from).map(([name, code]) => [name, change[name] ?? code]))
  const same = Object.keys(from).every((name) => from[name] === to[name])
  return same ? [] : [{ type: 'CoinCodesChanged', data: { from: { ...from }, to } }]
}
