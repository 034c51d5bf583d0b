import { ruleKindLabels } from '#services/rules/rule-kind-labels.ts'
import type { Decider } from '#services/event-sourcing/decider.ts'
import type { AppendedEvent } from '#services/event-sourcing/event-definitions.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { type Account, type AccountEvent, type AccountStatus, passStage } from './account.ts'
import type { BreachEvidence, BreachRule, EventReference } from './decision-reason.ts'
import { type Hit, type Stage, stageWithClock } from './stage.ts'
import { type AdminKeyId, type FindingId, findingIdOf } from '#services/framework/ids.ts'
import { endHoldsOfBreach, HELD_BY_BREACH, holdAllPayouts, type PayoutEvent, type Payouts } from './payout.ts'
import { inDollars, toDecimal } from '#services/rules/money.ts'
import { type FindingEvent, type FindingHit, hitIn } from './finding-events.ts'
import type { FindingState } from './finding-vocabulary.ts'
import { measuredInWords } from './finding-figures.ts'
import { decisionRules } from '#services/rules/decision-version.ts'
import { judgesTrades } from '#services/rules/programme.ts'
import { stageTermsOf } from './programme-stage.ts'
import { type NotedHits, noteHits } from './hit-note.ts'
import { causeInWords } from './hit-text.ts'
import {
  endingOf,
  evidenceOf,
  type Found,
  type FoundNow,
  foundIn,
  isSameHit,
  restsOnOlderRows,
  timeDecidesAt,
} from './found.ts'

/** The rules raise findings about an account. Staff confirm or dismiss them, or the rules alone decide. */

export interface Finding extends Found {
  readonly id: FindingId
  readonly state: FindingState
  /** Whether the rules find it there, as it is recorded. */
  readonly follows: boolean
  /** The status of the account before the finding was raised. */
  readonly status: AccountStatus
  readonly proposed: boolean
  /** The first of two members who confirm it, until it is decided. */
  readonly firstConfirmation: AdminKeyId | null
  readonly raisedAt: number
  /** The numbers of the observations that proved it when it was raised. */
  readonly evidence: readonly number[]
}

/** Whether staff, or the rules, have still to decide it. */
export function isUndecided(state: FindingState): boolean {
  return state === 'proposed' || state === 'reopened'
}

export interface Findings {
  /** Number n is at index n - 1. */
  readonly list: readonly Finding[]
  /** When time alone decides something next, ms since 1970. */
  readonly timeDecidesAt: number | null
  /** The trading day on which the trader was last warned of a rule, by its index. */
  readonly warned: ReadonlyMap<number, string>
  /** The hits that need no decision and are in the history, by the index of the rule. */
  readonly noted: ReadonlyMap<number, NotedHits>
}

export const findingDecider: Decider<Findings, FindingEvent> = {
  initial: { list: [], timeDecidesAt: null, warned: new Map(), noted: new Map() },
  evolve(findings, event) {
    switch (event.type) {
      case 'RuleFindingRaised':
        return { ...findings, list: [...findings.list, raisedBy(event)] }
      case 'BreachFirstConfirmed':
        return changed(findings, event.data.finding, { firstConfirmation: event.data.member })
      case 'BreachConfirmed':
      case 'PassConfirmed':
        return changed(findings, event.data.finding, { state: 'confirmed', firstConfirmation: null })
      case 'FindingDismissed':
        return changed(findings, event.data.finding, { state: 'dismissed', firstConfirmation: null })
      case 'FindingReopened': {
        const { finding, found } = event.data
        const { hit, ...figures } = found ?? {}
        return changed(findings, finding, {
          ...figures,
          ...(hit && { hit: hitIn(hit) }),
          state: 'reopened',
          follows: found !== null,
          firstConfirmation: null,
        })
      }
      case 'TimeDecisionMoved':
        return { ...findings, timeDecidesAt: event.data.to }
      case 'LimitNeared': {
        const { rule, day } = event.data
        return { ...findings, warned: new Map(findings.warned).set(rule.index, day) }
      }
      case 'HitsNoted': {
        const { rule, found, gone, excluded } = event.data
        const trades = new Map(findings.noted.get(rule.index)?.trades)
        for (const { observation } of gone) trades.delete(observation)
        for (const { observation, trade } of found) trades.set(observation, trade)
        return { ...findings, noted: new Map(findings.noted).set(rule.index, { trades, excluded: excluded.to }) }
      }
    }
  },
}

type Raised = Extract<FindingEvent, { type: 'RuleFindingRaised' }>

