import { z } from 'zod'
import type { Json } from '#infra/read-model-store/read-model-store.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { eventNumber } from '#services/event-sourcing/codec/event-number.ts'
import { defineProjection, type RecordedEventOf } from '#services/framework/define-read-model.ts'
import { bookedEntryEvents } from '#services/trading/stream/booked-entry.ts'
import { findingEvents } from '#services/trading/stream/finding-events.ts'
import { observationEvents } from '#services/trading/stream/observation-events.ts'
import { payoutEvents } from '#services/trading/stream/payout.ts'
import { accountEvents } from '#services/trading/stream/account.ts'
import type { StageEvent } from '#services/trading/stream/stage-events.ts'

const document = z.object({
  accountId: z.string(),
  /** The programme whose stage it begins; null for all else. */
  programme: z.string().nullable(),
  number: z.int(),
  at: z.int(),
  revision: z.int(),
  type: z.string(),
  /** As the event keeps it: it is read by {@link stageEventIn}. */
  data: z.custom<Json>(),
})
export type StageEventDocument = z.infer<typeof document>

/** One document per event that the stage of an account follows from: a query folds them as the stream's reader does. */
export const stageEvents = defineProjection({
  name: 'stage-events',
  version: 4,
  document,
  filters: ['accountId', 'programme'],
  sorts: ['accountId'],
  // In the order of the log, as in balance-read-model.ts.
  documentId: ({ position }) => position,
  on: {
    TermsSet: (_, event) => documentOf(event),
    StageBegun: (_, event) => documentOf(event),
    BalanceChanged: (_, event) => documentOf(event),
    EntryBooked: (_, event) => documentOf(event),
    PayoutDeducted: (_, event) => documentOf(event),
    PayoutBookedBack: (_, event) => documentOf(event),
    ObservationsRecorded: (_, event) => documentOf(event),
    ObservationCorrected: (_, event) => documentOf(event),
    RuleFindingRaised: (_, event) => documentOf(event),
    BreachConfirmed: (_, event) => documentOf(event),
    PassConfirmed: (_, event) => documentOf(event),
    FindingDismissed: (_, event) => documentOf(event),
  },
})

const stored = z.discriminatedUnion('type', [
  z.object({ type: z.literal('TermsSet'), data: accountEvents.TermsSet.schema }),
  z.object({ type: z.literal('StageBegun'), data: accountEvents.StageBegun.schema }),
  z.object({ type: z.literal('BalanceChanged'), data: accountEvents.BalanceChanged.schema }),
  z.object({ type: z.literal('EntryBooked'), data: bookedEntryEvents.EntryBooked.schema }),
  z.object({ type: z.literal('PayoutDeducted'), data: payoutEvents.PayoutDeducted.schema }),
  z.object({ type: z.literal('PayoutBookedBack'), data: payoutEvents.PayoutBookedBack.schema }),
  z.object({ type: z.literal('ObservationsRecorded'), data: observationEvents.ObservationsRecorded.schema }),
  z.object({ type: z.literal('ObservationCorrected'), data: observationEvents.ObservationCorrected.schema }),
  z.object({ type: z.literal('RuleFindingRaised'), data: findingEvents.RuleFindingRaised.schema }),
  z.object({ type: z.literal('BreachConfirmed'), data: findingEvents.BreachConfirmed.schema }),
  z.object({ type: z.literal('PassConfirmed'), data: findingEvents.PassConfirmed.schema }),
  z.object({ type: z.literal('FindingDismissed'), data: findingEvents.FindingDismissed.schema }),
])

function documentOf(event: RecordedEventOf<StageEvent['type']>): StageEventDocument {
  const { id: accountId } = parseStreamName(event.stream)
  const { type, data } = z.encode(stored, event)
  const programme = event.type === 'StageBegun' ? event.data.programme : null
  return { accountId, programme, number: eventNumber(event), at: event.at, revision: event.revision, type, data }
}

/** The event of a document. */
export function stageEventIn({ type, data, at, revision }: StageEventDocument) {
  return { ...stored.parse({ type, data }), at, revision }
}
