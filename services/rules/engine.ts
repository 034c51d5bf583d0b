import { centsOf } from './money.ts'
import type { KnownTrade } from './known-trade.ts'
import { type Calendar, emptyCalendar } from './calendar.ts'
import { type DecisionRules, decisionRules } from './decision-version.ts'
import { compare, exactly, type Exact, isNothing, minus, most, nothing, plus, up } from './exact.ts'
import { shownFloor } from './floor.ts'
import { compareInstants } from './instant.ts'
import { appendedTo, emptyLog, hasBit, itemAt, itemsOf, type Log, sizeOf } from './log.ts'
import { type Observation, openedTooLate, type Trade } from './observation.ts'
import {
  nothingPaidOut,
  type PaidOut,
  payoutFigures,
  type PayoutFigures,
  type Payouts,
  payoutsOf,
  profitFor,
  type Shares,
  sharesOf,
} from './payouts.ts'
import { compileRule, judgesTrades, type Programme } from './programme.ts'
import type {
  Account,
  AnyRule,
  Consequence,
  Effects,
  Exclusion,
  Fall,
  Floor,
  GoalFigures,
  LimitFigures,
  Observed,
  PayoutFloor,
  RuleState,
  StageFacts,
  Traded,
  Values,
} from './rule.ts'
import { currenciesOf } from './symbol-name.ts'
import { type TradingDays, tradingDays } from './trading-day.ts'

/**
 * The rules of one stage applied to one observation after the other: `(rules, state, observation) → (state, line)`. "No
 * clock, no I/O." (rules.md) A state is plain data: it can be stored, and continued by the same rules.
 */

/** The rules of a stage, ready to be applied. */
export interface Rules {
  readonly size: number
  readonly days: TradingDays
  readonly rules: readonly IndexedRule[]
  /** Whether the stage ends once its goals are met. "A funded stage never passes." (rules.md) */
  readonly passes: boolean
  /** Null in a stage that is not funded. */
  readonly payouts: Payouts | null
  /** Whether a rule asks for single trades: then they are remembered. */
  readonly remembersTrades: boolean
  readonly decided: DecisionRules
}

interface IndexedRule {
  readonly index: number
  readonly kind: string
  readonly rule: AnyRule
}

export type Status = 'in-progress' | 'paused' | 'passed' | 'breached'
export type LimitState = 'kept' | 'paused' | 'breached' | 'warned' | 'suspected' | 'undetermined'

/** A rule's figures and its state. */
export interface RuleLine {
  readonly kind: string
  readonly figures: LimitFigures & Omit<GoalFigures, 'state'>
  readonly state: LimitState | GoalFigures['state']
}

/** Why an account is breached. */
export interface Cause {
  /** The index of the rule. */
  readonly rule: number
  readonly kind: string
  readonly floor: number | null
  readonly measured: number | null
  readonly at: string
  readonly observation: number
  /** Of a rule that judges single trades: the id of the trade. Null for the others. */
  readonly trade: string | null
  /** The numbers of the observations of all its hit trades then, that of `trade` last. Null for other rules. */
  readonly hitTrades: readonly number[] | null
  /** The end of a day found it, with the values before the observation. */
  readonly isDayEnd: boolean
}

/** A line says what holds after an observation, in cents. */
export interface Line {
  readonly at: string
  readonly day: number
  readonly balance: number
  readonly equity: number
  readonly status: Status
  readonly rules: readonly RuleLine[]
  readonly nearest: string | null
  readonly cause: Cause | null
  readonly payout: PayoutFigures | null
}

export interface State {
  readonly observations: number
  /** Null until the stage opens. */
  readonly account: Account | null
  /** The instant at which the present day ends. */
  readonly dayEnds: number
  readonly rules: readonly RuleState[]
  /** The states that hold for the day: pauses, and the result of the last day-close. */
  readonly held: readonly Held[]
  readonly paid: PaidOut
  readonly known: KnownTrades
  /** Once the stage has ended: its last figures. */
  readonly ended: Ended | null
  /** The endings that staff dismissed. */
  readonly dismissed: readonly Ending[]
}

/** The trades that are remembered. */
export interface KnownTrades {
  readonly trades: Log<KnownTrade>
  /** How many closed on the present day. */
  readonly closedToday: number
  /** The number of the observation that was the last payout; -1 before the first. */
  readonly paidAt: number
}