function raisedBy({ data, at }: AppendedEvent<Raised>): Finding {
  const { finding: id, kind, rule, floor, measured, hit, status, proposed, evidence } = data
  const raised = { id, kind, rule, floor, measured, hit: hitIn(hit), status, proposed, raisedAt: at, evidence }
  return { ...raised, state: 'proposed', follows: true, firstConfirmation: null }
}

function changed({ list, ...findings }: Findings, id: FindingId, change: Partial<Finding>): Findings {
  return { ...findings, list: list.map((each) => (each.id === id ? { ...each, ...change } : each)) }
}

function hitOut({ source, at }: Hit): FindingHit {
  return typeof source === 'number'
    ? { observation: source, payoutId: null, at }
    : { observation: null, payoutId: source, at }
}

/** The parts of an account's state that these decisions need. */
export interface AccountOfFindings {
  readonly account: Account
  readonly stage: Stage | null
  readonly findings: Findings
  readonly payouts: Payouts
}

export type FindingDecision = FindingEvent | AccountEvent | PayoutEvent

/**
 * Brings the findings to what follows from the rules now: raises what is new, and reopens what rested on something that
 * was corrected, and notes the hits that need no decision. Once more it decides nothing.
 *
 * @param now Ms since 1970: what time alone decides by then is raised too.
 * @param version Of the decisions.
 */
export function reviewFindings(state: AccountOfFindings, now: number, version?: number): FindingDecision[] {
  const { account, findings } = state
  if (!account.id || account.erased || !account.programme || !state.stage?.ofProgramme) return []
  const byTime = timeDecidesAt(state.stage)
  const stage = byTime !== null && byTime <= now ? stageWithClock(state.stage, byTime) : state.stage
  const next = timeDecidesAt(stage)
  const changes = changesOf(findings.list, stage)
  return [
    ...changes.map(({ event }) => event),
    ...(changes.some(({ isNew }) => isNew) ? [] : raising(state, stage, version)),
    ...(next === findings.timeDecidesAt
      ? []
      : [{ type: 'TimeDecisionMoved' as const, data: { from: findings.timeDecidesAt, to: next } }]),
    ...noteHits(stage, findings.noted),
  ]
}

interface Reopening {
  readonly event: FindingEvent
  /** It now is the finding of what ends the stage, so that no other is raised. */
  readonly isNew: boolean
}

/** The findings whose ground was corrected. "At most one open finding for a rule" that judges single trades. */
function changesOf(list: readonly Finding[], stage: Stage): readonly Reopening[] {
  const found = foundIn(stage)
  const ending = endingOf(stage)
  const isRaised = ending !== null && !list.some((each) => isSameFinding(each, ending))
  const moved = isRaised ? movedTo(list, found, ending) : null
  // Of each rule that judges single trades one finding is open: others wait until it is decided.
  const taken = new Set(isRaised ? [ending.rule.index] : [])
  for (const { state, rule } of list) if (isUndecided(state)) taken.add(rule.index)
  return list.flatMap((finding): readonly Reopening[] => {
    const isNew = finding === moved
    const now = isNew ? ending : found.find((each) => isSameFinding(each, finding))
    const isSame = now
      ? finding.follows &&
        now.rule.index === finding.rule.index &&
        now.floor === finding.floor &&
        now.measured === finding.measured &&
        isSameProof(stage, now, finding)
      : !finding.follows
    if (isSame && !isNew) return []
    const { id, state: from } = finding
    const rule = now?.rule ?? finding.rule
    if (!isNew && !isUndecided(from) && isOfTrades(stage, rule.index)) {
      if (taken.has(rule.index)) return []
      taken.add(rule.index)
    }
    const figures = now ? { rule, floor: now.floor, measured: now.measured, ...placeOf(stage, now) } : null
    return [{ event: { type: 'FindingReopened', data: { finding: id, from, found: figures } }, isNew }]
  })
}

/**
 * A correction can move a hit to another trade: then the finding of the rule moves with it, unless staff dismissed it.
 * Null where none does.
 */
function movedTo(list: readonly Finding[], found: readonly FoundNow[], ending: FoundNow): Finding | null {
  const moves = ({ kind, rule, state }: Finding) =>
    kind === ending.kind && rule.index === ending.rule.index && state !== 'dismissed'
  const isGone = (finding: Finding) => !found.some((each) => isSameFinding(each, finding))
  return (ending.hitTrades && list.findLast((each) => moves(each) && isGone(each))) ?? null
}

function isOfTrades({ terms, index }: Stage, rule: number): boolean {
  const judging = stageTermsOf(terms, index).rules[rule]
  return judging !== undefined && judgesTrades(judging)
}

function isSameProof(stage: Stage, now: FoundNow, { evidence }: Finding): boolean {
  if (!now.hitTrades) return true
  const proof = evidenceOf(stage, now)
  return proof.length === evidence.length && proof.every((number, index) => number === evidence[index])
}

