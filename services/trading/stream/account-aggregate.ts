import { aggregate, type AggregateType } from '#services/event-sourcing/aggregate-type.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import { type AppendedEvent, isOneOf } from '#services/event-sourcing/event-definitions.ts'
import {
  type Account,
  type AccountChanges,
  accountDecider,
  type AccountEvent,
  accountEvents,
  type ActiveLoginClaim,
  changeAccount,
  closeAccount,
  eraseAccount,
} from './account.ts'
import { type CaseEvent, caseEvents, type Cases, casesAfter, noCases, withdrawAllCases, withoutTexts } from './case.ts'
import { objectableAfter } from './objectable.ts'
import {
  certificateDecider,
  type CertificateEvent,
  certificateEvents,
  type Certificates,
  endAllSharing,
  withoutNames,
} from './certificate.ts'
import type { DecisionReason } from './decision-reason.ts'
import { accountId, ownerOf, type UserId } from '#services/framework/ids.ts'
import {
  cancelPayments,
  endHoldsOfBreach,
  HELD_BY_BREACH,
  holdAllPayouts,
  payoutDecider,
  type PayoutEvent,
  payoutEvents,
  type Payouts,
  pendingPayouts,
  rejectPayout,
  withoutDetails,
} from './payout.ts'
import { findingEvents, type FindingEvent } from './finding-events.ts'
import { findingDecider, type Findings, isUndecided } from './finding.ts'
import { decisionRules } from '#services/rules/decision-version.ts'
import { judgesNews, type Stage } from './stage.ts'
import { CALENDAR_ID, calendarStreams } from '#services/trading/calendar/calendar.ts'
import { isStageEvent, stageAfter } from './stage-events.ts'
import { type BookedEntryEvent, bookedEntryEvents } from './booked-entry.ts'
import { emptyLedger, type EntryEvent, isEntryEvent, type Ledger, ledgerAfter } from './ledger.ts'
import { recordTypedBalance } from './observation.ts'
import { type ObservationEvent, observationEvents } from './observation-events.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'

/**
 * The stream of an account holds the account itself, its ledger, its stage by its terms, its payouts and its
 * certificates. They share a stream because they share rules: a payout is decided on the account's state and leaves its
 * balance in the same append, and a closed account has no pending payout.
 */

export const accountStreamEvents = {
  ...accountEvents,
  ...bookedEntryEvents,
  ...observationEvents,
  ...findingEvents,
  ...payoutEvents,
  ...certificateEvents,
  ...caseEvents,
}

export type AccountStreamEvent =
  | AccountEvent
  | BookedEntryEvent
  | ObservationEvent
  | FindingEvent
  | PayoutEvent
  | CertificateEvent
  | CaseEvent

/** Its parts. Decisions take those that they need. */
export interface AccountState {
  readonly account: Account
  readonly ledger: Ledger
  /** Null without terms. */
  readonly stage: Stage | null
  readonly findings: Findings
  readonly payouts: Payouts
  readonly certificates: Certificates
  readonly cases: Cases
}

export const accountStateDecider: Decider<AccountState, AccountStreamEvent> = {
  initial: {
    account: accountDecider.initial,
    ledger: emptyLedger,
    stage: null,
    findings: findingDecider.initial,
    payouts: payoutDecider.initial,
    certificates: certificateDecider.initial,
    cases: noCases,
  },
  evolve(former, event) {
    const before = withCases(former, event)
    if (isOneOf(caseEvents, event)) return before
    const stage = isStageEvent(event) ? stageAfter(before.stage, event, before.account.balance) : before.stage
    const state = isEntryEvent(event) ? { ...booked(before, event), stage } : { ...before, stage }
    if (isOneOf(payoutEvents, event)) return { ...state, payouts: payoutDecider.evolve(state.payouts, event) }
    if (isOneOf(certificateEvents, event))
      return { ...state, certificates: certificateDecider.evolve(state.certificates, event) }
    if (isOneOf(observationEvents, event) || isOneOf(bookedEntryEvents, event)) return state
    if (isOneOf(findingEvents, event)) return { ...state, findings: findingDecider.evolve(state.findings, event) }
    const account = accountDecider.evolve(state.account, event)
    // The state of a deleted user forgets the person too, for it may be remembered longer than the key.
    if (!account.erased) return { ...state, account }
    const { payouts, certificates, cases } = state
    const erased = { payouts: withoutDetails(payouts), certificates: withoutNames(certificates) }
    return { ...state, account, ...erased, cases: withoutTexts(cases) }
  },
}