type Held = 'kept' | 'paused' | 'warned'

/** The end of a stage. */
export interface Ending {
  readonly status: 'passed' | 'breached'
  /** Null for a stage that is passed. */
  readonly cause: Cause | null
  /** The index of the observation on whose line it shows. */
  readonly observation: number
  readonly rules: readonly RuleLine[]
  readonly values: Values
}

interface Ended extends Ending {
  readonly nearest: string | null
}

/** Staff dismissed these hits. They end nothing; a limit shows them as a warning. */
export interface Dismissed {
  /** Whether the hits of the observation were dismissed. */
  readonly observation: boolean
  /** The hits of the days that end at these instants, in ms since 1970. */
  readonly dayEnds: ReadonlySet<number>
}

const nothingDismissed: Dismissed = { observation: false, dayEnds: new Set() }

/**
 * @param version Of the decisions, under which the stage began.
 * @param calendar The news of the firm, as they are published.
 * @throws {RangeError} when the programme has no such stage.
 */
export function rulesOf(
  { accountSize, day, stages, instruments = {} }: Programme,
  stageIndex: number,
  version?: number,
  calendar: Calendar = emptyCalendar,
): Rules {
  const stage = stages[stageIndex]
  if (!stage) throw new RangeError(`The programme has no stage ${stageIndex}`)
  const size = centsOf(accountSize)
  const decided = decisionRules(version)
  const days = tradingDays(day)
  const facts: StageFacts = {
    ...{ decided, days, zone: day.zone, daysOf: tradingDays, currenciesOf: currenciesOf(instruments), calendar },
    excludesProfit: stage.rules.some((terms) => judgesTrades(terms) && terms.consequence === 'excludes-profit'),
  }
  return {
    size,
    decided,
    days,
    rules: stage.rules.map((terms, index) => ({ index, kind: terms.kind, rule: compileRule(terms, size, facts) })),
    remembersTrades: stage.rules.some((terms) => judgesTrades(terms) || terms.kind === 'short-trades'),
    passes: !stage.funded,
    payouts: stage.funded ? payoutsOf(stage.payouts, size, decided) : null,
  }
}

export function startOf({ rules }: Rules): State {
  return {
    observations: 0,
    account: null,
    dayEnds: 0,
    rules: rules.map(({ rule }) => rule.start),
    held: rules.map(() => 'kept'),
    paid: nothingPaidOut,
    known: { trades: emptyLog, closedToday: 0, paidAt: -1 },
    ended: null,
    dismissed: [],
  }
}

/** Observations come in their order, each once. */
export function evaluate(
  rules: Rules,
  state: State,
  observation: Observation,
  dismissed = nothingDismissed,
): { state: State; line: Line } {
  const { state: next, account, values, lines } = evaluateRules(rules, state, observation, dismissed)
  return { state: next, line: lineFrom(rules, next, observation, account, values, lines) }
}

/** The result of an observation, without the payout of its line: that is half of the work. */
export interface Evaluated {
  readonly state: State
  /** As the line shows it. */
  readonly account: Account
  readonly values: Values
  readonly lines: Lines
}

/** The same for many observations of which only the state and the rules are wanted. */
export function evaluateRules(
  rules: Rules,
  state: State,
  observation: Observation,
  dismissed = nothingDismissed,
): Evaluated {
  const { ms } = observation.at
  const isLater = ms >= state.dayEnds
  const current = state.account && isLater ? advance(rules, state, state.account, ms, dismissed.dayEnds) : state
  const account = current.account ?? openAccount(rules, ms)
  const dayEnds = current.account ? current.dayEnds : rules.days.startOf(account.today + 1)
  // "Only `reported` values breach, raise a floor, start a day or reach a goal. `computed` and `estimated` ones are
  // shown and checked and leave no trace."
  if ('quality' in observation && observation.quality !== 'reported') {
    const observed = observedOf(observation, account)
    const values = observed ?? account
    const { states } = findings(rules, current.rules, current.held, account, observed, 'suspected')
    const lines = current.ended ?? ruleLines(rules, current.rules, account, values, states)
    return { state: { ...current, observations: current.observations + 1 }, account, values, lines }
  }
  return observe(rules, current, account, dayEnds, observation, dismissed.observation)
}

