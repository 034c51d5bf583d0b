import { type Cents, toCents } from '#services/rules/money.ts'
import { evaluate, evaluateRules, type RuleLine, type Rules, startOf, type State } from '#services/rules/engine.ts'
import type { Observation, Trade } from '#services/rules/observation.ts'
import { judgesTrades, type RuleTerms } from '#services/rules/programme.ts'
import type { Exact } from '#services/rules/exact.ts'
import { newHits } from '#services/rules/hit-trades.ts'
import { type HitOutcome, type HitState, hitStates } from '#services/trading/stream/account-vocabulary.ts'
import { stageTermsOf } from '#services/trading/stream/programme-stage.ts'
import { rulesOfStage, type Stage } from '#services/trading/stream/stage.ts'
import { type DismissedHits, dismissedOf, type SeenRow } from '#services/trading/stream/stage-timeline.ts'
import type { Step } from '#services/trading/stream/trading-results.ts'

/**
 * The trading of an account under a programme, as the rule engine sees it: by the instants of its observations, in the
 * trading days of the programme. Whole cents; times in ms since 1970, days by their numbers.
 */
export interface TradingRecord {
  /** The movements of the balance, in the order of the rules. */
  readonly steps: readonly Step[]
  /** The days with an observation and the days that count, oldest first. */
  readonly days: readonly RecordedDay[]
  /** In the order of the rules. */
  readonly trades: readonly RecordedTrade[]
  /** The proof of each rule's figures; null where no observation moved them. */
  readonly proofs: readonly (FigureProof | null)[]
}

export interface FigureProof {
  /** The number of the event; null where a clock moved them. */
  readonly event: number | null
  /** Since when they are so. */
  readonly at: number
}

