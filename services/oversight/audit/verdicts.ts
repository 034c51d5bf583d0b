import { inDollars } from '#services/rules/money.ts'
import { numberOf } from '#services/trading/stream/rejection.ts'
import { utcTime } from '#services/framework/api/utc-time.ts'
import {
  type AccountState,
  accountStateDecider,
  type AccountStreamEvent,
} from '#services/trading/stream/account-aggregate.ts'
import { accountStatusLabels } from '#services/trading/stream/account-vocabulary.ts'
import { newsInWords, newsNear } from '#services/trading/stream/news-of-trade.ts'
import { type Hit, type Stage, stageWithClock } from '#services/trading/stream/stage.ts'
import { isStageEvent } from '#services/trading/stream/stage-events.ts'
import { type FindingEvent, hitIn } from '#services/trading/stream/finding-events.ts'
import {
  evidenceOfBreach,
  type Finding,
  type FindingDecision,
  foundText,
  isUndecided,
  reopenFinding,
  reviewFindings,
} from '#services/trading/stream/finding.ts'
import { causeInWords } from '#services/trading/stream/hit-text.ts'
import { findingKindLabels } from '#services/trading/stream/finding-vocabulary.ts'
import {
  endingOf,
  evidenceOf,
  figuresAt,
  type Found,
  type FoundNow,
  foundIn,
  isSameHit,
  restsOnOlderRows,
} from '#services/trading/stream/found.ts'
import type { AppendedEvent } from '#services/event-sourcing/event-definitions.ts'
import type { AccountId, FindingId, PayoutId } from '#services/framework/ids.ts'
import { judgePayout, type PayoutVerdictEvent } from './payout-verdicts.ts'
import { decideAgain, isEqual } from '#services/trading/stream/decide-again.ts'
import { eventTitles } from '#services/oversight/event-catalogue.ts'
import { MOST_AHEAD } from '#services/trading/stream/observation-vocabulary.ts'
import { spanText } from './entry-times.ts'
import { type Hand, handsBehind, handsIn } from '#services/trading/stream/observation-hands.ts'
import { handKinds, type HandKind } from '#services/trading/stream/observation-vocabulary.ts'

/**
 * Whether the verdicts on an account follow from its rules: each is computed again from what was recorded before it,
 * with the code that raises findings. Runs in browsers.
 */

/**
 * `against-the-rules`: a person decided so, and the record says it. `undecided`: nobody has confirmed or dismissed it
 * yet. `by-person`: no rule says it.
 */
export type VerdictOutcome = 'follows' | 'does-not-follow' | 'against-the-rules' | 'by-person' | 'undecided'

export interface Verdict {
  readonly account: AccountId
  /** Null where it rests on no recorded finding. */
  readonly finding: FindingId | null
  /** The number of the entry that has it; null where nothing was recorded. */
  readonly number: number | null
  readonly outcome: VerdictOutcome
  /** The decision in a few words. */
  readonly what: string
  /** Who decided it, and what the rules give: sentences. */
  readonly why: string
  /** False where another verdict took its place. */
  readonly stands?: false
}

/** An event of an account, as a reader of its history sees it. */
export interface JudgedEvent<Event extends AccountStreamEvent = AccountStreamEvent> {
  readonly event: AppendedEvent<Event>
  /** The number of its entry. */
  readonly number: number
  /** The member of staff who caused it; null where none did. */
  readonly staff: string | null
}

type EventOfType<Type extends AccountStreamEvent['type']> = Extract<AccountStreamEvent, { readonly type: Type }>
type Decision = Exclude<
  FindingEvent,
  { readonly type: 'BreachFirstConfirmed' | 'TimeDecisionMoved' | 'LimitNeared' | 'HitsNoted' }
>

