import { Refused } from '#services/event-sourcing/refusal.ts'
import type { AppendedEvent } from '#services/event-sourcing/event-definitions.ts'
import {
  type AccountState,
  type AccountStreamEvent,
  changeByStaff,
  closeByStaff,
  endAccount,
} from './account-aggregate.ts'
import {
  type AccountChanges,
  type AccountEvent,
  type ActiveLoginClaim,
  beginStageIn,
  changeAccount,
  closeOnPlatform,
  lapseLoginClaim,
  openAccount,
  passStage,
  showMasterPassword,
} from './account.ts'
import { bookEntry } from './booked-entry.ts'
import { endSharing, issueCertificate, revokeCertificate, shareCertificate } from './certificate.ts'
import { warnOfLimits } from './limit-warning.ts'
import { addCaseFile, missDeadlines, openCase, recordDecision, withdrawCase, writeInCase } from './case.ts'
import { confirmFinding, dismissFinding, reopenFinding, reviewFindings } from './finding.ts'
import { recordStatementRows } from './statement-rows.ts'
import { correctObservation, recordObservations } from './observation.ts'
import { checkPayee, type PaymentMove } from './payment.ts'
import {
  approvePayout,
  changeDestination,
  holdPayout,
  movePayoutPayment,
  overduePayouts,
  rejectPayout,
  requestPayout,
  withdrawPayout,
} from './payout.ts'
import type { StageBeginning } from './programme-stage.ts'
import { setTerms } from './stage.ts'
import { type AdminKeyId, adminKeyId, type FindingId, type PayoutId } from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import type { Observation } from '#services/rules/observation.ts'

/**
 * Takes the decisions on an account again: the command is read from what was recorded, and decided on the state before
 * with the code that the portal decides with. So the firm cannot record with its keys what it could not have decided.
 * Pure: runs in browsers.
 */

/** An event as it was appended. */
type Appended = AppendedEvent<AccountStreamEvent>
type Type = AccountStreamEvent['type']
type DataOf<Each extends Type> = Extract<AccountStreamEvent, { readonly type: Each }>['data']

/** A decision is made on this, beside the command. */
interface Setting {
  readonly state: AccountState
  /** The events after the one that is decided again. Those of the same append say the rest of its command. */
  readonly later: readonly Appended[]
  /** When it may have been decided, ms since 1970: an append follows its decision. */
  readonly moments: readonly number[]
  /** The version of the decisions. */
  readonly version: number
}

/** A decision that may have given an event, and perhaps some after it. */
type Decision = () => readonly AccountStreamEvent[]

/** How long an append may come after its decision, in ms. */
export const LONGEST_APPEND = 60_000

export interface DecidedAgain {
  /** So many events, from the first, are what one decision gives; 0 where none gives the first. */
  readonly events: number
  /** Why the decision is refused, a sentence; null where it gives something else. */
  readonly refusal: string | null
}

/**
 * Decides again what was recorded on an account.
 *
 * @param state The account before the event at `from`, which is decided again.
 * @param events All of its stream, in order.
 */
export function decideAgain(state: AccountState, events: readonly Appended[], from: number): DecidedAgain {
  const event = events[from]
  if (!event) return { events: 0, refusal: null }
  // Events of the same append were recorded at the same moment.
  let end = from + 1
  while (events[end]?.at === event.at) end += 1
  const later = events.slice(from + 1, end)
  const moments = [event.at, event.at - LONGEST_APPEND]
  const due = state.findings.timeDecidesAt
  // A decision of time alone may have become due between the decision and the append.
  if (due !== null && due <= event.at && due > event.at - LONGEST_APPEND) moments.push(due - 1)
  let refusal: string | null = null
  for (const decide of decisionsOf(event, { state, later, moments, version: event.decisions ?? 1 })) {
    try {
      const decided = decide()
      if (decided.length > 0 && decided.every((each, n) => isSameEvent(each, events[from + n])))
        return { events: decided.length, refusal: null }
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof RangeError)) throw error
      if (error instanceof Refused) refusal ??= error.message
    }
  }
  return { events: 0, refusal }
}