export interface RecordedDay {
  readonly day: number
  /** The balance at its end. */
  readonly closing: number
  /** The trading result. */
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

export interface RecordedTrade extends Pick<Trade, 'volume' | 'symbol' | 'side' | 'openPrice' | 'closePrice'> {
  readonly id: string
  /** Null where nobody knows it. */
  readonly openedAt: number | null
  readonly closedAt: number
  readonly result: Cents
  /** After it. */
  readonly balance: Cents
  /** The number of the event that recorded it, or last corrected it. */
  readonly event: number | null
  /** The rules that it hit, each once. */
  readonly hits: readonly RecordedHit[]
}

/** A hit of a rule that judges single trades. */
export interface RecordedHit {
  /** The index of the rule. */
  readonly rule: number
  readonly outcome: HitOutcome
  /** What the rule excludes of the profit of the trade. */
  readonly excluded: Exact
  /** The number of the event that showed it. */
  readonly event: number | null
}

/** The record of a timeline's rows so far. It goes on where the timeline does. */
export interface RecordedRows extends Pick<TradingRecord, 'steps' | 'trades' | 'proofs'> {
  readonly rows: readonly SeenRow[]
  readonly dismissed: DismissedHits
  readonly state: State
  readonly days: ReadonlyMap<number, Omit<RecordedDay, 'counts' | 'hits'>>
  /** The days that counted before a payout after which they are counted anew. */
  readonly counted: readonly number[]
  readonly hits: ReadonlyMap<number, readonly LimitHit[]>
  /** The main figure of each rule. */
  readonly figures: readonly string[]
  /** The number of the last event. */
  readonly last: number | null
}

/**
 * Records the rows of a stage, from where an earlier timeline of it ended, else from the first.
 *
 * @param events Of each row, the number of the event behind it; null for a clock.
 */
export function recordRows(
  stage: Stage,
  events: readonly (number | null)[],
  earlier: RecordedRows | null = null,
): RecordedRows {
  const rows = stage.timeline.rows.toArray()
  const rules = rulesOfStage(stage)
  const goesOn =
    earlier?.dismissed === stage.dismissed &&
    earlier.rows.length > 0 &&
    earlier.rows.every((row, index) => row === rows[index])
  const before = goesOn ? earlier : nothingRecorded(stage, rules, rows)
  const atDayEnd = areFoundAtDayEnd(stage)
  const [steps, trades, proofs] = [[...before.steps], [...before.trades], [...before.proofs]]
  const [days, hits, figures] = [new Map(before.days), new Map(before.hits), [...before.figures]]
  const counted = [...before.counted]
  let { state, last } = before
  const hit = (day: number, lines: readonly RuleLine[], event: number | null, isAtDayEnd: boolean) =>
    lines.forEach(({ state: found }, rule) => {
      if (atDayEnd[rule] === isAtDayEnd) addHit(hits, day, { rule, state: found, event })
    })
  for (let index = before.rows.length; index < rows.length; index += 1) {
    const row = rows[index]
    if (!row) continue
    const { observation } = row
    const event = events[index] ?? null
    const dayEnd = observation.at.ms >= state.dayEnds ? dayEndOf(stage, rules, state) : null
    const next = evaluateRules(rules, state, observation, dismissedOf(row, stage.dismissed))
    const { today } = next.account
    if (dayEnd) hit(dayEnd.day, dayEnd.rules, last, true)
    if (!state.ended) {
      const cause = next.state.ended?.cause
      // Perhaps the end of a later day than that of the row before, on which nothing was observed.
      if (cause?.isDayEnd)
        addHit(hits, rules.days.dayOf(Date.parse(cause.at)) - 1, { rule: cause.rule, state: 'breached', event: last })
      else hit(today, next.lines.rules, event, false)
      next.lines.rules.forEach((rule, at) => {
        const figure = figureOf(rule)
        // A floor that a new day moved rests on the row before it.
        if (figure !== figures[at])
          proofs[at] =
            dayEnd && rule.figures.floor
              ? { event: last, at: rules.days.startOf(today) }
              : { event, at: observation.at.ms }
        figures[at] = figure
      })
    }
    if (observation.kind === 'payout' && !observation.forfeited) counted.push(...countedDays(rules, state))
    if (observation.kind !== 'clock') {
      const step = stepOf(observation, event, state, next.state, rules.size)
      steps.push(step)
      days.set(today, dayAfter(days.get(today), today, step, observation, tradedIn(next.state) - tradedIn(state)))
    }
    if (observation.kind === 'trade') {
      trades.push(tradeOf(observation, event, next.state))
      const isDismissed = dismissedOf(row, stage.dismissed).observation
      for (const { trade, rule, isTolerated, excluded } of newHits(rules, state, next.state)) {
        const known = trades[trade.index]
        const outcome = isTolerated ? 'tolerated' : outcomeOf(rules, rule, isDismissed)
        const others = known?.hits.filter((each) => each.rule !== rule) ?? []
        if (known) trades[trade.index] = { ...known, hits: [...others, { rule, outcome, excluded, event }] }
      }
    }
    state = next.state
    last = event ?? last
  }
  return { rows, dismissed: stage.dismissed, state, steps, trades, proofs, days, counted, hits, figures, last }
}

function outcomeOf({ rules }: Rules, index: number, isDismissed: boolean): HitOutcome {
  const rule = rules[index]?.rule
  const consequence = rule?.role === 'behaviour' ? rule.consequence : 'warning'
  return consequence === 'breach' && isDismissed ? 'dismissed' : consequence
}

function nothingRecorded(stage: Stage, rules: Rules, [first]: readonly SeenRow[]): RecordedRows {
  const at = first?.observation.at
  // The rules before anything is observed.
  const opening = at ? evaluate(rules, startOf(rules), { kind: 'clock', at }).line.rules : []
  return {
    ...{ rows: [], dismissed: stage.dismissed, state: startOf(rules), steps: [], trades: [] },
    ...{ days: new Map(), counted: [], hits: new Map(), figures: opening.map(figureOf), last: null },
    proofs: rules.rules.map(() => null),
  }
}

/** @param now The end of the last day shows once it is over. */
export function tradingRecord(stage: Stage, recorded: RecordedRows, now: number): TradingRecord {
  const rules = rulesOfStage(stage)
  const { steps, trades, proofs, state, days, last } = recorded
  const hits = new Map(recorded.hits)
  const end = now >= state.dayEnds ? dayEndOf(stage, rules, state) : null
  const atDayEnd = areFoundAtDayEnd(stage)
  end?.rules.forEach(({ state: found }, rule) => {
    if (atDayEnd[rule]) addHit(hits, end.day, { rule, state: found, event: last })
  })
  const hasCount = rules.rules.some(({ rule }) => rule.role === 'goal' && rule.countedDays !== null)
  const counted = new Set([...recorded.counted, ...countedDays(rules, state)])
  let closing = rules.size
  const all = [...new Set([...days.keys(), ...counted, ...hits.keys()])].toSorted((one, other) => one - other)
  return {
    ...{ steps, trades, proofs },
    days: all.map((number) => {
      const day = days.get(number) ?? { day: number, closing, result: 0, trades: null, event: null }
      closing = day.closing
      return { ...day, counts: hasCount ? counted.has(number) : null, hits: hits.get(number) ?? [] }
    }),
  }
}

interface DayEnd {
  readonly day: number
  readonly rules: readonly RuleLine[]
}

/** Returns the result of the end of the present day. It is evaluated on its own: a clock there might pass the stage. */
function dayEndOf({ dismissed }: Stage, rules: Rules, state: State): DayEnd | null {
  const { account, dayEnds, ended } = state
  if (!account || ended) return null
  const at = { text: new Date(dayEnds).toISOString(), ms: dayEnds, ns: 0 }
  const row: SeenRow = { source: null, observation: { at, kind: 'clock' } }
  const { lines } = evaluateRules(rules, state, row.observation, dismissedOf(row, dismissed))
  return { day: account.today, rules: lines.rules }
}

/** Returns the trading result: the balance without payouts and transfers. */
function tradedIn({ account }: State): number {
  return account ? account.balance - account.base : 0
}

function stepOf(observation: Observation, event: number | null, before: State, after: State, size: number): Step {
  const { kind, at } = observation
  const isTrading = kind !== 'payout' && kind !== 'transfer'
  const moved = kind !== 'payout' ? 'correction' : observation.forfeited ? 'forfeit' : 'payout'
  const balance = after.account?.balance ?? size
  return {
    at: at.ms,
    number: event ?? 0,
    balance,
    change: isTrading ? tradedIn(after) - tradedIn(before) : balance - (before.account?.balance ?? size),
    kind: isTrading ? 'trade-result' : moved,
    beginsPhase: false,
  }
}

function tradeOf(trade: Trade, event: number | null, after: State): RecordedTrade {
  const { id, volume, symbol, side, openPrice, closePrice, openedAt, at, profit } = trade
  const balance = toCents(after.account?.balance ?? 0)
  return {
    ...{ id, volume, symbol, side, openPrice, closePrice },
    ...{ openedAt: openedAt?.ms ?? null, closedAt: at.ms, result: toCents(profit), balance, event, hits: [] },
  }
}

type DayBefore = Omit<RecordedDay, 'counts' | 'hits'> | undefined

function dayAfter(before: DayBefore, day: number, { balance, number }: Step, observation: Observation, traded: number) {
  return {
    day,
    closing: balance,
    result: (before?.result ?? 0) + traded,
    trades: tradesAfter(before?.trades ?? null, observation),
    event: number || null,
  }
}

function tradesAfter(trades: number | null, observation: Observation): number | null {
  switch (observation.kind) {
    case 'trade':
      return (trades ?? 0) + 1
    case 'day':
      return (trades ?? 0) + observation.trades
    case 'clock':
    case 'transfer':
    case 'payout':
    case 'state':
      return trades
  }
}

/** The days that count now for a rule that counts days. */
function countedDays({ rules }: Rules, { account, rules: states }: State): number[] {
  if (!account) return []
  return rules.flatMap(({ index, rule }) =>
    rule.role === 'goal' && rule.countedDays ? rule.countedDays(states[index] ?? rule.start, account) : [],
  )
}

/** Keeps the gravest of several hits of a rule on a day; of equal ones, the first. */
function addHit(
  hits: Map<number, readonly LimitHit[]>,
  day: number,
  { rule, state, event }: Omit<LimitHit, 'state'> & Pick<RuleLine, 'state'>,
): void {
  const graveness = hitStates.findIndex((hit) => hit === state)
  const found = hitStates[graveness]
  if (!found) return
  const others = hits.get(day) ?? []
  const same = others.find((hit) => hit.rule === rule)
  if (same && hitStates.indexOf(same.state) <= graveness) return
  hits.set(day, [...others.filter((hit) => hit !== same), { rule, state: found, event }])
}

/** Says for each rule whether it is evaluated when a day ends; that result shows until the next day ends. */
function areFoundAtDayEnd({ terms, index }: Stage): readonly boolean[] {
  return stageTermsOf(terms, index).rules.map(isFoundAtDayEnd)
}

function isFoundAtDayEnd(terms: RuleTerms): boolean {
  if (judgesTrades(terms)) return false
  switch (terms.kind) {
    case 'maximum-loss':
    case 'daily-loss':
      return terms.checked === 'day-close'
    case 'maximum-days':
    case 'inactivity':
      return true
    case 'profit-target':
    case 'minimum-days':
    case 'consistency':
    case 'short-trades':
      return false
  }
}

/** Returns the main figure of a rule, as a text that changes with it. */
function figureOf({ figures }: RuleLine): string {
  const { floor, missing, best, share, days, hits, tolerated, excluded } = figures
  if (hits !== undefined) return `${hits} ${tolerated} ${excluded}`
  return floor ? `${floor.exact.cents} ${floor.exact.rest}` : String(missing ?? best ?? share ?? days)
}