/** The findings, verdicts and observations of an account that were seen so far. */
interface Seen {
  readonly account: AccountId
  /** The first fault of each finding. */
  readonly faults: Map<FindingId, string>
  /** The last event of each finding. */
  readonly decisions: Map<FindingId, JudgedEvent<Decision>>
  /** Verdicts that rest on no finding. */
  readonly byHand: Verdict[]
  /** Requests of payouts, and the verdicts on them. */
  readonly payouts: PayoutVerdict[]
  /** The numbers of the entries that recorded observations, or corrected them last. */
  readonly observed: Map<number, number>
  /** The findings that follow only from rows which are older than the stage. */
  readonly older: Set<FindingId>
  /** The numbers of the entries that a finding rests on. */
  readonly rests: Map<FindingId, number[]>
  /** Who typed, imported or corrected observations. */
  readonly hands: Hand<string | null>[]
  /** The first of two confirmations of each finding, until it is reopened. */
  readonly firsts: Map<FindingId, Pick<JudgedEvent, 'number' | 'staff'>>
  /** The entries whose time cannot be, with why. */
  readonly untimely: ReadonlyMap<number, string>
}

/** Findings are reviewed right after a correction. A history that ends in between does not show it yet. In ms. */
const REVIEW_TIME = 60_000

/**
 * The verdicts on an account, in the order in which they were recorded.
 *
 * @param events All of its stream, in order.
 * @param endsAt When the history ends, ms since 1970: what time alone decides by then is looked for, too.
 * @param untimely The entries whose time cannot be, by their numbers, with why: no verdict may rest on them.
 */
export function verdictsOn(
  account: AccountId,
  events: readonly JudgedEvent[],
  endsAt: number,
  untimely: ReadonlyMap<number, string> = new Map(),
): Verdict[] {
  const seen: Seen = {
    ...{
      account,
      faults: new Map(),
      decisions: new Map(),
      byHand: [],
      payouts: [],
      observed: new Map(),
      rests: new Map(),
      older: new Set(),
      hands: [],
      firsts: new Map(),
    },
    untimely,
  }
  let state = accountStateDecider.initial
  let [now, changedAt, decidedUpTo] = [0, 0, 0]
  const recorded = events.map(({ event }) => event)
  for (const [n, judged] of events.entries()) {
    const { event } = judged
    // The clocks of two processes may differ a little.
    now = Math.max(now, event.at)
    if (isStageEvent(event)) changedAt = event.at
    const faults = seen.faults.size + seen.byHand.length
    if (event.type === 'AccountStatusChanged' && !namesBreach(event.data, events))
      seen.byHand.push(wrongly(seen, judged, 'It corrects an entry that is not the breach.'))
    look(seen, state, judged, now)
    if (n >= decidedUpTo) {
      const again = decideAgain(state, recorded, n)
      decidedUpTo = again.events > 0 ? n + again.events : endOfAppend(recorded, n)
      const isTold = seen.faults.size + seen.byHand.length > faults
      if (again.events === 0 && !isTold) seen.byHand.push(notDecided(account, judged, again.refusal))
    }
    state = accountStateDecider.evolve(state, event)
  }
  const end = Math.max(now, endsAt)
  const next = reviewFindings(state, end, recorded.at(-1)?.decisions ?? 1)
  const isNew = end - changedAt < REVIEW_TIME
  const { list } = state.findings
  const found = [
    ...list.map((finding) => verdictOn(seen, state.stage, finding, { next, isNew })),
    ...seen.byHand,
    ...unraised(seen, list),
    ...missingIn(seen, state.stage, next, { end, isNew }),
  ].map((verdict) => withTimes(seen, verdict))
  // A time that cannot be is told beside them: the figures are those of the time that was recorded.
  const payouts = seen.payouts.map((verdict, index) => withStanding(verdict, seen.payouts.slice(index + 1)))
  const place = ({ number }: Verdict) => number ?? Infinity
  return [...found, ...payouts].toSorted((one, other) => place(one) - place(other))
}

/** Whether a correction names the number of the breach that it corrects. */
function namesBreach(
  { corrects }: EventOfType<'AccountStatusChanged'>['data'],
  events: readonly JudgedEvent[],
): boolean {
  return (
    corrects === null ||
    events.some(({ event, number }) => event.revision === corrects.revision && number === corrects.number)
  )
}

/** The index after the events that were recorded together with the one at an index. */
function endOfAppend(events: readonly AppendedEvent<AccountStreamEvent>[], from: number): number {
  const later = events.findIndex(({ at }, n) => n > from && at !== events[from]?.at)
  return later === -1 ? events.length : later
}

