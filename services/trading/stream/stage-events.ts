import type { AppendedEvent, DomainEvent } from '#services/event-sourcing/event-definitions.ts'
import { type EntryEvent, entryOf } from './ledger.ts'
import { type FindingEvent, hitIn } from './finding-events.ts'
import type { ObservationEvent } from './observation-events.ts'
import type { AccountEvent } from './account.ts'
import {
  beginStage,
  beginTerms,
  type Stage,
  stageAfterCorrection,
  stageAfterDismissal,
  stageAfterEntry,
  stageAfterObservations,
  stageWithClock,
} from './stage.ts'

/** What the stage of an account follows from. The account's stream and its read model fold it by the same function. */

export type StageEvent =
  | Extract<AccountEvent, { readonly type: 'TermsSet' | 'StageBegun' }>
  | EntryEvent
  | ObservationEvent
  | Extract<
      FindingEvent,
      { readonly type: 'RuleFindingRaised' | 'BreachConfirmed' | 'PassConfirmed' | 'FindingDismissed' }
    >

export const stageEventTypes = [
  'TermsSet',
  'StageBegun',
  'BalanceChanged',
  'EntryBooked',
  'PayoutDeducted',
  'PayoutBookedBack',
  'ObservationsRecorded',
  'ObservationCorrected',
  'RuleFindingRaised',
  'BreachConfirmed',
  'PassConfirmed',
  'FindingDismissed',
] as const satisfies readonly StageEvent['type'][]

const types: ReadonlySet<string> = new Set(stageEventTypes)

export function isStageEvent<Event extends DomainEvent>(event: Event): event is Extract<Event, StageEvent> {
  return types.has(event.type)
}

/**
 * The stage after one of its events; null without terms.
 *
 * @param balance Of the account, before the event.
 */
export function stageAfter(stage: Stage | null, event: AppendedEvent<StageEvent>, balance: number): Stage | null {
  switch (event.type) {
    case 'TermsSet':
      return event.data.terms && beginTerms(event.data.terms, event.at, balance)
    case 'StageBegun':
      return beginStage(event.data.terms, event.data.stage)
    case 'ObservationsRecorded':
      return stage && stageAfterObservations(stage, event.data.observations, event.data.importId)
    case 'ObservationCorrected':
      return stage && stageAfterCorrection(stage, event.data.observation, event.data.to)
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
      return stage && stageAfterEntry(stage, event.at, entryOf(event))
  }
}
