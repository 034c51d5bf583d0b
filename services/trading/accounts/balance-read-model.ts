import { z } from 'zod'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { payoutId } from '#services/framework/ids.ts'
import { type EntryEvent, entryOf } from '#services/trading/stream/ledger.ts'
import { entryKinds } from '#services/trading/stream/ledger-vocabulary.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-decoding.ts'
import { projection, type RecordedEventOf } from '#services/event-sourcing/read-models/projection.ts'
import { payoutEvents } from '#services/trading/stream/payout.ts'
import { bookedEntryEvents } from '#services/trading/stream/booked-entry.ts'
import { type AccountEvent, accountEvents } from '#services/trading/stream/account.ts'

const document = z.object({
  accountId: z.string(),
  number: z.int(),
  at: z.int(),
  /** Cents; null where it stayed as it was. */
  balance: z.int().nullable(),
  profitLoss: z.int().nullable(),
  /** The entry that moved it; null where none did. Cents. */
  entry: z
    .object({
      kind: z.enum(entryKinds),
      amount: z.int(),
      payoutId: payoutId.nullable(),
      /** The booking of an entry that staff booked. */
      booking: z.object({ reference: z.string(), reason: z.string() }).nullable().default(null),
    })
    .nullable()
    .default(null),
  /** A new phase began at this moment. */
  beginsPhase: z.boolean(),
})

export type BalanceChangeDocument = z.infer<typeof document>

/**
 * One document per change of the balance of an account, for its ledger, its curve and its standing, and one per new
 * phase. Each is written once, however long the curve is.
 */
export const balanceChanges = projection(
  { ...accountEvents, ...bookedEntryEvents, ...payoutEvents },
  {
    name: 'balance-changes',
    version: 6,
    document,
    filters: ['accountId'],
    // In the order of the log: a store appends such documents, where others are inserted all over its index of ids.
    documentId: ({ position }) => position,
    on: {
      AccountOpened: (_, event) => changeOf(event, { balance: 0, profitLoss: 0 }),
      BalanceChanged: (_, event) => entryDocument(event),
      EntryBooked: (_, event) => entryDocument(event),
      PayoutDeducted: (_, event) => entryDocument(event),
      PayoutBookedBack: (_, event) => entryDocument(event),
      PayoutForfeited: (_, event) => entryDocument(event),
      PayoutForfeitReversed: (_, event) => entryDocument(event),
      StageBegun: (_, event) => changeOf(event, { balance: null, profitLoss: 0 }),
      ProfitLossChanged: (_, event) => changeOf(event, { balance: null, profitLoss: event.data.to }),
      PhaseChanged: (_, event) => ({ ...changeOf(event, { balance: null, profitLoss: null }), beginsPhase: true }),
    },
  },
)

type BalanceEvent =
  | RecordedEvent<EntryEvent>
  | RecordedEventOf<AccountEvent, 'AccountOpened' | 'StageBegun' | 'ProfitLossChanged' | 'PhaseChanged'>

function entryDocument(event: RecordedEvent<EntryEvent>): BalanceChangeDocument {
  const { kind, from, to, payoutId, booking } = entryOf(event)
  return {
    ...changeOf(event, { balance: to, profitLoss: null }),
    entry: { kind, amount: to - from, payoutId, booking },
  }
}

function changeOf(
  event: BalanceEvent,
  to: Pick<BalanceChangeDocument, 'balance' | 'profitLoss'>,
): BalanceChangeDocument {
  const { id: accountId } = parseStreamName(event.stream)
  return { accountId, number: eventNumber(event), at: event.at, ...to, entry: null, beginsPhase: false }
}