/** Decisions on findings that were never raised. */
function unraised({ account, faults, decisions }: Seen, list: readonly Finding[]): Verdict[] {
  return [...faults].flatMap(([finding, fault]): Verdict[] => {
    const decision = decisions.get(finding)
    if (!decision || list.some(({ id }) => id === finding)) return []
    const what = `Finding ${finding} of account ${account}`
    return [
      {
        ...{ account, finding, number: decision.number, outcome: 'does-not-follow', what },
        why: `${decisionText(decision)} ${fault}`,
      },
    ]
  })
}

/** A verdict does not follow where an entry that it rests on cannot be of its time. */
function withTimes({ untimely, rests }: Seen, verdict: Verdict): Verdict {
  const numbers = [verdict.number, ...(verdict.finding ? (rests.get(verdict.finding) ?? []) : [])]
  const fault = numbers.flatMap((number) => (number === null ? [] : (untimely.get(number) ?? [])))[0]
  if (fault === undefined || verdict.outcome === 'does-not-follow') return verdict
  return { ...verdict, outcome: 'does-not-follow', why: `${verdict.why} It rests on a time that cannot be: ${fault}` }
}

/** An event that no decision gives on the state before it. */
function notDecided(account: AccountId, judged: JudgedEvent, refusal: string | null): Verdict {
  return wrongly(
    { account },
    judged,
    refusal === null
      ? 'On what was recorded before it, the portal decides something else.'
      : `On what was recorded before it, the portal refuses this: ${inOneLine(refusal)}`,
  )
}

function wrongly({ account }: Pick<Seen, 'account'>, { event, number }: JudgedEvent, why: string): Verdict {
  const what = `${eventTitles.get(event.type) ?? event.type} on account ${account} in entry #${number}`
  return { ...{ account, finding: null, number, outcome: 'does-not-follow' }, what, why }
}

/** Rows that staff typed name the person, and no row is of a moment that had not come. */
function noteRecorded(seen: Seen, judged: JudgedEvent<EventOfType<'ObservationsRecorded'>>): void {
  const { event, staff } = judged
  const { source, observations } = event.data
  if (source === 'staff' && staff === null) seen.byHand.push(wrongly(seen, judged, 'It was typed by no person.'))
  const latest = Math.max(...observations.map(({ at }) => at.ms))
  if (latest > event.at + MOST_AHEAD)
    seen.byHand.push(
      wrongly(seen, judged, `It is about ${utcTime(latest)}, ${spanText(latest - event.at)} after it was recorded.`),
    )
}

/** Looks at an event, and at the state before it. */
function look(seen: Seen, state: AccountState, { event, number, staff }: JudgedEvent, now: number): void {
  switch (event.type) {
    case 'ObservationsRecorded':
      seen.hands.push(...handsIn(event, number, staff))
      noteRecorded(seen, { event, number, staff })
      for (const index of event.data.observations.keys())
        seen.observed.set((state.stage?.known.list.size ?? 0) + 1 + index, number)
      return
    case 'ObservationCorrected':
      seen.observed.set(event.data.observation, number)
      seen.hands.push(...handsIn(event, number, staff))
      if (staff === null && event.data.source !== 'feed')
        seen.byHand.push(wrongly(seen, { event, number, staff }, 'It was corrected by no person.'))
      return
    case 'RuleFindingRaised':
      if (restsOnOlder(state, event.data)) seen.older.add(event.data.finding)
      noteProof(seen, event.data.finding, number, event.data.evidence)
      return decided(seen, { event, number, staff }, faultOfRaised(seen, state, event, now))
    case 'BreachFirstConfirmed':
      seen.firsts.set(event.data.finding, { number, staff })
      return
    case 'FindingReopened':
      seen.firsts.delete(event.data.finding)
      if (event.data.found?.evidence) noteProof(seen, event.data.finding, number, event.data.found.evidence)
      return decided(seen, { event, number, staff }, faultOfReopened(state, event, now))
    case 'BreachConfirmed':
    case 'PassConfirmed':
    case 'FindingDismissed':
      return decided(seen, { event, number, staff }, faultOfDecision(state, event, staff))
    case 'AccountStatusChanged':
      if (state.account.programme) lookAtStatus(seen, state, { event, number, staff })
      return
    case 'StagePassed':
      if (state.findings.list.some((each) => each.kind === 'pass' && each.state === 'confirmed')) return
      seen.byHand.push({
        ...{ account: seen.account, finding: null, number },
        outcome: staff === null ? 'does-not-follow' : 'against-the-rules',
        what: `${inOneLine(event.data.name)} of account ${seen.account}, passed in entry #${number}`,
        why: `${staff === null ? '' : `${staff} decided it. `}No finding of the rules was confirmed.`,
      })
      return
    case 'PayoutRequested':
    case 'PayoutApproved':
      seen.payouts.push(payoutVerdict(seen, state, { event, number, staff }))
      return
    case 'PayoutRejected':
    case 'PayoutFirstForfeited':
      if (event.type === 'PayoutRejected') seen.payouts.push(payoutVerdict(seen, state, { event, number, staff }))
      for (const item of event.data.evidence ?? []) {
        const entry =
          'finding' in item ? seen.rests.get(item.finding)?.[0] : seen.observed.get(numberOf(item.observation))
        if (entry !== item.event.number)
          seen.byHand.push(
            wrongly(
              seen,
              { event, number, staff },
              `It names entry #${item.event.number} as its evidence, which is another one.`,
            ),
          )
      }
      return
    case 'StageBegun':
    case 'TermsSet':
      if (!state.account.programme) return
      seen.byHand.push({
        ...{ account: seen.account, finding: null, number, outcome: 'does-not-follow' },
        what: `Rules of account ${seen.account}, replaced in entry #${number}`,
        why: 'An account keeps the rules that its stage began with.',
      })
      return
    default:
  }
}

