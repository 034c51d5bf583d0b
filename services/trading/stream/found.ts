import type { Stage } from './stage.ts'
import { type Hit, rulesOfStage, stageWithoutOlderRows } from './stage.ts'
import { dismissedOf, type SeenRow } from './stage-timeline.ts'
import { stageTermsOf } from './programme-stage.ts'
import { type Cents, centsOf, toCents } from '#services/rules/money.ts'
import { type Ending, evaluate, type Line, recordedFloor, startOf } from '#services/rules/engine.ts'
import { judgesTrades, type RuleTerms } from '#services/rules/programme.ts'
import type { FindingKind } from './finding-vocabulary.ts'

/** A breach or a pass that the engine finds in the observations of an account. */
export interface Found {
  readonly kind: FindingKind
  readonly rule: { readonly index: number; readonly kind: string }
  /** The target, for a pass. */
  readonly floor: Cents | null
  readonly measured: Cents | null
  readonly hit: Hit
}

/** What the rules find now. */
export interface FoundNow extends Found {
  /** The rows of the hit trades, that of the cause last, of a rule that judges single trades; null for others. */
  readonly hitTrades: readonly number[] | null
}

/**
 * Returns the breaches and passes that staff dismissed, and last the one that ends the stage. No other verdict follows.
 */
export function foundIn(stage: Stage): readonly FoundNow[] {
  const { ended, dismissed } = stage.timeline.engine
  return [...dismissed, ...(ended ? [ended] : [])].map((ending) => foundBy(stage, ending))
}

/** Returns the breach or pass that ends the stage; null where none does. */
export function endingOf(stage: Stage): FoundNow | null {
  const { ended } = stage.timeline.engine
  return ended && foundBy(stage, ended)
}

/**
 * Whether the rules find it only because of rows that are older than the stage: staff may record these, but a program's
 * key that sends one must not breach an account which is new.
 */
export function restsOnOlderRows(stage: Stage, { kind, hit }: Found): boolean {
  const without = stageWithoutOlderRows(stage)
  if (without === stage) return false
  const found = endingOf(without)
  return !found || found.kind !== kind || !isSameHit(found.hit, hit)
}

function foundBy(stage: Stage, ending: Ending): FoundNow {
  const { cause } = ending
  const hit = hitOf(stage, ending)
  if (!cause) return { kind: 'pass', ...goalOf(stage, ending), hit, hitTrades: null }
  const { rule: index, kind, floor, measured, hitTrades } = cause
  return { kind: 'breach', rule: { index, kind }, floor: amountOf(floor), measured: amountOf(measured), hit, hitTrades }
}

function amountOf(value: number | null): Cents | null {
  return value === null ? null : toCents(value)
}

function hitOf({ timeline }: Stage, { cause, observation }: Ending): Hit {
  if (cause?.isDayEnd) return { source: null, at: Date.parse(cause.at) }
  const row = timeline.rows.get(observation)
  if (!row) throw new RangeError(`There is no row ${observation}`)
  return { source: row.source, at: row.observation.at.ms }
}

const goals: readonly string[] = ['profit-target', 'minimum-days', 'consistency', 'short-trades']

/** A pass is shown with its target, where the stage has one. */
function goalOf(stage: Stage, { rules, values }: Ending): Pick<Found, 'rule' | 'floor' | 'measured'> {
  const target = rules.findIndex(({ kind }) => kind === 'profit-target')
  const index = target === -1 ? rules.findIndex(({ kind }) => goals.includes(kind)) : target
  const terms = stageTermsOf(stage.terms, stage.index).rules[index]
  const level = rules[index]?.figures.target
  const measured = terms?.kind === 'profit-target' && terms.measures === 'equity' ? values.equity : values.balance
  return {
    rule: { index, kind: rules[index]?.kind ?? '' },
    floor: level === undefined ? null : centsOf(level),
    measured: level === undefined ? null : toCents(measured),
  }
}

/** Whether two are found at the same place. */
export function isSameHit(one: Hit, other: Hit): boolean {
  return one.source === null ? other.source === null && one.at === other.at : one.source === other.source
}

/**
 * The numbers of the observations that prove a finding: what was measured, and what set the floor before; of a rule that
 * judges single trades all hit trades, and the one at which the hit was found. The trade that is the cause is the last.
 */