/** "The stage opens on the day of its first observation." */
function openAccount({ size, days }: Rules, ms: number): Account {
  const today = days.dayOf(ms)
  const values = { balance: size, equity: size }
  return {
    size,
    ...values,
    open: false,
    openedOn: today,
    today,
    base: size,
    dayStart: values,
    dayHighEquity: size,
    excluded: nothing,
    excludedToday: nothing,
    cycle: { ...{ startedOn: today, startedAt: null, base: size, dayStart: values }, ...nothingExcluded },
  }
}

/** Ends the days that are over. "Days without an observation begin and end too." */
function advance(rules: Rules, state: State, account: Account, ms: number, dismissed: ReadonlySet<number>): State {
  const today = rules.days.dayOf(ms)
  let current: State = state
  let values = account
  while (values.today < today) {
    if (!current.ended) current = endDay(rules, current, values, dismissed)
    values = startDay(values, current.ended ? today : values.today + 1)
  }
  const known = rules.remembersTrades ? { ...current.known, closedToday: 0 } : current.known
  return { ...current, account: values, known, dayEnds: rules.days.startOf(today + 1) }
}

/** "The value at the start of a day is the last reported one before it, whenever the evaluation happens." */
function startDay({ size, balance, equity, open, openedOn, base, excluded, cycle }: Account, today: number): Account {
  const dayStart = { balance, equity }
  // Written out rather than spread: a history without observations is nothing but days.
  return {
    size,
    balance,
    equity,
    open,
    openedOn,
    today,
    base,
    dayStart,
    dayHighEquity: equity,
    excluded,
    excludedToday: nothing,
    cycle: {
      startedOn: cycle.startedOn,
      startedAt: cycle.startedAt,
      base: cycle.base,
      dayStart,
      excluded: cycle.excluded,
      excludedToday: nothing,
    },
  }
}

/** "Day-close happens at the end of the day with the last reported values, before the next observation." */
function endDay(rules: Rules, state: State, account: Account, dismissed: ReadonlySet<number>): State {
  const endsAt = rules.days.startOf(account.today + 1)
  const isDismissed = dismissed.has(endsAt)
  const ruleStates: RuleState[] = []
  const held: Held[] = []
  const found: LimitState[] = []
  let cause: FoundCause | null = null
  for (const { index, kind, rule } of rules.rules) {
    const ruleState = state.rules[index] ?? rule.start
    if (rule.role !== 'limit') {
      ruleStates.push(rule.role === 'goal' ? rule.endDay(ruleState, account) : ruleState)
      held.push('kept')
      found.push('kept')
      continue
    }
    const ended = rule.endDay(ruleState, account)
    ruleStates.push(ended.state)
    const consequence = isDismissed && rule.consequence === 'breach' ? 'warning' : rule.consequence
    held.push(ended.fall ? heldBy(consequence) : 'kept')
    found.push(ended.fall ? stateAfter(consequence) : 'kept')
    if (ended.fall && rule.consequence === 'breach') cause = higherOf(rules, cause, index, kind, ended.fall)
  }
  const closed = { ...state, rules: ruleStates, held }
  if (!cause) return closed
  // "The rules' figures are those of that end": a goal counts the day that ends, and has not yet put it away.
  const shown = ruleStates.map((ended, index) =>
    rules.rules[index]?.rule.role === 'goal' ? state.rules[index] : ended,
  )
  const lines = ruleLines(rules, shown, account, account, found)
  const moment = { at: instantText(endsAt), observation: state.observations, isDayEnd: true }
  return endedBy(closed, breached(rules, lines, cause, account, { ...moment, hitTrades: null }), isDismissed)
}

/** Returns the states that hold until the day ends: pauses, and dismissed hits as a warning. */
function heldAfter(held: readonly Held[], states: readonly LimitState[], isDismissed: boolean): readonly Held[] {
  return held.map((before, index) => {
    const found = states[index]
    return found === 'paused' || (isDismissed && found === 'warned') ? found : before
  })
}

function endedBy(state: State, ended: Ended, isDismissed: boolean): State {
  return isDismissed ? { ...state, dismissed: [...state.dismissed, ended] } : { ...state, ended }
}