function noteProof({ rests, observed }: Seen, finding: FindingId, number: number, evidence: readonly number[]): void {
  rests.set(finding, [number, ...evidence.flatMap((observation) => observed.get(observation) ?? [])])
}

interface PayoutVerdict extends Verdict {
  readonly payout: PayoutId
  readonly isRequest: boolean
}

function payoutVerdict(
  { account }: Seen,
  state: AccountState,
  { event, number, staff }: JudgedEvent<PayoutVerdictEvent>,
): PayoutVerdict {
  const { type, data } = event
  const { outcome, what, why } = judgePayout(state, event, event.at)
  const isRequest = type === 'PayoutRequested'
  const verb = type === 'PayoutApproved' ? 'approved' : 'rejected'
  const by = isRequest ? `It is entry #${number}.` : `${staff ?? 'The portal'} ${verb} it in entry #${number}`
  const because = isRequest ? '' : data.notes === '' ? '.' : `${becauseOf(data.notes)}.`
  return {
    ...{ account, finding: null, number, outcome, what, why: `${why} ${by}${because}` },
    ...{ payout: data.payoutId, isRequest },
  }
}

/** A verdict stands until another one on the same payout takes its place. */
function withStanding({ payout, isRequest, ...verdict }: PayoutVerdict, later: readonly PayoutVerdict[]): Verdict {
  const next = isRequest ? undefined : later.find((each) => each.payout === payout)
  if (!next) return verdict
  return { ...verdict, why: `${verdict.why} It does not stand: entry #${next.number} overturned it.`, stands: false }
}

function decided({ faults, decisions }: Seen, judged: JudgedEvent<Decision>, fault: string | null): void {
  const { finding } = judged.event.data
  decisions.set(finding, judged)
  noteFault(faults, finding, fault)
}

function noteFault(faults: Seen['faults'], finding: FindingId, fault: string | null): void {
  if (fault !== null && !faults.has(finding)) faults.set(finding, fault)
}

/** The finding that the rules raise at this state is the one that was recorded, with all that it says. */
function faultOfRaised(
  seen: Seen,
  state: AccountState,
  { data, decisions: version = 1 }: AppendedEvent<EventOfType<'RuleFindingRaised'>>,
  now: number,
): string | null {
  const raised = reviewFindings(state, now, version).find((each) => each.type === 'RuleFindingRaised')?.data
  if (!raised || !isEqual(figuresOf(raised), figuresOf(data)))
    return insteadOf(seen, state, foundBy(data), raised ? { ...foundBy(raised), evidence: raised.evidence } : null)
  if (!isEqual(raised.evidence, data.evidence))
    return `It names ${observations(data.evidence)} as its proof. By the rules ${observations(raised.evidence)} prove it.`
  return isEqual(raised, data)
    ? null
    : 'It names another programme, another status of the account or another way to decide than the account had.'
}