/** The cases, and the decisions that can be objected to. */
function withCases(state: AccountState, event: AppendedEvent<AccountStreamEvent>): AccountState {
  const { cases: before, findings } = state
  const decides = isOneOf(payoutEvents, event) || isOneOf(findingEvents, event) || isOneOf(accountEvents, event)
  const cases = decides
    ? objectableAfter(before, event, findings)
    : isOneOf(caseEvents, event)
      ? casesAfter(before, event)
      : before
  return cases === before ? state : { ...state, cases }
}

/** Moves the balance, also where a payout does it; the ledger sees it. */
function booked(state: AccountState, event: AppendedEvent<EntryEvent>): AccountState {
  const account = { ...state.account, balance: event.data.to }
  return { ...state, account, ledger: ledgerAfter(state.ledger, event) }
}

/** The person whom an account's id names: its owner. */
function personOf(id: string): UserId | undefined {
  const { data } = accountId.safeParse(id)
  return data && ownerOf(data)
}

/** One stream for each account. */
export const accountStreams: AggregateType<AccountState, AccountStreamEvent> = {
  ...aggregate('account', accountStateDecider, accountStreamEvents, { kind: 'user', idOf: personOf }),
  weight: ({ stage }) => stage?.timeline.rows.size ?? 0,
  calendar: {
    load: async (stateOf) => (await stateOf(calendarStreams, CALENDAR_ID)).calendar,
    isNeededBy: ({ stage }, events) =>
      stage !== null && judgesNews(stage) && events.some((event) => isOneOf(observationEvents, event)),
  },
}

/** The claim stream of the login that an event leaves; null where it leaves none. */
export function loginLeftBy(event: AccountStreamEvent): string | null {
  if (event.type === 'AccountClosed') return event.data.loginClaim
  if (event.type !== 'PlatformLoginAssigned') return null
  const { from, to } = event.data.claims
  return from === to ? null : from
}

/**
 * Adds to the changes of an account the holds of its payouts: a breach holds those that wait or are not sent yet. A
 * correction of the breach ends these holds; for a banned trader they become holds of the ban.
 */
export function withHolds(
  { account, payouts }: Pick<AccountState, 'account' | 'payouts'>,
  events: AccountEvent[],
  isBanned = false,
): AccountStreamEvent[] {
  const status = events.find((event) => event.type === 'AccountStatusChanged')?.data
  if (status?.to === 'breached') return [...events, ...holdAllPayouts(payouts, HELD_BY_BREACH)]
  return status?.corrects ? [...events, ...endHoldsOfBreach(payouts, account.breachRevision, isBanned)] : events
}

/**
 * Staff change an account. A balance that they type is an observation where the account is under a programme.
 *
 * @param isBanned Whether its trader is banned.
 */
export function changeByStaff(
  state: AccountState,
  { balance, ...changes }: AccountChanges,
  why: DecisionReason,
  claim: ActiveLoginClaim | null,
  now: number,
  isBanned = false,
): AccountStreamEvent[] {
  const isTyped = balance !== undefined && state.account.programme !== null
  const typed = isTyped ? recordTypedBalance(state, balance, now) : []
  const changed = changeAccount(state.account, isTyped ? changes : { balance, ...changes }, why, claim)
  return [...typed, ...withHolds(state, changed, isBanned)]
}

/**
 * Closes an account for good, once all its payouts and its pass are decided. Its certificates stay valid.
 *
 * @param version Of the decisions.
 */
export function closeByStaff(
  { account, payouts, findings }: AccountState,
  reason: string,
  version?: number,
): AccountStreamEvent[] {
  const events = closeAccount(account, reason)
  const isPassWaiting = findings.list.some(({ kind, state }) => kind === 'pass' && isUndecided(state))
  if (isPassWaiting && !decisionRules(version).closesWithWaitingPass)
    throw new Refused(
      'conflict',
      'A passed stage of this account waits for its confirmation. Decide it before you close it.',
    )
  if (pendingPayouts(payouts).length > 0)
    throw new Refused('conflict', 'This account has pending payouts. Decide them before you close it.')
  return events
}

/**
 * Closes an account of a deleted user: pending payouts are rejected, so that none stays undecided, payments that were
 * not sent are cancelled, and links to certificates end.
 */
export function endAccount(state: AccountState): AccountStreamEvent[] {
  const closing = eraseAccount(state.account)
  if (closing.length === 0) return []
  const rejections = pendingPayouts(state.payouts).flatMap(({ id }) => rejectPayout(state, id, 'The user was deleted'))
  return [
    ...cancelPayments(state.payouts),
    ...rejections,
    ...endAllSharing(state.certificates),
    ...withdrawAllCases(state.cases),
    ...closing,
  ]
}
