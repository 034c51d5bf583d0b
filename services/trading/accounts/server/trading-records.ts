import { LRUCache } from 'lru-cache'
import { type RecordedRows, recordRows, type TradingRecord, tradingRecord } from '../trading-record.ts'
import type { StageFound } from './stages.ts'

/** How many rows of all accounts are remembered, some hundred bytes each. */
const MOST_REMEMBERED = 200_000

/** The rows of accounts that were read lately: a year of trades takes some ten milliseconds, what is newer almost nothing. */
const recorded = new LRUCache<string, RecordedRows>({
  maxSize: MOST_REMEMBERED,
  sizeCalculation: ({ rows }) => 10 + rows.length,
})
/** Most reads find nothing newer. */
const records = new WeakMap<StageFound, { readonly isDayOver: boolean; readonly record: TradingRecord }>()

/** Returns the trading record of an account under a programme, up to now. */
export function tradingRecordOf(accountId: string, found: StageFound, now: number): TradingRecord {
  const isDayOver = now >= found.stage.timeline.engine.dayEnds
  const known = records.get(found)
  if (known?.isDayOver === isDayOver) return known.record
  const rows = recordRows(found.stage, eventsOfRows(found), recorded.get(accountId))
  recorded.set(accountId, rows)
  const record = tradingRecord(found.stage, rows, now)
  records.set(found, { isDayOver, record })
  return record
}

/** Returns for each row of the timeline the number of the event behind it; null for a clock. */
function eventsOfRows({ stage, events }: StageFound): readonly (number | null)[] {
  // The portal sees what staff book after all that it knew: their order is that of their events.
  const bookings = events.bookings.values()
  return stage.timeline.rows.toArray().map(({ source, observation }) => {
    if (typeof source === 'number') return events.observations.get(source - 1) ?? null
    if (source !== null) return events.payouts.get(source) ?? null
    return observation.kind === 'transfer' ? (bookings.next().value ?? null) : null
  })
}