/** The decisions that may have given an event of a type, the likeliest first. */
type Decisions = {
  readonly [Each in Type]: (data: DataOf<Each>, setting: Setting) => readonly Decision[]
}

const decisionsOn: Decisions = {
  AccountOpened: ({ accountId }, { state }) => [() => openAccount(state.account, accountId)],
  BalanceChanged({ to: balance }, setting) {
    const { account } = setting.state
    // Under a programme it follows from what was observed, in the append of that.
    if (account.programme) return []
    const phase = setting.later.find((each) => each.type === 'PhaseChanged')?.data?.to
    return [
      ...beginnings(setting, setting.later.find((each) => each.type === 'StageBegun')?.data),
      () => changeAccount(account, { balance }),
      ...(phase === undefined ? [] : [first(() => changeAccount(account, { balance, phase }))]),
    ]
  },
  ProfitLossChanged: ({ to }, setting) => changed(setting, { profitLoss: to }),
  PlatformChanged: ({ to }, setting) =>
    (['one', null] as const).map(
      (password) => () => changeLogin(setting, { platform: to }, { before: password, after: password }),
    ),
  PhaseChanged: ({ to }, setting) => changed(setting, { phase: to }),
  RiskLimitsChanged: ({ to, reason }, { state }) => [
    () => changeAccount(state.account, to, { ...(reason !== null && { reason }) }),
  ],
  PayoutsEnabled: (_, setting) => changed(setting, { payoutEnabled: true }),
  PayoutsDisabled: (_, setting) => changed(setting, { payoutEnabled: false }),
  PlatformLoginAssigned({ to, masterPassword, claims }, setting) {
    const claim = claims.to === null ? null : { ...to, loginClaim: claims.to, since: Infinity }
    const assigned = passwordChanges.map(
      (password) => () =>
        changeLogin(setting, to, password, claim).map((event) =>
          event.type === 'PlatformLoginAssigned' ? { ...event, data: { ...event.data, masterPassword } } : event,
        ),
    )
    return [...assigned, ...assigned.map(first)]
  },
  AccountStatusChanged({ to: status, reason, evidence, corrects }, { state }) {
    const why = { ...(reason !== null && { reason }), ...(evidence && { evidence }), ...(corrects && { corrects }) }
    return [false, true].map((isBanned) => () => changeByStaff(state, { status }, why, null, 0, isBanned))
  },
  TermsSet: ({ terms }, { state }) => [() => setTerms(state, terms)],
  StageBegun: (beginning, setting) => beginnings(setting, beginning),
  StagePassed: (_, { state }) => [() => passStage(state.account)],
  MasterPasswordShown: (_, { state }) => [() => showMasterPassword(state.account)],
  HistoryDownloaded: (data, { state }) =>
    state.account.id && !state.account.erased ? [() => [{ type: 'HistoryDownloaded', data }]] : [],
  AccountClosed: ({ reason }, setting) => [
    () => closeByStaff(setting.state, reason ?? '', setting.version),
    ...endings(setting),
  ],
  ClosedOnPlatform: (_, { state }) => [() => closeOnPlatform(state.account)],
  LoginClaimLapsed: ({ loginClaim }, { state }) =>
    state.account.loginClaim === loginClaim ? [] : [() => lapseLoginClaim(loginClaim)],

  EntryBooked: ({ from, to, ...booking }, { state }) => [
    () => bookEntry(state, { ...booking, amount: toCents(to - from) }),
  ],

  ObservationsRecorded({ source, importId, observations }, { state, later }) {
    const [decisions, rows]: [Decision[], Observation[]] = [[], [...observations]]
    const record = (some: readonly Observation[]) => () => recordObservations(state, some, source, importId).events
    decisions.push(record([...rows]))
    // Many rows are recorded in several events of one decision.
    for (const each of later) {
      if (each.type !== 'ObservationsRecorded') break
      rows.push(...each.data.observations)
      decisions.push(record([...rows]))
    }
    return decisions
  },
  LedgerRowsMatched: ({ importId, rows }, { state }) => [
    () =>
      recordStatementRows(
        state,
        rows.map(({ observation }) => observation),
        importId,
      ).events,
  ],
  ObservationCorrected({ observation, to, reason, source, importId }, { state }) {
    if (source === undefined) return [() => correctObservation(state, observation, to, reason)]
    return to ? [() => recordObservations(state, [to], source, importId ?? null).events] : []
  },

  RuleFindingRaised: (_, setting) => reviews(setting),
  FindingReopened: ({ finding }, setting) => [
    ...reviews(setting),
    // A case decides it anew, in the same append.
    ...(setting.later.some(({ type }) => type === 'CaseDecided') ? [() => reopenFinding(setting.state, finding)] : []),
  ],
  TimeDecisionMoved: (_, setting) => reviews(setting),
  HitsNoted: (_, setting) => reviews(setting),
  LimitNeared: (_, { state, moments }) => moments.map((now) => () => warnOfLimits(state, now)),
  BreachFirstConfirmed: ({ finding, member }, { state }) => [
    () => confirmFinding(state, finding, { member, needsTwo: true, lapsed: firstConfirmer(state, finding) }),
  ],
  BreachConfirmed: (data, setting) => confirmations(setting, data),
  PassConfirmed: (data, setting) => confirmations(setting, data),
  FindingDismissed({ finding, reason }, setting) {
    const corrects = setting.later.find((each) => each.type === 'AccountStatusChanged')?.data?.corrects ?? null
    return [false, true].map((isBanned) => () => dismissFinding(setting.state, finding, reason, corrects, isBanned))
  },

  PayoutRequested({ payoutId: _payoutId, promise, ...request }, { state, moments }) {
    // Whether the email changed before is in another stream: then a new destination is on hold.
    return moments.flatMap((now) =>
      [null, now].map((accessChangedAt) => () => requestPayout(state, request, now, accessChangedAt, promise)),
    )
  },
  PayoutFirstApproved: ({ payoutId, notes, member }, { state, moments }) => {
    const approver = { member, secondApprovalAbove: toCents(0), lapsed: firstApprover(state, payoutId) }
    return moments.map((now) => () => approvePayout(state, payoutId, { notes, approver, now }))
  },
  PayoutApproved({ payoutId, notes }, setting) {
    const deduct = setting.later.find((each) => each.type === 'PayoutDeducted')?.data?.payoutId === payoutId
    return setting.moments.map((now) => () => approvePayout(setting.state, payoutId, { notes, deduct, now }))
  },
  PayoutRejected: (data, setting) => [...rejections(setting, data), ...endings(setting)],
  PayoutOverdue: (_, { state, moments }) => moments.map((now) => () => overduePayouts(state, now)),
  PayoutFirstForfeited: ({ payoutId, notes, member, ...reasons }, { state }) => {
    const lapsed = state.payouts.list.get(payoutId)?.firstForfeit?.member ?? null
    const approver = { member, secondApprovalAbove: toCents(0), lapsed }
    return [() => rejectPayout(state, payoutId, notes, { ...reasons, money: 'forfeited' }, approver)]
  },
  PayoutWithdrawn: ({ payoutId }, { state }) => [() => withdrawPayout(state, payoutId)],
  // The holds of a ban are one decision for all payouts: each is also what staff could decide alone.
  PayoutHoldChanged: ({ payoutId, to }, { state }) => [() => holdPayout(state, payoutId, to)],
  PayoutDestinationChanged: (change, setting) => redirections(setting, change),
  PayoutDestinationProposed: ({ payoutId, to, reason, member }, { state }) => {
    const lapsed = state.payouts.list.get(payoutId)?.proposal?.member ?? null
    return [() => changeDestination(state, payoutId, to, { reason, member, needsTwo: true, lapsed }, 0)]
  },
  // They follow the verdict, in its append.
  PayoutDeducted: () => [],
  PayoutBookedBack: () => [],
  PayoutForfeited: () => [],
  PayoutForfeitReversed: () => [],

  PaymentBatched: ({ payoutId, batch }, setting) => moves(setting, payoutId, { kind: 'enter-batch', batch }),
  PaymentUnbatched({ payoutId }, setting) {
    const { state, later } = setting
    const next = later[0]
    return [
      ...moves(setting, payoutId, { kind: 'leave-batch' }),
      ...(next?.type === 'PayoutHoldChanged' ? [() => holdPayout(state, payoutId, next.data.to)] : []),
      ...(next?.type === 'PayoutDestinationChanged' ? redirections(setting, next.data) : []),
      ...(next?.type === 'PayoutRejected' ? rejections(setting, next.data) : []),
      ...endings(setting),
    ]
  },
  PaymentSent: ({ payoutId, byHand, exchanged }, setting) =>
    moves(setting, payoutId, byHand ? { kind: 'send-by-hand' } : { kind: 'send', rate: exchanged?.rate }),
  PaymentPaid: ({ payoutId, from, reference }, setting) =>
    moves(setting, payoutId, from === 'sent' ? { kind: 'confirm' } : { kind: 'pay-by-hand', reference }),
  PaymentFailed: ({ payoutId, reason }, setting) => moves(setting, payoutId, { kind: 'fail', reason }),
  PaymentReturned: ({ payoutId, reason }, setting) => moves(setting, payoutId, { kind: 'return', reason }),
  PaymentPayeeChecked: ({ payoutId, reference, result }, { state }) => {
    const payout = state.payouts.list.get(payoutId)
    return payout ? [() => checkPayee(payout, reference, result)] : []
  },
  PaymentCancelled: (_, setting) => endings(setting),

  CaseOpened: ({ about, decision, text, answerBy }, { state, moments }) =>
    moments.map((now) => () => {
      const clocks = { answer: answerBy - now, appeal: Infinity }
      return openCase(state, { about, decision, text }, now, clocks)
    }),
  CaseMessageWritten: ({ case: id, from, text, answerBy }, { state, moments }) =>
    moments.map((now) => () => writeInCase(state, id, { from, text }, now, { answer: (answerBy ?? now) - now })),
  CaseFileAdded: ({ case: id, number: _number, ...added }, { state }) => [() => addCaseFile(state, id, added)],
  CaseDecided: ({ case: id, outcome, text, change, made }, { state, moments }) =>
    moments.map((now) => () => recordDecision(state, id, { outcome, text, change }, made, now)),
  CaseWithdrawn: ({ case: id }, setting) => [
    ...setting.moments.map((now) => () => withdrawCase(setting.state, id, now)),
    ...endings(setting),
  ],
  CaseOverdue: ({ case: id }, { state, moments }) =>
    moments.map((now) => () => missDeadlines(state, now).filter(({ data }) => data.case === id)),

  CertificateIssued: (issue, { state }) => [() => issueCertificate(state, issue)],
  CertificateRevoked: ({ certificateId, reason }, { state }) => [
    () => revokeCertificate(state, certificateId, reason ?? ''),
  ],
  CertificateShared: ({ certificateId, showsName, ...link }, { state }) => [
    () => shareCertificate(state, certificateId, showsName, link),
  ],
  CertificateSharingEnded: ({ certificateId }, setting) => [
    () => endSharing(setting.state, certificateId),
    ...endings(setting),
  ],
}