/** Where the rules find it, and what proves it; only a rule that judges single trades says so of a finding that changed. */
function placeOf(stage: Stage, now: FoundNow) {
  return now.hitTrades ? { hit: hitOut(now.hit), evidence: [...evidenceOf(stage, now)] } : {}
}

function isSameFinding(one: Found, other: Found): boolean {
  return one.kind === other.kind && isSameHit(one.hit, other.hit)
}

function raising(state: AccountOfFindings, stage: Stage, decisions: number | undefined): FindingDecision[] {
  const { account, findings } = state
  const { id, programme, status } = account
  const found = endingOf(stage)
  if (!id || !programme || !found || findings.list.some((each) => isSameFinding(each, found))) return []
  const { breaches, passes = 'proposed' } = stage.terms
  const decides =
    found.kind === 'breach' ? breaches === 'automatically' : passes === 'automatically' && mayPass(account)
  const isAutomatic = decides && (decisionRules(decisions).decidesOnOlderRows || !restsOnOlderRows(stage, found))
  const finding = findingIdOf(id, findings.list.length + 1)
  const { kind, rule, floor, measured, hit } = found
  const { id: programmeId, version, hash, stage: stageIndex } = programme
  const evidence = evidenceOf(stage, found)
  const raised: FindingEvent = {
    type: 'RuleFindingRaised',
    data: {
      ...{ finding, kind, rule, floor, measured, hit: hitOut(hit), evidence: [...evidence] },
      ...{ programme: { id: programmeId, version, hash, stage: stageIndex }, proposed: !isAutomatic, status },
    },
  }
  const named = { kind, rule, floor, measured, hit, evidence, id: finding, state: 'proposed' as const }
  if (isAutomatic) return [raised, ...(kind === 'breach' ? breach(state, named) : pass(account, named))]
  const isUnderReview = kind === 'breach' && account.open && status === 'active'
  return isUnderReview ? [raised, statusChanged(state, 'under-review', named)] : [raised]
}

function mayPass({ open, status }: Account): boolean {
  return open && status !== 'breached'
}

type NamedFinding = Found & Pick<Finding, 'id' | 'state' | 'evidence'>

function breach(state: AccountOfFindings, finding: NamedFinding): FindingDecision[] {
  const { account, payouts, stage } = state
  const { id, state: from, hit } = finding
  const confirmed: FindingEvent = { type: 'BreachConfirmed', data: { finding: id, from, hit: hitOut(hit) } }
  if (!account.open || account.status === 'breached') return [confirmed]
  return [
    confirmed,
    statusChanged(state, 'breached', finding, { evidence: evidenceOfBreach(finding, causeInWords(stage, finding)) }),
    ...holdAllPayouts(payouts, HELD_BY_BREACH),
  ]
}

/** An account that is closed passed its stage before: the next account stays. */
function pass(account: Account, { id: finding, state: from, hit }: NamedFinding): FindingDecision[] {
  const confirmed: FindingEvent = { type: 'PassConfirmed', data: { finding, from, hit: hitOut(hit) } }
  return account.open ? [confirmed, ...passStage(account)] : [confirmed]
}

function statusChanged(
  { account: { status: from }, stage }: AccountOfFindings,
  to: AccountStatus,
  finding: NamedFinding,
  why: { readonly reason?: string; readonly evidence?: BreachEvidence; readonly corrects?: EventReference | null } = {},
): AccountEvent {
  const { reason = recordedReason(finding, causeInWords(stage, finding)), evidence = null, corrects = null } = why
  return { type: 'AccountStatusChanged', data: { from, to, reason, evidence, corrects, finding: finding.id } }
}

/**
 * The reason that a change of the status records, in the words of 0.2.0: a verifier decides again what any release
 * wrote, to the letter.
 */
function recordedReason({ id, kind, rule, floor, measured }: NamedFinding, cause: string | null): string {
  const name = ruleKindLabels[rule.kind] ?? rule.kind
  if (cause !== null) return `${name}: ${cause} (finding ${id})`
  const at = kind === 'breach' ? 'at the floor of' : 'at the target of'
  const figures = floor === null || measured === null ? '' : `: ${inDollars(measured)} ${at} ${inDollars(floor)}`
  return `${name}${figures} (finding ${id})`
}

/**
 * Describes a finding in a line: "Maximum loss: $89,900.00 is $100.00 below the floor of $90,000.00".
 *
 * @param cause What the trade did, of a rule that judges single trades.
 */
