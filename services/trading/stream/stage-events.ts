import {
  type AppendedEvent,
  type DomainEvent,
  type EventOf,
  isOneOf,
} from '#services/event-sourcing/event-definitions.ts'
import { accountEvents } from './account.ts'
import { bookedEntryEvents } from './booked-entry.ts'
import { findingEvents, hitIn } from './finding-events.ts'
import { entryOf } from './ledger.ts'
import { withLedgerRows } from './known-observations.ts'
import { observationEvents } from './observation-events.ts'
import { payoutEvents } from './payout.ts'
import {
  beginStage,
  beginTerms,
  type Stage,
  stageAfterCorrection,
  stageAfterDismissal,
  stageAfterEntry,
  stageAfterObservations,
  stageWithClock,
  withCalendar,
} from './stage.ts'

/**
 * The stage of an account follows from these events. The account's stream and its read model fold them by the same
 * function.
 */

const { TermsSet, StageBegun, BalanceChanged } = accountEvents
const { PayoutDeducted, PayoutBookedBack, PayoutForfeited, PayoutForfeitReversed } = payoutEvents
const { RuleFindingRaised, BreachConfirmed, PassConfirmed, FindingDismissed } = findingEvents

export const stageDefinitions = {
  ...{ TermsSet, StageBegun, BalanceChanged, ...bookedEntryEvents, PayoutDeducted, PayoutBookedBack },
  ...{ PayoutForfeited, PayoutForfeitReversed },
  ...{ ...observationEvents, RuleFindingRaised, BreachConfirmed, PassConfirmed, FindingDismissed },
}
export type StageEvent = EventOf<typeof stageDefinitions>

export function isStageEvent<Event extends DomainEvent>(event: Event): event is Extract<Event, StageEvent> {
  return isOneOf(stageDefinitions, event)
}

/**
 * The stage after one of its events; null without terms.
 *
 * @param balance Of the account, before the event.
 */
export function stageAfter(before: Stage | null, event: AppendedEvent<StageEvent>, balance: number): Stage | null {
  const stage = before && withCalendar(before, event.calendar)
  switch (event.type) {
    case 'TermsSet':
      return event.data.terms && beginTerms(event.data.terms, event, balance)
    case 'StageBegun':
      return beginStage(event.data.terms, event.data.stage, event)
    case 'ObservationsRecorded':
      return stage && stageAfterObservations(stage, event.data.observations, event.data.importId)
    case 'LedgerRowsMatched':
      return stage && { ...stage, known: withLedgerRows(stage.known, event.data.rows) }
    case 'ObservationCorrected':
      return stage && stageAfterCorrection(stage, event.data.observation, event.data.to, event.data.importId)
    case 'RuleFindingRaised': {
      const { source, at } = hitIn(event.data.hit)
      return stage && source === null ? stageWithClock(stage, at) : stage
    }
    case 'BreachConfirmed':
    case 'PassConfirmed':
      return stage && stageAfterDismissal(stage, hitIn(event.data.hit), false)
    case 'FindingDismissed':
      return stage && stageAfterDismissal(stage, hitIn(event.data.hit), true)
    case 'BalanceChanged':
    case 'EntryBooked':
    case 'PayoutDeducted':
    case 'PayoutBookedBack':
    case 'PayoutForfeited':
    case 'PayoutForfeitReversed':
      return stage && stageAfterEntry(stage, event.at, entryOf(event))
  }
}
