import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import { accountId, type AccountId } from '#services/framework/ids.ts'
import type { DecidedEvent } from '#services/event-sourcing/aggregate-repository.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { Module } from '#services/framework/module.ts'
import { type AccountStreamEvent, accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { isEvaluatedAlike, rulesOfStage } from '#services/trading/stream/stage.ts'
import { findings, timeDecisions } from '../finding-read-model.ts'
import { findingSubject } from '../finding-subject.ts'
import { findingCommands } from './finding-commands.ts'
import { findingMails } from './finding-mails.ts'
import { findingQueries } from './finding-queries.ts'
import { reviewAccount, warnTrader } from './review-account.ts'

/** Reviews an account after an event that its stage follows from, and warns of limits that are close. */
async function review({ stream, at }: DecidedEvent, context: Context, parts: TradingParts['policies']) {
  const account = accountIn({ stream })
  const reviewed = await reviewAccount(parts, account, context, at)
  return (await warnTrader(parts, account, context)) ?? reviewed
}

function accountIn({ stream }: Pick<DecidedEvent, 'stream'>): AccountId {
  return accountId.parse(parseStreamName(stream).id)
}

export const findingModule: Module<typeof findingSubject, TradingParts, AccountStreamEvent> = {
  subject: findingSubject,
  commands: findingCommands,
  queries: findingQueries,
  readModels: [findings, timeDecisions],
  mails: findingMails,
  policies: {
    ObservationsRecorded: review,
    async ObservationCorrected(event, context, parts) {
      const { from, to } = event.data
      const { stage } = (await parts.repositories.of(accountStreams).load(accountIn(event), event.revision)).state
      // Thousands of trades may get symbols and prices at once, at which no rule looks.
      const isAlike = stage && from && to && isEvaluatedAlike(rulesOfStage(stage), from, to)
      return isAlike ? undefined : review(event, context, parts)
    },
    PayoutDeducted: review,
    PayoutBookedBack: review,
    PayoutForfeited: review,
    PayoutForfeitReversed: review,
    FindingDismissed: review,
  },
  // Only its balances are about a person, and they stay as decisions do.
  erase: null,
}