type Raised = EventOfType<'RuleFindingRaised'>['data']

function figuresOf({ kind, rule, floor, measured, hit }: Raised) {
  return { kind, rule, floor, measured, hit }
}

function restsOnOlder({ stage }: AccountState, raised: Raised): boolean {
  const found = foundBy(raised)
  if (!stage) return false
  return restsOnOlderRows(found.hit.source === null ? stageWithClock(stage, found.hit.at) : stage, found)
}

function foundBy({ kind, rule, floor, measured, hit }: Raised): Found {
  return { kind, rule, floor, measured, hit: hitIn(hit) }
}

function observations(numbers: readonly number[]): string {
  return numbers.length === 0 ? 'no observation' : `observation ${numbers.join(' and ')}`
}

/** Says what the rules give instead of what was recorded. */
function insteadOf(
  seen: Seen,
  { stage }: AccountState,
  recorded: Found,
  raised: (Found & Pick<Finding, 'evidence'>) | null,
): string {
  const nothing = `The rules find nothing at ${placeOf(seen, recorded.hit)}`
  if (!stage) return 'The account has no rules.'
  const found = raised ?? foundIn(stage).find(({ kind, hit }) => kind === recorded.kind && isSameHit(hit, recorded.hit))
  if (found) return `The rules give: ${textOf(stage, found)}, at ${placeOf(seen, found.hit)}.`
  const there = figuresAt(stage, recorded)
  if (!there || there.level === null) return [`${nothing}.`, ...newsBehind(stage, recorded)].join(' ')
  const level = `the ${recorded.kind === 'pass' ? 'target' : 'floor'} is ${inDollars(there.level)}`
  return `${nothing}: there ${level}, the balance ${inDollars(there.balance)} and the equity ${inDollars(there.equity)}.`
}

/** When the news were published that a finding of a rule about news rests on: sentences. */
function newsBehind(stage: Stage | null, { rule, hit }: Pick<Found, 'rule' | 'hit'>): readonly string[] {
  if (!stage || rule.kind !== 'news' || typeof hit.source !== 'number') return []
  const trade = stage.known.list.get(hit.source - 1)?.now
  return trade?.kind === 'trade' ? newsInWords(newsNear(stage, rule.index, trade)) : []
}

/** A finding in a line, also of what the rules find now. */
function textOf(
  stage: Stage | null,
  found: Found & Partial<Pick<FoundNow, 'hitTrades'> & Pick<Finding, 'evidence'>>,
): string {
  const { rule, hitTrades = null } = found
  const evidence = found.evidence ?? (stage && hitTrades ? evidenceOf(stage, { ...found, hitTrades }) : [])
  return inOneLine(foundText(found, causeInWords(stage, { rule, evidence })))
}

function placeOf({ observed }: Seen, { source, at }: Hit): string {
  if (source === null) return utcTime(at)
  if (typeof source !== 'number') return `payout ${source}`
  const entry = observed.get(source)
  return `observation ${source} (${entry === undefined ? 'which was not recorded' : `entry #${entry}`})`
}

function faultOfReopened(state: AccountState, { data }: EventOfType<'FindingReopened'>, now: number): string | null {
  const isExpected = reviewFindings(state, now).some(
    (each) => each.type === 'FindingReopened' && each.data.finding === data.finding && isEqual(each.data, data),
  )
  // The decision of a case reopens what was decided, as it is.
  const decided = state.findings.list.find(({ id, state: of }) => id === data.finding && !isUndecided(of))
  const isForCase = decided && isEqual(reopenFinding(state, data.finding)[0]?.data, data)
  return isExpected || isForCase ? null : 'It was reopened with other figures than the rules give.'
}

type FinalDecision = EventOfType<'BreachConfirmed' | 'PassConfirmed' | 'FindingDismissed'>

