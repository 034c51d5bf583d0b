import { centsOf } from './money.ts'
import { type DecisionRules, decisionRules } from './decision-version.ts'
import { compare, exactly, plus, up } from './exact.ts'
import { shownFloor } from './floor.ts'
import type { Observation } from './observation.ts'
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
import { compileRule, type Programme } from './programme.ts'
import type {
  Account,
  AnyRule,
  Consequence,
  Effects,
  Fall,
  Floor,
  GoalFigures,
  LimitFigures,
  Observed,
  PayoutFloor,
  RuleState,
  Traded,
  Values,
} from './rule.ts'
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
  /** Once the stage has ended: its last figures. */
  readonly ended: Ended | null
  /** The endings that staff dismissed. */
  readonly dismissed: readonly Ending[]
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
 * @throws {RangeError} when the programme has no such stage.
 */
export function rulesOf({ accountSize, day, stages }: Programme, stageIndex: number, version?: number): Rules {
  const stage = stages[stageIndex]
  if (!stage) throw new RangeError(`The programme has no stage ${stageIndex}`)
  const size = centsOf(accountSize)
  const decided = decisionRules(version)
  return {
    size,
    decided,
    days: tradingDays(day),
    rules: stage.rules.map((terms, index) => ({ index, kind: terms.kind, rule: compileRule(terms, size, decided) })),
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
    cycle: { startedOn: today, startedAt: null, base: size, dayStart: values },
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
  return { ...current, account: values, dayEnds: rules.days.startOf(today + 1) }
}

/** "The value at the start of a day is the last reported one before it, whenever the evaluation happens." */
function startDay({ size, balance, equity, open, openedOn, base, cycle }: Account, today: number): Account {
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
    cycle: { startedOn: cycle.startedOn, startedAt: cycle.startedAt, base: cycle.base, dayStart },
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
    if (rule.role === 'goal') {
      ruleStates.push(rule.endDay(ruleState, account))
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
  return endedBy(closed, breached(rules, lines, cause, account, moment), isDismissed)
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

function stateAfter(consequence: Consequence): LimitState {
  switch (consequence) {
    case 'breach':
      return 'breached'
    case 'pause':
      return 'paused'
    case 'warning':
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
  const account = accountAfter(before, observation)
  const paid = paidAfter(rules, state, before, observation)
  const observations = state.observations + 1
  const observed = observedOf(observation, account)
  const values = observed ?? account
  if (state.ended) {
    const next = { ...state, observations, account, dayEnds, paid }
    return { state: next, account, values, lines: state.ended }
  }
  const ruleStates = observed ? observedBy(rules, state, account, observed, observation) : state.rules
  const quality = isDismissed ? 'dismissed' : 'reported'
  const { states, cause } = findings(rules, ruleStates, state.held, account, observed, quality)
  const held = isDismissed || states.includes('paused') ? heldAfter(state.held, states, isDismissed) : state.held
  const lines = ruleLines(rules, ruleStates, account, account, states)
  // "Breach comes before a target reached in the same observation."
  const moment = { at: observation.at.text, observation: state.observations, isDayEnd: false }
  const ended = cause
    ? breached(rules, lines, cause, account, moment)
    : passedBy(rules, lines, account, state.observations)
  const { dismissed } = state
  const open: State = { observations, account, dayEnds, rules: ruleStates, held, paid, ended: null, dismissed }
  const next = ended ? endedBy(open, ended, isDismissed) : open
  return { state: next, account, values, lines }
}

/** The states of the rules after an observation: the same list where nothing changed. */
function observedBy(
  { rules, days, payouts }: Rules,
  state: State,
  account: Account,
  observed: Observed,
  observation: Observation,
): readonly RuleState[] {
  const traded = tradedIn(days, observation)
  let changed: RuleState[] | null = null
  for (const { index, rule } of rules) {
    const before = state.rules[index] ?? rule.start
    const paid =
      observation.kind === 'payout'
        ? rule.pay(before, account, observation.amount, payouts?.terms.floor ?? 'stays')
        : before
    const after = rule.observe(paid, account, observed, traded)
    if (after === before) continue
    changed ??= [...state.rules]
    changed[index] = after
  }
  return changed ?? state.rules
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
  { rule, kind, floor, measured }: FoundCause,
  { balance, equity }: Values,
  moment: Pick<Cause, 'at' | 'observation' | 'isDayEnd'>,
): Ended {
  return {
    status: 'breached',
    ...lines,
    values: { balance, equity },
    cause: { rule, kind, floor: floor && recordedFloor(decided, floor), measured, ...moment },
    observation: moment.observation,
  }
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
      const { balance, equity, ...rest } = moved(account, -observation.amount)
      const { ms, ns } = observation.at
      const values = { balance, equity }
      return {
        ...rest,
        ...values,
        cycle: { startedOn: account.today, startedAt: { ms, ns }, base: balance, dayStart: values },
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

function tradedIn(days: TradingDays, observation: Observation): Traded | null {
  switch (observation.kind) {
    case 'trade': {
      // "The trade then counts as opened on the day of its close." (rules.md)
      const { ms, ns } = observation.openedAt ?? observation.at
      return { openedAt: { ms, ns, day: days.dayOf(ms) }, profit: observation.profit }
    }
    case 'day':
      return observation.trades > 0 ? { openedAt: null, profit: null } : null
    case 'clock':
    case 'transfer':
    case 'payout':
    case 'state':
      return null
  }
}

interface FoundCause extends Fall {
  readonly rule: number
  readonly kind: string
}

/** "Floors are checked when a value is observed." */
function findings(
  all: Rules,
  ruleStates: readonly RuleState[],
  holding: readonly Held[],
  account: Account,
  observed: Observed | null,
  quality: 'reported' | 'suspected' | 'dismissed',
): { readonly states: readonly LimitState[]; readonly cause: FoundCause | null } {
  const states: LimitState[] = []
  let cause: FoundCause | null = null
  for (const { index, kind, rule } of all.rules) {
    const held = holding[index] ?? 'kept'
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
  return isHigher ? { rule, kind, floor, measured } : cause
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

const noEffects: Effects = { needed: 0, excluded: exactly(0) }

/** Returns the effect of all goals together on the profit that counts. */
function effectsOf({ rules }: Rules, states: readonly (RuleState | undefined)[], account: Account): Effects {
  let effects = noEffects
  for (const { index, rule } of rules) {
    if (rule.role === 'limit' || !rule.effect) continue
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