export function evidenceOf(stage: Stage, { rule: { index }, hit, hitTrades }: FoundNow): readonly number[] {
  if (hitTrades) {
    const sources = hitTrades.map((row) => stage.timeline.rows.get(row)?.source)
    const proving = sources.includes(hit.source) ? sources : sources.toSpliced(-1, 0, hit.source)
    return proving.filter((source) => typeof source === 'number')
  }
  let [day, floor]: [number | null, string] = [null, '']
  let [last, setBy]: [SeenRow['source'], SeenRow['source']] = [null, null]
  for (const { row, line } of linesUpTo(stage, hit)) {
    const exact = line.rules[index]?.figures.floor?.exact
    const text = exact ? `${exact.cents} ${exact.rest}` : ''
    // The end of a day sets a floor by the value before it.
    if (text !== floor) setBy = day !== null && line.day !== day ? last : row.source
    day = line.day
    floor = text
    last = row.source
  }
  return [...new Set([setBy, last])].filter((source) => typeof source === 'number')
}

/** The rows of a stage up to a hit, each with what holds after it. */
export function* linesUpTo(stage: Stage, hit: Hit): Generator<{ readonly row: SeenRow; readonly line: Line }> {
  const rules = rulesOfStage(stage)
  let state = startOf(rules)
  for (const row of stage.timeline.rows) {
    const isDayEnd = hit.source === null && row.observation.at.ms >= hit.at
    if (isDayEnd) return
    const next = evaluate(rules, state, row.observation, dismissedOf(row, stage.dismissed))
    yield { row, line: next.line }
    state = next.state
    if (hit.source !== null && row.source === hit.source) return
  }
}

/** Where a rule stood at a hit, in cents; null where nothing was observed there, or the stage has no such rule. */
export interface FiguresThere {
  /** The floor of a limit, the target of a goal; null where it has none. */
  readonly level: number | null
  readonly balance: number
  readonly equity: number
}

/** Returns what the rules give at a hit, where the record says something else. */
export function figuresAt(stage: Stage, { rule, hit }: Pick<Found, 'rule' | 'hit'>): FiguresThere | null {
  let there: FiguresThere | null = null
  for (const { row, line } of linesUpTo(stage, hit)) {
    const figures = line.rules[rule.index]?.figures
    if (!figures || (hit.source !== null && row.source !== hit.source)) continue
    const level = figures.floor
      ? recordedFloor(rulesOfStage(stage).decided, figures.floor)
      : figures.target === undefined
        ? null
        : centsOf(figures.target)
    there = { level, balance: line.balance, equity: line.equity }
  }
  return there
}

/** When time alone decides something next, if nothing more is observed, in ms since 1970; null for never. */
export function timeDecidesAt(stage: Stage): number | null {
  const rules = rulesOfStage(stage)
  const { engine } = stage.timeline
  const { account } = engine
  const horizon = Math.max(0, ...stageTermsOf(stage.terms, stage.index).rules.map(daysOfTime))
  if (!account || engine.ended || horizon === 0) return null
  const startOfDay = (day: number) => rules.days.startOf(account.today + day)
  const isEndedBy = (day: number): boolean => {
    const at = new Date(startOfDay(day))
    const clock = { kind: 'clock', at: { text: at.toISOString(), ms: at.getTime(), ns: 0 } } as const
    const row = { source: null, observation: clock }
    return evaluate(rules, engine, clock, dismissedOf(row, stage.dismissed)).state.ended !== null
  }
  if (!isEndedBy(horizon)) return null
  let [low, high] = [1, horizon]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isEndedBy(middle)) high = middle
    else low = middle + 1
  }
  return startOfDay(low)
}

/** After how many days without an observation a rule has decided all that time alone makes it decide. */
function daysOfTime(rule: RuleTerms): number {
  if (judgesTrades(rule) || ('consequence' in rule && rule.consequence !== 'breach')) return 0
  switch (rule.kind) {
    case 'maximum-loss':
    case 'daily-loss':
      return rule.checked === 'day-close' ? 2 : 0
    case 'maximum-days':
    case 'inactivity':
      return rule.days + 1
    case 'minimum-days':
      return rule.counts.what === 'calendar' ? rule.days + 1 : 0
    case 'profit-target':
    case 'consistency':
    case 'short-trades':
      return 0
  }
}