function heldBy(consequence: Consequence): Held {
  switch (consequence) {
    case 'breach':
      return 'kept'
    case 'pause':
      return 'paused'
    case 'warning':
      return 'warned'
  }
}

function stateAfter(consequence: Consequence | 'excludes-profit'): LimitState {
  switch (consequence) {
    case 'breach':
      return 'breached'
    case 'pause':
      return 'paused'
    case 'warning':
    case 'excludes-profit':
      return 'warned'
  }
}

/** Applies a reported observation. */
function observe(
  rules: Rules,
  state: State,
  before: Account,
  dayEnds: number,
  observation: Observation,
  isDismissed: boolean,
): Evaluated {
  const paid = paidAfter(rules, state, before, observation)
  const observations = state.observations + 1
  const after = accountAfter(before, observation)
  if (state.ended) {
    const next = { ...state, observations, account: after, dayEnds, paid }
    return { state: next, account: after, values: observedOf(observation, after) ?? after, lines: state.ended }
  }
  const judged = rules.remembersTrades
    ? judgedBy(rules, state, after, observation)
    : {
        account: after,
        rules: state.rules,
        known: state.known,
        traded: tradedIn(rules.days, observation),
        hits: noHits,
      }
  const { account, known, hits } = judged
  const observed = observedOf(observation, account)
  const values = observed ?? account
  const ruleStates = observed
    ? observedBy(rules, judged.rules, account, observed, observation, judged.traded)
    : judged.rules
  const quality = isDismissed ? 'dismissed' : 'reported'
  const { states, cause } = findings(rules, ruleStates, state.held, account, observed, quality, hits)
  const held = isDismissed || states.includes('paused') ? heldAfter(state.held, states, isDismissed) : state.held
  const lines = ruleLines(rules, ruleStates, account, account, states)
  // "Breach comes before a target reached in the same observation."
  const moment = { at: observation.at.text, observation: state.observations, isDayEnd: false }
  const ended = cause
    ? breached(rules, lines, cause, account, { ...moment, hitTrades: hitTradesOf(rules, ruleStates, known, cause) })
    : passedBy(rules, lines, account, state.observations)
  const { dismissed } = state
  const open: State = { observations, account, dayEnds, rules: ruleStates, held, paid, known, ended: null, dismissed }
  const next = ended ? endedBy(open, ended, isDismissed) : open
  return { state: next, account, values, lines }
}

/** The states of the rules after an observation: the same list where nothing changed. */
function observedBy(
  { rules, payouts }: Rules,
  states: readonly RuleState[],
  account: Account,
  observed: Observed,
  observation: Observation,
  traded: Traded | null,
): readonly RuleState[] {
  let changed: RuleState[] | null = null
  for (const { index, rule } of rules) {
    if (rule.role === 'behaviour') continue
    const before = states[index] ?? rule.start
    // A forfeit moves floors as a payout does. Goals that count from the last payout go on.
    const paid =
      observation.kind === 'payout' && (rule.role === 'limit' || !observation.forfeited)
        ? rule.pay(before, account, observation.amount, payouts?.terms.floor ?? 'stays')
        : before
    const after = rule.observe(paid, account, observed, traded)
    if (after === before) continue
    changed ??= [...states]
    changed[index] = after
  }
  return changed ?? states
}

/** A funded stage never passes. */
function passedBy(rules: Rules, lines: Lines, { balance, equity }: Values, observation: number): Ended | null {
  if (!rules.passes) return null
  const goals = lines.rules.filter((_, index) => rules.rules[index]?.rule.role === 'goal')
  const isPassed = goals.length > 0 && goals.every(({ state }) => state === 'met' || state === 'not-applicable')
  return isPassed ? { status: 'passed', ...lines, values: { balance, equity }, cause: null, observation } : null
}

function breached(
  { decided }: Rules,
  lines: Lines,
  { rule, kind, floor, measured, trade }: FoundCause,
  { balance, equity }: Values,
  moment: Pick<Cause, 'at' | 'observation' | 'isDayEnd' | 'hitTrades'>,
): Ended {
  return {
    status: 'breached',
    ...lines,
    values: { balance, equity },
    cause: { rule, kind, floor: floor && recordedFloor(decided, floor), measured, trade: trade && trade.id, ...moment },
    observation: moment.observation,
  }
}