export function foundText({ kind, rule, floor, measured }: Omit<Found, 'hit'>, cause: string | null = null): string {
  const name = ruleKindLabels[rule.kind] ?? rule.kind
  if (cause !== null) return `${name}: ${cause}`
  return floor === null || measured === null ? name : `${name}: ${measuredInWords(kind, measured, floor)}`
}

const breachRules: Readonly<Record<string, BreachRule>> = {
  'maximum-loss': 'overall-loss',
  'daily-loss': 'daily-drawdown',
}

/**
 * Returns the evidence that the change of the status records of a breach found by the rules.
 *
 * @param cause What the trade did, of a rule that judges single trades.
 */
export function evidenceOfBreach({ rule, floor, measured, hit }: Found, cause: string | null): BreachEvidence {
  const name = ruleKindLabels[rule.kind] ?? rule.kind
  return {
    rule: breachRules[rule.kind] ?? 'other',
    limit: floor === null ? name : toDecimal(floor),
    value: measured === null ? (cause ?? 'reached') : toDecimal(measured),
    occurredAt: hit.at,
  }
}

/** A member who confirms; `lapsed` is the first one, if that confirmation does not count any more. */
export interface Confirmer {
  readonly member: AdminKeyId
  readonly needsTwo: boolean
  readonly lapsed: AdminKeyId | null
}

/** @throws {Refused} not-found; conflict, once it is decided, and for the same member twice */
export function confirmFinding(state: AccountOfFindings, id: FindingId, confirmer: Confirmer): FindingDecision[] {
  const { account } = state
  const finding = decidable(state, id)
  if (finding.kind === 'pass') return pass(account, finding)
  const { member, needsTwo, lapsed } = confirmer
  const first = finding.firstConfirmation === lapsed ? null : finding.firstConfirmation
  if (needsTwo && first === null) return [{ type: 'BreachFirstConfirmed', data: { finding: id, member } }]
  if (needsTwo && first === member)
    throw new Refused('conflict', 'You confirmed this finding first. Another member of staff has to confirm it too.')
  return breach(state, finding)
}

/**
 * Dismisses a finding: the status before comes back, where the finding changed it and no other finding asks for it. The
 * holds that the breach put on payouts end with it.
 *
 * @param corrects The event that breached the account; where this finding did not, nothing is corrected.
 * @param isBanned Whether the trader is: then these holds become those of the ban.
 * @throws {Refused} not-found; conflict, once it is decided
 */
export function dismissFinding(
  state: AccountOfFindings,
  id: FindingId,
  reason: string,
  corrects: EventReference | null = null,
  isBanned = false,
): FindingDecision[] {
  const { account, findings, payouts } = state
  const finding = decidable(state, id)
  const dismissed: FindingEvent = {
    type: 'FindingDismissed',
    data: { finding: id, from: finding.state, hit: hitOut(finding.hit), reason },
  }
  const to = statusWithout(account, findings, finding)
  if (to === account.status) return [dismissed]
  return [
    dismissed,
    statusChanged(state, to, finding, {
      reason,
      corrects: corrects?.revision === account.breachRevision ? corrects : null,
    }),
    ...endHoldsOfBreach(payouts, account.breachRevision, isBanned),
  ]
}

/** Reopens a finding that was decided, as it is now, so that a case decides it anew. @throws {Refused} not-found; conflict */
export function reopenFinding({ account, findings }: AccountOfFindings, id: FindingId): FindingEvent[] {
  const finding = account.erased ? undefined : findings.list.find((each) => each.id === id)
  if (!finding) throw findingNotFound()
  const { state: from, rule, floor, measured, follows } = finding
  if (isUndecided(from)) throw new Refused('conflict', 'This finding waits for a decision already')
  return [{ type: 'FindingReopened', data: { finding: id, from, found: follows ? { rule, floor, measured } : null } }]
}

function statusWithout({ open, status, statusFinding }: Account, { list }: Findings, finding: Finding): AccountStatus {
  const others = list.filter((each) => each.kind === 'breach' && each.id !== finding.id)
  const isOfFinding = open && finding.kind === 'breach' && statusFinding === finding.id
  if (!isOfFinding || others.some(({ state }) => state === 'confirmed')) return status
  const waits = others.some(({ state }) => state === 'proposed' || state === 'reopened')
  return waits && finding.status === 'active' ? 'under-review' : finding.status
}

function decidable({ account, findings }: AccountOfFindings, id: FindingId): Finding {
  const finding = account.erased ? undefined : findings.list.find((each) => each.id === id)
  if (!finding) throw findingNotFound()
  if (finding.state === 'confirmed' || finding.state === 'dismissed')
    throw new Refused('conflict', `This finding was ${finding.state} already`)
  return finding
}

export function findingNotFound(): Refused {
  return new Refused('not-found', 'Finding not found')
}
