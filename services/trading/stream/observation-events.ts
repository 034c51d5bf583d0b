import { z } from 'zod'
import { defineEvents, type EventOf } from '#services/event-sourcing/event-definitions.ts'
import { importId, payoutId } from '#services/framework/ids.ts'
import { recordedObservation } from '#services/rules/observation.ts'
import { observationSources } from './observation-vocabulary.ts'

/** Observations of an account under a programme. The events lie in the stream of the account. */

/** The observations of an account are counted from 1. */
export const observationNumber = z.int().min(1)

export const observationEvents = defineEvents({
  /** Rows of one account that came together. They have the numbers from `first` on. */
  ObservationsRecorded: {
    first: observationNumber,
    source: z.enum(observationSources),
    /** The import that they are of. */
    importId: importId.nullable(),
    observations: z.array(recordedObservation),
  },
  /** Ledger rows of a statement that the portal knows itself: no other row is ever taken for the same. */
  LedgerRowsMatched: {
    importId: importId.nullable(),
    /** With the payout that a row is; null for the opening deposit. */
    rows: z.array(z.object({ observation: recordedObservation, payout: payoutId.nullable() })),
  },
  /**
   * The engine gets the new content in place of the former; null takes the observation away. With `source`, the source
   * told a trade again, with facts that were not known; without it, staff corrected it.
   */
  ObservationCorrected: {
    observation: observationNumber,
    from: recordedObservation.nullable(),
    to: recordedObservation.nullable(),
    reason: z.string(),
    source: z.enum(observationSources).optional(),
    /** The import whose row it was. */
    importId: importId.optional(),
  },
})

export type ObservationEvent = EventOf<typeof observationEvents>