function hitTradesOf(
  { rules }: Rules,
  states: readonly RuleState[],
  { trades }: KnownTrades,
  { rule: index, trade }: FoundCause,
): readonly number[] | null {
  const rule = rules[index]?.rule
  if (!trade || rule?.role !== 'behaviour') return null
  const { hit } = rule.hitsOf(states[index] ?? rule.start)
  const others = itemsOf(trades).filter((one) => one.index !== trade.index && hasBit(hit, one.index))
  return [...others, trade].map(({ observation }) => observation)
}

/** The floor that the cause of a breach names: as shown, since the version in which it never contradicts a state. */
export function recordedFloor({ roundsFloorsUp }: DecisionRules, floor: Floor): number {
  return roundsFloorsUp ? up(floor.exact) : shownFloor(floor)
}

/** The account after an observation of reported values. */
function accountAfter(account: Account, observation: Observation): Account {
  switch (observation.kind) {
    case 'clock':
      return account
    case 'transfer':
      return moved(account, observation.amount)
    case 'payout': {
      if (observation.forfeited) return moved(account, -observation.amount)
      const { balance, equity, ...rest } = moved(account, -observation.amount)
      const { ms, ns } = observation.at
      const values = { balance, equity }
      return {
        ...rest,
        ...values,
        cycle: {
          ...{ startedOn: account.today, startedAt: { ms, ns }, base: balance, dayStart: values },
          ...nothingExcluded,
        },
      }
    }
    case 'trade': {
      const balance = account.balance + observation.profit
      // "Equity is then the balance, unless the last state said `open: true`."
      return withValues(account, { balance, equity: account.open ? account.equity : balance }, account.open)
    }
    case 'day':
      return {
        // "Something is open after it where equity is not the balance."
        ...withValues(account, observation, observation.equity !== observation.balance),
        dayHighEquity: Math.max(account.dayHighEquity, observation.highestEquity, observation.equity),
      }
    case 'state':
      return withValues(account, observation, observation.open)
  }
}

/** Written out rather than spread: this runs for nearly every observation. */
function withValues(account: Account, { balance, equity }: Values, open: boolean): Account {
  return {
    size: account.size,
    balance,
    equity,
    open,
    openedOn: account.openedOn,
    today: account.today,
    base: account.base,
    dayStart: account.dayStart,
    dayHighEquity: Math.max(account.dayHighEquity, equity),
    excluded: account.excluded,
    excludedToday: account.excludedToday,
    cycle: account.cycle,
  }
}

/** "A payout or a transfer is no loss of the day: it moves the day's start and high by its amount." */
function moved(account: Account, amount: number): Account {
  const move = ({ balance, equity }: Values): Values => ({ balance: balance + amount, equity: equity + amount })
  const { cycle } = account
  return {
    ...account,
    ...move(account),
    base: account.base + amount,
    dayStart: move(account.dayStart),
    dayHighEquity: account.dayHighEquity + amount,
    cycle: { ...cycle, base: cycle.base + amount, dayStart: move(cycle.dayStart) },
  }
}

/** Who would receive what of a payout, as things stand; null in a stage that is not funded. */
export function sharesAt(rules: Rules, state: State, gross: number): Shares | null {
  return state.account && sharesFor(rules, state, state.account, gross)
}

function sharesFor(rules: Rules, { rules: states, paid }: State, account: Account, gross: number): Shares | null {
  if (!rules.payouts) return null
  const profit = profitFor(account, paid, effectsOf(rules, states, account).excluded)
  return sharesOf(rules.payouts.terms, paid, profit, gross)
}

function paidAfter(rules: Rules, state: State, account: Account, observation: Observation): PaidOut {
  const { paid } = state
  switch (observation.kind) {
    case 'payout': {
      // "It starts no waiting time, counts for no split or cap." (cases.md)
      if (observation.forfeited) return { ...paid, total: paid.total + observation.amount }
      const kept = sharesFor(rules, state, account, observation.amount)?.kept ?? 0
      return {
        ...paid,
        payouts: paid.payouts + 1,
        total: paid.total + observation.amount,
        lastOn: account.today,
        kept: paid.kept + kept,
      }
    }
    case 'trade':
      return paid.firstTradeOn === null ? { ...paid, firstTradeOn: account.today } : paid
    case 'day':
      return paid.firstTradeOn === null && observation.trades > 0 ? { ...paid, firstTradeOn: account.today } : paid
    case 'clock':
    case 'transfer':
    case 'state':
      return paid
  }
}