/** A decision is about a finding that waits for one, there where it was found, and made by who may. */
function faultOfDecision(
  { findings }: AccountState,
  { type, data }: FinalDecision,
  staff: string | null,
): string | null {
  const finding = findings.list.find(({ id }) => id === data.finding)
  if (!finding) return 'It was decided without being raised.'
  const kind = type === 'BreachConfirmed' ? 'breach' : type === 'PassConfirmed' ? 'pass' : finding.kind
  const isAboutIt = kind === finding.kind && data.from === finding.state && isSameHit(hitIn(data.hit), finding.hit)
  if (!isAboutIt || finding.state === 'confirmed' || finding.state === 'dismissed')
    return 'It was decided as something else than it was.'
  const isAutomatic = !finding.proposed && finding.state === 'proposed' && type !== 'FindingDismissed'
  return staff === null && !isAutomatic ? 'It was decided by no person, and its programme leaves it to people.' : null
}

/** A change of the status follows from a finding as far as it was decided, or a person made it. */
function lookAtStatus(
  seen: Seen,
  { findings, stage }: AccountState,
  { event: { data }, number, staff }: JudgedEvent<EventOfType<'AccountStatusChanged'>>,
): void {
  const { from, to, reason } = data
  const finding = findings.list.find(({ id }) => id === data.finding)
  if (finding) return noteFault(seen.faults, finding.id, faultOfStatus(stage, finding, data))
  if (to !== 'breached' && from !== 'breached') return
  const ending = stage && endingOf(stage)
  const breach = ending?.kind === 'breach' ? ending : null
  const agrees = (breach !== null) === (to === 'breached')
  const isByPerson = staff !== null && !data.finding
  seen.byHand.push({
    ...{ account: seen.account, finding: null, number },
    outcome: !isByPerson ? 'does-not-follow' : agrees ? 'follows' : 'against-the-rules',
    what: `Status of account ${seen.account} from ${accountStatusLabels[from]} to ${accountStatusLabels[to]} in entry #${number}`,
    why: [
      isByPerson ? `${staff} set it${becauseOf(reason)}.` : 'It names neither a finding that was raised nor a person.',
      breach
        ? `The rules find a breach: ${textOf(stage, breach)}, at ${placeOf(seen, breach.hit)}.`
        : 'The rules find no breach.',
    ].join(' '),
  })
}

function faultOfStatus(
  stage: Stage | null,
  finding: Finding,
  { to, evidence }: EventOfType<'AccountStatusChanged'>['data'],
): string | null {
  const { state } = finding
  const isOpen = state === 'proposed' || state === 'reopened'
  const isAllowed =
    to === 'breached'
      ? state === 'confirmed'
      : to === 'under-review'
        ? isOpen || state === 'dismissed'
        : state === 'dismissed'
  if (finding.kind !== 'breach' || !isAllowed)
    return `The status of the account became ${accountStatusLabels[to]} because of it, while it was ${state}.`
  const isProven = to !== 'breached' || isEqual(evidence, evidenceOfBreach(finding, causeInWords(stage, finding)))
  return isProven ? null : 'The status of the account names other evidence than the finding.'
}

/** @param isNew Whether what it rests on changed right before the history ends. */
function verdictOn(
  seen: Seen,
  stage: Stage | null,
  finding: Finding,
  { next, isNew }: { readonly next: readonly FindingDecision[]; readonly isNew: boolean },
): Verdict {
  const { id, kind, state, follows, hit } = finding
  const decision = seen.decisions.get(id)
  const fault = seen.faults.get(id)
  const isOutdated = next.some((each) => each.type === 'FindingReopened' && each.data.finding === id)
  const isOpen = state === 'proposed' || state === 'reopened'
  const said = decision ? [decisionText(decision), ...handsText(seen, finding, decision)] : []
  const verdict = (outcome: VerdictOutcome, ...why: string[]): Verdict => ({
    ...{ account: seen.account, finding: id, number: decision?.number ?? null, outcome },
    what: `${findingKindLabels[kind]} of account ${seen.account}: ${textOf(stage, finding)} (finding ${id}), at ${placeOf(seen, hit)}`,
    why: [...said, ...why].join(' '),
  })
  if (fault !== undefined) return verdict('does-not-follow', fault)
  if (isOutdated) {
    const isWrong = state === 'confirmed' && !isNew
    return verdict(
      isWrong ? 'does-not-follow' : 'undecided',
      'What it rests on was changed since, and the rules give something else.',
    )
  }
  const older = seen.older.has(id) ? ' They do so only by rows that are older than the stage.' : ''
  const rules = [
    follows ? `The rules find it there.${older}` : 'The rules find nothing there any more.',
    ...newsBehind(stage, finding),
  ].join(' ')
  if (isOpen) return verdict('undecided', rules)
  return verdict(follows === (state === 'confirmed') ? 'follows' : 'against-the-rules', rules)
}

