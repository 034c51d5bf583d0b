import { type Cents, toCents } from '#services/money/money.ts'
import {
  evaluate,
  type Line,
  type LimitState,
  type RuleLine,
  type Rules,
  startOf,
  type State,
} from '#services/rules/engine.ts'
import type { Observation } from '#services/rules/observation.ts'
import type { RuleTerms } from '#services/rules/programme.ts'
import { stageTermsOf } from './programme-stage.ts'
import { rulesOfStage, type Stage } from './stage.ts'
import { dismissedOf, type SeenRow } from './stage-timeline.ts'
import type { Step } from './trading-results.ts'

/**
 * What an account under a programme traded, as the rule engine sees it: by the instants of what was observed, in the
 * trading days of the programme. Whole cents; times in ms since 1970, days by their numbers.
 */
export interface TradingRecord {
  /** What moved the balance, in the order of the rules. */
  readonly steps: readonly Step[]
  /** The days with an observation and the days that count, oldest first. */
  readonly days: readonly RecordedDay[]
  /** In the order of the rules. */
  readonly trades: readonly RecordedTrade[]
  /** Of each rule the number of the event that its figures follow from; null where nothing observed moved them. */
  readonly proofs: readonly (number | null)[]
}

export interface RecordedDay {
  readonly day: number
  /** The balance at its end. */
  readonly closing: number
  /** What was traded. */
  readonly result: number
  /** Null where no rule counts days. */
  readonly counts: boolean | null
  /** How many trades were closed; null where only balances are known. */
  readonly trades: number | null
  /** The limits that were reached, one hit a rule. */
  readonly hits: readonly LimitHit[]
  /** The number of the event with its last observation; null without one. */
  readonly event: number | null
}

export interface LimitHit {
  /** The index of the rule. */
  readonly rule: number
  readonly state: HitState
  readonly event: number | null
}

export const hitStates = ['breached', 'paused', 'warned', 'undetermined'] as const
export type HitState = Extract<LimitState, (typeof hitStates)[number]>

export interface RecordedTrade {
  readonly id: string
  readonly openedAt: number
  readonly closedAt: number
  readonly volume: string
  readonly result: Cents
  /** After it. */
  readonly balance: Cents
  /** The number of the event that recorded it, or last corrected it. */
  readonly event: number | null
}

/**
 * @param events Of each row of the stage's timeline, the number of the event behind it.
 * @param now The end of the last day shows once it is over.
 */
export function tradingRecord(stage: Stage, events: readonly (number | null)[], now: number): TradingRecord {
  const rules = rulesOfStage(stage)
  const terms = stageTermsOf(stage.terms, stage.index).rules
  const seen = seenIn(stage, rules, events)
  return {
    steps: seen.flatMap((row) => stepOf(row, rules.size)),
    days: daysIn(seen, rules, terms, dayEndAfter(stage, rules, now)),
    trades: seen.flatMap(tradeOf),
    proofs: terms.map((_, index) => proofOf(seen, openingOf(rules, seen)[index], index)),
  }
}

/** A row as the engine evaluates it. */
interface Seen {
  readonly observation: Observation
  readonly event: number | null
  readonly before: State
  readonly state: State
  readonly line: Line
  /** What the end of the day before this row found, where a day ended; null else. */
  readonly dayEnd: DayEnd | null
}

interface DayEnd {
  readonly day: number
  readonly rules: readonly RuleLine[]
}

function seenIn(stage: Stage, rules: Rules, events: readonly (number | null)[]): readonly Seen[] {
  let before = startOf(rules)
  return stage.timeline.rows.toArray().map((row, index) => {
    const { observation } = row
    const dayEnd = observation.at.ms >= before.dayEnds ? dayEndOf(stage, rules, before) : null
    const { state, line } = evaluate(rules, before, observation, dismissedOf(row, stage.dismissed))
    const seen = { observation, event: events[index] ?? null, before, state, line, dayEnd }
    before = state
    return seen
  })
}

/** What the end of the present day finds. It is looked at on its own: a clock there might pass the stage. */
function dayEndOf({ dismissed }: Stage, rules: Rules, state: State): DayEnd | null {
  const { account, dayEnds, ended } = state
  if (!account || ended) return null
  const at = { text: new Date(dayEnds).toISOString(), ms: dayEnds, ns: 0 }
  const row: SeenRow = { source: null, observation: { at, kind: 'clock' } }
  const { line } = evaluate(rules, state, row.observation, dismissedOf(row, dismissed))
  return { day: account.today, rules: line.rules }
}

function dayEndAfter(stage: Stage, rules: Rules, now: number): DayEnd | null {
  const { engine } = stage.timeline
  return now >= engine.dayEnds ? dayEndOf(stage, rules, engine) : null
}

/** What was traded: the balance without payouts and transfers. */
function tradedIn({ account }: State): number {
  return account ? account.balance - account.base : 0
}

function stepOf({ observation: { kind, at }, event, before, state }: Seen, size: number): Step[] {
  if (kind === 'clock') return []
  const isTrading = kind !== 'payout' && kind !== 'transfer'
  const balance = state.account?.balance ?? size
  return [
    {
      at: at.ms,
      number: event ?? 0,
      balance,
      change: isTrading ? tradedIn(state) - tradedIn(before) : balance - (before.account?.balance ?? size),
      kind: isTrading ? 'trade-result' : kind === 'payout' ? 'payout' : 'correction',
      beginsPhase: false,
    },
  ]
}

function tradeOf({ observation, event, state: { account } }: Seen): RecordedTrade[] {
  if (observation.kind !== 'trade' || !account) return []
  const { id, volume, openedAt, at, profit } = observation
  const balance = toCents(account.balance)
  return [{ id, volume, openedAt: openedAt.ms, closedAt: at.ms, result: toCents(profit), balance, event }]
}