/** The values that the observation shows; null where time only passes. */
function observedOf(observation: Observation, { balance, equity }: Values): Observed | null {
  switch (observation.kind) {
    case 'clock':
      return null
    case 'transfer':
    case 'payout':
    case 'trade':
      return { balance, equity, lowestEquity: equity, highestEquity: equity }
    case 'day':
      return observation
    case 'state':
      return {
        balance: observation.balance,
        equity: observation.equity,
        lowestEquity: observation.equity,
        highestEquity: observation.equity,
      }
  }
}

function tradedIn(
  days: TradingDays,
  observation: Observation,
  trade: KnownTrade | null = null,
  left: Exact | null = null,
): Traded | null {
  switch (observation.kind) {
    case 'trade': {
      // "The trade then counts as opened on the day of its close." (rules.md)
      const { ms, ns } = observation.openedAt ?? observation.at
      const { profit } = observation
      return { openedAt: { ms, ns, day: days.dayOf(ms) }, profit, trade, left: left ?? exactly(profit) }
    }
    case 'day':
      return observation.trades > 0 ? { openedAt: null, profit: null, trade: null, left: nothing } : null
    case 'clock':
    case 'transfer':
    case 'payout':
    case 'state':
      return null
  }
}

/**
 * The rules whose hits with a consequence an observation showed, by their indexes, each with the trade that it
 * names: "the observed one if it is among the trades then hit, else the first of them" (behaviour.md).
 */
type Hits = ReadonlyMap<number, KnownTrade>
const noHits: Hits = new Map()

const nothingExcluded = { excluded: nothing, excludedToday: nothing }

interface JudgedObservation {
  readonly account: Account
  readonly rules: readonly RuleState[]
  readonly known: KnownTrades
  readonly traded: Traded | null
  readonly hits: Hits
}

/** "Each trade is judged when it is observed, that is when it closes." (behaviour.md) */
function judgedBy(all: Rules, state: State, account: Account, observation: Observation): JudgedObservation {
  const { known } = state
  switch (observation.kind) {
    case 'trade':
      return judgedTrade(all, state, account, observation)
    case 'day': {
      // "Where a reported `day` row says more `trades` than were observed so far with a close on its date."
      const missed = observation.trades - known.closedToday
      const rules =
        missed > 0 ? all.rules.map(({ rule, index }) => missedBy(rule, state.rules[index], missed)) : state.rules
      return { account, rules, known, traded: tradedIn(all.days, observation), hits: noHits }
    }
    case 'payout':
      return {
        account,
        rules: state.rules,
        known: observation.forfeited ? known : { ...known, paidAt: state.observations },
        traded: null,
        hits: noHits,
      }
    case 'clock':
    case 'transfer':
    case 'state':
      return { account, rules: state.rules, known, traded: null, hits: noHits }
  }
}

function missedBy(rule: AnyRule, state: RuleState = rule.start, trades: number): RuleState {
  return rule.role === 'behaviour' ? rule.miss(state, trades) : state
}

function judgedTrade(all: Rules, state: State, before: Account, observed: Trade): JudgedObservation {
  const { known, observations } = state
  // Written out rather than spread: this runs for every trade.
  const trade: KnownTrade = {
    index: sizeOf(known.trades),
    id: observed.id,
    profit: observed.profit,
    volume: observed.volume,
    openedAt: observed.openedAt && openedTooLate(observed) === null ? instantOf(observed.openedAt) : null,
    closedAt: instantOf(observed.at),
    symbol: observed.symbol ?? null,
    side: observed.side ?? null,
    day: before.today,
    observation: observations,
  }
  const since = closedSince(known.trades, trade)
  const rules: RuleState[] = []
  const hits = new Map<number, KnownTrade>()
  const touched = new Map<number, KnownTrade>()
  for (const { index, rule } of all.rules) {
    const ruleState = state.rules[index] ?? rule.start
    if (rule.role !== 'behaviour') {
      rules.push(ruleState)
      continue
    }
    const found = rule.judge(ruleState, trade, since, known.paidAt)
    rules.push(found.state)
    const [first] = found.trades
    if (first) hits.set(index, found.trades.includes(trade) ? trade : first)
    for (const one of found.excluded) touched.set(one.index, one)
  }
  let account = before
  let left = exactly(trade.profit)
  for (const one of touched.values()) {
    // "Of several rules that exclude the same trade, the one that excludes most decides."
    const earlier = one.index === trade.index ? nothing : mostExcluded(all, state.rules, one)
    const more = minus(mostExcluded(all, rules, one), earlier)
    if (isNothing(more)) continue
    account = withExcluded(account, one, more)
    if (one.index === trade.index) left = minus(left, more)
    else excludeFrom(all, rules, account, { trade: one, left: minus(exactly(one.profit), earlier), more })
  }
  const { closedToday, paidAt } = known
  return {
    account,
    rules,
    known: { trades: appendedTo(known.trades, trade), closedToday: closedToday + 1, paidAt },
    traded: tradedIn(all.days, observed, trade, left),
    hits,
  }
}

