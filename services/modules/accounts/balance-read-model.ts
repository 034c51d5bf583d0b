import { z } from 'zod'
import { defineProjection, type RecordedEventOf } from '#services/modules/define-read-model.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-number.ts'

const document = z.object({
  accountId: z.string(),
  number: z.int(),
  at: z.int(),
  /** Cents; null where it stayed as it was. */
  balance: z.int().nullable(),
  profitLoss: z.int().nullable(),
  /** A new phase began at this moment. */
  beginsPhase: z.boolean(),
})

export type BalanceChangeDocument = z.infer<typeof document>

/**
 * One document per change of the balance of an account, for its curve and its standing, and one per new phase. Each is
 * written once, however long the curve is.
 */
export const balanceChanges = defineProjection({
  name: 'balance-changes',
  version: 2,
  document,
  filters: ['accountId'],
  // In the order of the log: a store appends such documents, where others are inserted all over its index of ids.
  documentId: ({ position }) => position,
  on: {
    AccountOpened: (_, event) => changeOf(event, { balance: 0, profitLoss: 0 }),
    BalanceChanged: (_, event) => changeOf(event, { balance: event.data.to, profitLoss: null }),
    ProfitLossChanged: (_, event) => changeOf(event, { balance: null, profitLoss: event.data.to }),
    PhaseChanged: (_, event) => ({ ...changeOf(event, { balance: null, profitLoss: null }), beginsPhase: true }),
  },
})

type BalanceEvent = RecordedEventOf<'AccountOpened' | 'BalanceChanged' | 'ProfitLossChanged' | 'PhaseChanged'>

function changeOf(
  event: BalanceEvent,
  to: Pick<BalanceChangeDocument, 'balance' | 'profitLoss'>,
): BalanceChangeDocument {
  const { id: accountId } = parseStreamName(event.stream)
  return { accountId, number: eventNumber(event), at: event.at, ...to, beginsPhase: false }
}