function daysIn(
  seen: readonly Seen[],
  rules: Rules,
  terms: readonly RuleTerms[],
  lastEnd: DayEnd | null,
): readonly RecordedDay[] {
  const counted = countedDaysIn(seen, rules)
  const hits = hitsIn(seen, rules, terms, lastEnd)
  const days = new Map<number, RecordedDay>()
  const dayAfter = (day: number, closing: number): RecordedDay =>
    days.get(day) ?? {
      day,
      closing,
      result: 0,
      counts: counted && counted.has(day),
      trades: null,
      hits: hits.get(day) ?? [],
      event: null,
    }
  for (const { observation, event, before, state, line } of seen) {
    if (observation.kind === 'clock') continue
    const { result, trades, ...day } = dayAfter(line.day, 0)
    days.set(line.day, {
      ...day,
      closing: state.account?.balance ?? rules.size,
      result: result + tradedIn(state) - tradedIn(before),
      trades: withTrades(trades, observation),
      event,
    })
  }
  let closing = rules.size
  return [...new Set([...days.keys(), ...(counted ?? []), ...hits.keys()])]
    .toSorted((one, other) => one - other)
    .map((number) => {
      const day = dayAfter(number, closing)
      closing = day.closing
      return day
    })
}

function withTrades(trades: number | null, observation: Observation): number | null {
  switch (observation.kind) {
    case 'trade':
      return (trades ?? 0) + 1
    case 'day':
      return (trades ?? 0) + observation.trades
    default:
      return trades
  }
}

/** The days that count for a rule, also those before a payout after which days are counted anew; null without a rule. */
function countedDaysIn(seen: readonly Seen[], { rules }: Rules): ReadonlySet<number> | null {
  const counting = rules.flatMap(({ index, rule }) => {
    const countedDays = rule.role === 'goal' ? rule.countedDays : null
    return countedDays ? [{ index, start: rule.start, countedDays }] : []
  })
  if (counting.length === 0) return null
  const states = seen.flatMap(({ observation, before }) => (observation.kind === 'payout' ? before : []))
  const days = [...states, ...seen.slice(-1).map(({ state }) => state)].flatMap(({ account, rules: ruleStates }) =>
    account
      ? counting.flatMap(({ index, start, countedDays }) => countedDays(ruleStates[index] ?? start, account))
      : [],
  )
  return new Set(days)
}

/** The limits that were reached on each day. */
function hitsIn(
  seen: readonly Seen[],
  rules: Rules,
  terms: readonly RuleTerms[],
  lastEnd: DayEnd | null,
): ReadonlyMap<number, readonly LimitHit[]> {
  const days = new Map<number, LimitHit[]>()
  const add = (day: number, rule: number, state: RuleLine['state'], event: number | null) => {
    if (!isHit(state)) return
    const known = days.get(day) ?? []
    const same = known.findIndex((hit) => hit.rule === rule)
    if (same === -1) days.set(day, [...known, { rule, state, event }])
    else if (hitStates.indexOf(state) < hitStates.indexOf(known[same]?.state ?? 'undetermined'))
      days.set(day, known.with(same, { rule, state, event }))
  }
  const addAll = (day: number, lines: readonly RuleLine[], event: number | null, isAtDayEnd: boolean) =>
    lines.forEach(({ state }, rule) => {
      if (isFoundAtDayEnd(terms[rule]) === isAtDayEnd) add(day, rule, state, event)
    })
  let last: number | null = null
  for (const { dayEnd, before, state, line, event } of seen) {
    if (dayEnd) addAll(dayEnd.day, dayEnd.rules, last, true)
    if (!before.ended) {
      const cause = state.ended?.cause
      // The end of a later day than that of the last row, on which nothing was observed.
      if (cause?.isDayEnd) add(rules.days.dayOf(Date.parse(cause.at)) - 1, cause.rule, 'breached', last)
      else addAll(line.day, line.rules, event, false)
    }
    last = event ?? last
  }
  if (lastEnd) addAll(lastEnd.day, lastEnd.rules, last, true)
  return days
}

function isHit(state: RuleLine['state']): state is HitState {
  return hitStates.some((hit) => hit === state)
}

/** Whether the limit is looked at when a day ends; what that finds shows until the next day ends. */
function isFoundAtDayEnd(terms: RuleTerms | undefined): boolean {
  switch (terms?.kind) {
    case 'maximum-loss':
    case 'daily-loss':
      return terms.checked === 'day-close'
    case 'maximum-days':
    case 'inactivity':
      return true
    default:
      return false
  }
}

/** The rules before anything is observed. */
function openingOf(rules: Rules, [first]: readonly Seen[]): readonly RuleLine[] {
  return first ? evaluate(rules, startOf(rules), { kind: 'clock', at: first.observation.at }).line.rules : []
}

/** The event of the row that last moved a rule's figures. A floor that a new day moved rests on the row before it. */
function proofOf(seen: readonly Seen[], opening: RuleLine | undefined, index: number): number | null {
  let [known, proof, last]: [string, number | null, number | null] = [figureOf(opening), null, null]
  for (const { before, line, event, dayEnd } of seen) {
    if (before.ended) break
    const figure = figureOf(line.rules[index])
    if (figure !== known) proof = dayEnd && line.rules[index]?.figures.floor ? last : event
    known = figure
    last = event ?? last
  }
  return proof
}

/** What a rule is mainly about. */
function figureOf(rule: RuleLine | undefined): string {
  const { floor, missing, best, days } = rule?.figures ?? {}
  return floor ? `${floor.cents} ${floor.rest}` : String(missing ?? best ?? days)
}