function instantOf({ ms, ns }: { readonly ms: number; readonly ns: number }) {
  return { ms, ns }
}

/** The trades that closed at or after the opening of one, in their order. */
function closedSince(trades: Log<KnownTrade>, { openedAt }: KnownTrade): readonly KnownTrade[] {
  if (!openedAt) return []
  const since: KnownTrade[] = []
  for (let index = sizeOf(trades) - 1; index >= 0; index--) {
    const one = itemAt(trades, index)
    if (!one || compareInstants(one.closedAt, openedAt) < 0) break
    since.push(one)
  }
  return since.reverse()
}

function mostExcluded({ rules }: Rules, states: readonly RuleState[], trade: KnownTrade): Exact {
  let excluded = nothing
  for (const { index, rule } of rules)
    if (rule.role === 'behaviour') excluded = most(excluded, rule.excludedOf(states[index] ?? rule.start, trade))
  return excluded
}

/** "It is excluded on the day on which the trade was observed." */
function withExcluded(account: Account, { day }: KnownTrade, more: Exact): Account {
  const { excluded, excludedToday, cycle } = account
  const isToday = day === account.today
  return {
    ...account,
    excluded: plus(excluded, more),
    excludedToday: isToday ? plus(excludedToday, more) : excludedToday,
    cycle: {
      ...cycle,
      excluded: plus(cycle.excluded, more),
      excludedToday: isToday ? plus(cycle.excludedToday, more) : cycle.excludedToday,
    },
  }
}

function excludeFrom({ rules }: Rules, states: RuleState[], account: Account, exclusion: Exclusion): void {
  for (const { index, rule } of rules)
    if (rule.role === 'goal' && rule.exclude)
      states[index] = rule.exclude(states[index] ?? rule.start, account, exclusion)
}

interface FoundCause extends Fall {
  readonly rule: number
  readonly kind: string
  readonly trade: KnownTrade | null
}

/** "Floors are checked when a value is observed." */
function findings(
  all: Rules,
  ruleStates: readonly RuleState[],
  holding: readonly Held[],
  account: Account,
  observed: Observed | null,
  quality: 'reported' | 'suspected' | 'dismissed',
  hits: Hits = noHits,
): { readonly states: readonly LimitState[]; readonly cause: FoundCause | null } {
  const states: LimitState[] = []
  let cause: FoundCause | null = null
  for (const { index, kind, rule } of all.rules) {
    const held = holding[index] ?? 'kept'
    if (rule.role === 'behaviour') {
      const hit = hits.get(index)
      const passed = hit !== undefined ? stateAfter(rule.consequence) : held
      const shown = quality === 'dismissed' && passed === 'breached' ? 'warned' : passed
      states.push(held === 'paused' ? held : shown)
      if (hit !== undefined && rule.consequence === 'breach')
        cause ??= { rule: index, kind, floor: null, measured: null, trade: hit }
      continue
    }
    const found =
      observed && rule.role === 'limit' ? rule.check(ruleStates[index] ?? rule.start, account, observed) : null
    if (rule.role === 'goal' || !found) {
      states.push(held)
    } else if (found === 'undetermined') {
      states.push(held === 'paused' ? held : 'undetermined')
    } else {
      const passed = quality === 'suspected' ? 'suspected' : stateAfter(rule.consequence)
      const shown = quality === 'dismissed' && passed === 'breached' ? 'warned' : passed
      states.push(held === 'paused' ? held : shown)
      if (rule.consequence === 'breach') cause = higherOf(all, cause, index, kind, found)
    }
  }
  return { states, cause }
}

