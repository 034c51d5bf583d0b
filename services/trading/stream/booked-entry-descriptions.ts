import { toDecimal } from '#services/rules/money.ts'
import { change, type EventDescriptions } from '#services/framework/event-description.ts'
import type { BookedEntryEvent } from './booked-entry.ts'

export const bookedEntryDescriptions = {
  EntryBooked: {
    title: 'Entry booked',
    category: 'balance',
    changes: ({ data: { from, to, kind, reference } }) => [
      change('ledger.kind', null, kind),
      change('ledger.amount', null, toDecimal(to - from)),
      change('ledger.reference', null, reference),
      change('account.balance', toDecimal(from), toDecimal(to)),
    ],
    reason: ({ reason }) => reason,
  },
} as const satisfies EventDescriptions<BookedEntryEvent>