/** The decisions that may have given an event: its type says which data it has. */
function decisionsOf<Each extends Type>(
  { type, data }: { readonly type: Each; readonly data: DataOf<Each> },
  setting: Setting,
): readonly Decision[] {
  return decisionsOn[type](data, setting)
}

function changed({ state: { account } }: Setting, changes: AccountChanges): Decision[] {
  return [() => changeAccount(account, changes)]
}

/**
 * The password is in no file: whether the account had one, and has one now, is not known there. First those with which
 * an account that waits becomes active.
 */
const passwordChanges = [
  { before: null, after: 'one' },
  { before: 'one', after: 'another' },
  { before: 'one', after: 'one' },
  { before: null, after: null },
  { before: 'one', after: null },
] as const

/** Changes what a trader signs in with on the platform, which may make the account active. */
function changeLogin(
  { state: { account }, later, version }: Setting,
  changes: AccountChanges,
  password: { readonly before: string | null; readonly after: string | null },
  claim: ActiveLoginClaim | null = null,
): AccountEvent[] {
  const reason = later.find((each) => each.type === 'AccountStatusChanged')?.data?.reason
  const before = { ...account, masterPassword: password.before }
  const wanted = { ...changes, masterPassword: password.after }
  return changeAccount(before, wanted, reason ? { reason } : {}, claim, version)
}