/** "The highest is the cause (compared as shown, of equals the first rule)." (rules.md) */
function higherOf(
  { decided }: Rules,
  cause: FoundCause | null,
  rule: number,
  kind: string,
  { floor, measured }: Fall,
): FoundCause {
  const isAbove = (one: Floor, other: Floor): boolean =>
    decided.roundsFloorsUp ? compare(one.exact, other.exact) > 0 : shownFloor(one) > shownFloor(other)
  const isHigher = !cause || (floor && (!cause.floor || isAbove(floor, cause.floor)))
  return isHigher ? { rule, kind, floor, measured, trade: null } : cause
}

/** The rules of a line. */
export interface Lines {
  readonly rules: readonly RuleLine[]
  readonly nearest: string | null
}

function ruleLines(
  rules: Rules,
  states: readonly (RuleState | undefined)[],
  account: Account,
  values: Values,
  found: readonly LimitState[],
): Lines {
  const effects = effectsOf(rules, states, account)
  const lines: RuleLine[] = []
  let nearest: string | null = null
  let leastRoom = Infinity
  for (const { index, kind, rule } of rules.rules) {
    const ruleState = states[index] ?? rule.start
    if (rule.role === 'goal') {
      const figures = rule.show(ruleState, account, effects)
      lines.push({ kind, figures, state: figures.state })
      continue
    }
    if (rule.role === 'behaviour') {
      const state = found[index] ?? 'kept'
      const shown = state === 'kept' && rule.isUndetermined(ruleState) ? 'undetermined' : state
      lines.push({ kind, figures: rule.show(ruleState), state: shown })
      continue
    }
    const figures = rule.show(ruleState, account, values)
    lines.push({ kind, figures, state: found[index] ?? 'kept' })
    // "`nearest`: the limit with the least room, compared as shown, of equals the first."
    if (figures.room !== undefined && figures.room < leastRoom) {
      nearest = kind
      leastRoom = figures.room
    }
  }
  return { rules: lines, nearest }
}

/** Returns the effect of all goals together on the profit that counts. */
function effectsOf({ rules }: Rules, states: readonly (RuleState | undefined)[], account: Account): Effects {
  let effects: Effects = { needed: 0, excluded: account.excluded }
  for (const { index, rule } of rules) {
    if (rule.role !== 'goal' || !rule.effect) continue
    const { needed, excluded } = rule.effect(states[index] ?? rule.start, account)
    effects = {
      needed: needed > effects.needed ? needed : effects.needed,
      excluded: plus(effects.excluded, excluded),
    }
  }
  return effects
}

function lineFrom(
  rules: Rules,
  state: State,
  observation: Observation,
  account: Account,
  { balance, equity }: Values,
  lines: Lines,
): Line {
  return {
    at: observation.at.text,
    day: account.today,
    balance,
    equity,
    status: state.ended?.status ?? (state.held.includes('paused') ? 'paused' : 'in-progress'),
    rules: lines.rules,
    nearest: lines.nearest,
    cause: state.ended?.cause ?? null,
    payout: rules.payouts && payoutOf(rules, rules.payouts, state, account, lines),
  }
}

/** "A funded stage never passes: each of its goals is a condition of the next payout." */
function payoutOf(rules: Rules, payouts: Payouts, state: State, account: Account, lines: Lines): PayoutFigures {
  const floors: PayoutFloor[] = []
  const openGoals: string[] = []
  for (const { index, kind, rule } of rules.rules) {
    if (rule.role === 'goal') {
      if (lines.rules[index]?.state === 'open') openGoals.push(kind)
      continue
    }
    if (rule.role === 'behaviour') continue
    const floor = rule.payoutFloor(state.rules[index] ?? rule.start, account, payouts.terms.floor)
    if (floor) floors.push(floor)
  }
  return payoutFigures(payouts, {
    account,
    paid: state.paid,
    profit: profitFor(account, state.paid, effectsOf(rules, state.rules, account).excluded),
    floors,
    openGoals,
    isBreached: state.ended?.status === 'breached',
  })
}

/** An instant as text, without needless zeros. */
function instantText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}
