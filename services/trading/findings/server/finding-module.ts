import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { accountId } from '#services/framework/ids.ts'
import type { DecidedEvent } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { Module } from '#services/framework/module.ts'
import type { AccountStreamEvent } from '#services/trading/stream/account-aggregate.ts'
import { isEvaluatedAlike } from '#services/trading/stream/stage.ts'
import { findings, timeDecisions } from '../finding-read-model.ts'
import { findingSubject } from '../finding-subject.ts'
import { findingCommands } from './finding-commands.ts'
import { findingQueries } from './finding-queries.ts'
import { reviewAccount } from './review-account.ts'

/** Reviews an account after an event that its stage follows from. */
const review = ({ stream, at }: DecidedEvent, context: Context, parts: TradingParts['policies']) =>
  reviewAccount(parts, accountId.parse(parseStreamName(stream).id), context, at)

export const findingModule: Module<typeof findingSubject, TradingParts, AccountStreamEvent> = {
  subject: findingSubject,
  commands: findingCommands,
  queries: findingQueries,
  readModels: [findings, timeDecisions],
  policies: {
    ObservationsRecorded: review,
    async ObservationCorrected(event, context, parts) {
      const { from, to } = event.data
      // Thousands of trades may get symbols and prices at once, at which no rule looks.
      return from && to && isEvaluatedAlike(from, to) ? undefined : review(event, context, parts)
    },
    PayoutDeducted: review,
    PayoutBookedBack: review,
    FindingDismissed: review,
  },
  // Only its balances are about a person, and they stay as decisions do.
  erase: null,
}