/** Takes the first event of a decision: several changes made at once are each recorded alone. */
function first(decide: Decision): Decision {
  return () => decide().slice(0, 1)
}

function beginnings({ state: { account } }: Setting, beginning: StageBeginning | undefined): Decision[] {
  const { id } = account
  return beginning && id ? [() => beginStageIn(account, id, beginning)] : []
}

/** The account of a deleted user ends with all that is open in it. */
function endings({ state }: Setting): Decision[] {
  return [() => endAccount(state)]
}

function reviews({ state, moments, version }: Setting): Decision[] {
  return moments.map((now) => () => reviewFindings(state, now, version))
}

function confirmations({ state }: Setting, { finding }: DataOf<'BreachConfirmed'>): Decision[] {
  return [() => confirmFinding(state, finding, { member: NOBODY, needsTwo: false, lapsed: null })]
}

function moves({ state, moments }: Setting, id: PayoutId, move: PaymentMove): Decision[] {
  return moments.map((now) => () => movePayoutPayment(state, id, move, now))
}

/** By the trader, soon after a change of access or not; or by staff, of whom it names none. */
function redirections(
  { state, moments }: Setting,
  { payoutId, to, reason }: DataOf<'PayoutDestinationChanged'>,
): Decision[] {
  if (reason !== null)
    return [() => changeDestination(state, payoutId, to, { reason, member: NOBODY, needsTwo: false, lapsed: null }, 0)]
  return moments.flatMap((now) =>
    [null, now].map((accessChangedAt) => () => changeDestination(state, payoutId, to, 'trader', now, accessChangedAt)),
  )
}