/** "Staff member 1 dismissed it in entry #25: “A wrong price”." */
function decisionText({ event, number, staff }: JudgedEvent<Decision>): string {
  const who = staff ?? 'The rules'
  switch (event.type) {
    case 'RuleFindingRaised':
      return `It was raised in entry #${number}.`
    case 'FindingReopened':
      return `It was reopened in entry #${number}, after a correction.`
    case 'BreachConfirmed':
    case 'PassConfirmed':
      return `${who} confirmed it in entry #${number}.`
    case 'FindingDismissed':
      return `${who} dismissed it in entry #${number}${becauseOf(event.data.reason)}.`
  }
}

/** How many entries of one kind by one person are listed. */
const MOST_LISTED = 5

/**
 * Who made what a finding rests on, and whether one person made and decided it: "What it rests on was typed by Staff
 * member 1 in entry #80 and corrected in entry #82 by the same person."
 */
function handsText({ hands, firsts }: Seen, finding: Finding, { event, staff }: JudgedEvent<Decision>): string[] {
  const isFinal = event.type !== 'RuleFindingRaised' && event.type !== 'FindingReopened'
  const decider = isFinal ? staff : null
  const first = isFinal ? firsts.get(finding.id) : undefined
  const behind = handsBehind(hands, finding)
  const people = [...new Set(behind.map(({ by }) => by))]
  const parts = handKinds.flatMap((how) =>
    people.flatMap((by) => {
      const entries = [...new Set(behind.flatMap((hand) => (hand.how === how && hand.by === by ? hand.event : [])))]
      const who = by === null ? 'nobody who is named' : by === decider ? 'the same person' : by
      return entries.length > 0 ? [handText(how, who, entries)] : []
    }),
  )
  const isOnePerson = decider !== null && people.includes(decider) && (!first || first.staff === decider)
  return [
    ...(first ? [`${first.staff ?? 'Nobody who is named'} confirmed it first, in entry #${first.number}.`] : []),
    ...(parts.length > 0 ? [`What it rests on was ${inWords(parts)}.`] : []),
    ...(isOnePerson ? ['One person alone made and decided it.'] : []),
  ]
}

function handText(how: HandKind, who: string, entries: readonly number[]): string {
  const more = entries.length - MOST_LISTED
  const listed = [...entries.slice(0, MOST_LISTED).map((number) => `#${number}`), ...(more > 0 ? [`${more} more`] : [])]
  const where = `in ${entries.length === 1 ? 'entry' : 'entries'} ${inWords(listed)}`
  return how === 'corrected' ? `corrected ${where} by ${who}` : `${how} by ${who} ${where}`
}

function inWords(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

/** ": “A wrong price”" */
function becauseOf(reason: string | null): string {
  return reason ? `: “${inOneLine(reason)}”` : ''
}

/** A text of people without what moves a cursor or the direction of writing. */
export function inOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
}

/**
 * Returns the findings of the rules that nobody recorded: a finding is raised right after what it rests on.
 *
 * @param history `isNew` where what the rules see changed right before it ends.
 */
function missingIn(
  seen: Seen,
  stage: Stage | null,
  next: readonly FindingDecision[],
  { end, isNew }: { readonly end: number; readonly isNew: boolean },
): Verdict[] {
  return next.flatMap((each): Verdict[] => {
    if (each.type !== 'RuleFindingRaised') return []
    const found = foundBy(each.data)
    // A finding that time alone decides is raised once that time has come.
    const mayWait = isNew || (found.hit.source === null && end - found.hit.at < REVIEW_TIME)
    return [
      {
        ...{ account: seen.account, finding: null, number: null },
        outcome: mayWait ? 'undecided' : 'does-not-follow',
        what: `${findingKindLabels[found.kind]} of account ${seen.account}: ${textOf(stage, { ...found, evidence: each.data.evidence })}, at ${placeOf(seen, found.hit)}`,
        why: 'The rules find it there, and no entry says so.',
      },
    ]
  })
}