/** Its evidence names entries by their numbers, which no decision knows: they are looked at beside it. */
function rejections(
  { state, moments }: Setting,
  { payoutId, notes, code, money, evidence }: DataOf<'PayoutRejected'>,
): Decision[] {
  return moments.map((now) => () => rejectPayout(state, payoutId, notes, { code, money, evidence }, undefined, now))
}

/** Who confirmed first does not count any more, if another does so again. */
function firstConfirmer({ findings }: AccountState, id: FindingId): AdminKeyId | null {
  return findings.list.find((each) => each.id === id)?.firstConfirmation ?? null
}

function firstApprover({ payouts }: AccountState, id: PayoutId): AdminKeyId | null {
  return payouts.list.get(id)?.firstApproval?.member ?? null
}

/** No decision depends on which member confirms, where one is enough. */
const NOBODY = adminKeyId.parse('nobody')

/** Whether an event is the one that was decided: the fields that are absent in both say the same. */
function isSameEvent(decided: AccountStreamEvent, recorded: Appended | undefined): boolean {
  return recorded?.type === decided.type && isEqual(decided.data, recorded.data)
}

/** Whether two values are the same JSON; an absent field is one that is undefined. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  const fields = new Set([...Object.keys(one), ...Object.keys(other)])
  const [first, second] = [new Map(Object.entries(one)), new Map(Object.entries(other))]
  return (
    Array.isArray(one) === Array.isArray(other) &&
    [...fields].every((field) => isEqual(first.get(field), second.get(field)))
  )
}
