import { calendarOf, publication } from '#services/rules/calendar.ts'
import { evaluate, type Rules, rulesOf, startOf, type State } from '#services/rules/engine.ts'
import { observation, type Observation, orderedUnique } from '#services/rules/observation.ts'
import type { PayoutTerms } from '#services/rules/payouts.ts'
import { printed, type PrintedLine } from '#services/rules/printed-line.ts'
import { programme, rule as ruleTerms, type RuleTerms } from '#services/rules/programme.ts'
import type { TradingDays } from '#services/rules/trading-day.ts'

/** Rules in tests: each has a common form, of which a test changes what it is about. */

type Of<Kind extends RuleTerms['kind']> = Extract<RuleTerms, { kind: Kind }>
type Change<Kind extends RuleTerms['kind']> = Partial<Omit<Of<Kind>, 'kind'>>

export const fixed = (amount: string) => ({ amount })
export const percent = (text: string) => ({ percent: text, of: 'account-size' as const })

/** Static, of equity, breached at the floor. */
export const maximumLoss = (change: Change<'maximum-loss'> = {}): RuleTerms => ({
  kind: 'maximum-loss',
  limit: percent('10'),
  follows: null,
  locksAbove: null,
  measures: 'equity',
  checked: 'every-change',
  touch: 'breach',
  consequence: 'breach',
  ...change,
})
export const dailyLoss = (change: Change<'daily-loss'> = {}): RuleTerms => ({
  kind: 'daily-loss',
  limit: percent('5'),
  from: 'day-start-balance',
  measures: 'equity',
  checked: 'every-change',
  touch: 'breach',
  consequence: 'breach',
  ...change,
})
export const profitTarget = (change: Change<'profit-target'> = {}): RuleTerms => ({
  kind: 'profit-target',
  target: percent('8'),
  measures: 'balance',
  whileOpen: true,
  ...change,
})
export const minimumDays = (change: Change<'minimum-days'> = {}): RuleTerms => ({
  kind: 'minimum-days',
  days: 3,
  counts: { what: 'calendar' },
  since: 'stage',
  ...change,
})
export const maximumDays = (change: Change<'maximum-days'> = {}): RuleTerms => ({
  kind: 'maximum-days',
  days: 3,
  counts: 'calendar',
  consequence: 'breach',
  ...change,
})
export const inactivity = (change: Change<'inactivity'> = {}): RuleTerms => ({
  kind: 'inactivity',
  days: 3,
  consequence: 'breach',
  ...change,
})
export const consistency = (change: Change<'consistency'> = {}): RuleTerms => ({
  kind: 'consistency',
  share: '50',
  unit: 'day',
  profit: 'net',
  since: 'stage',
  effect: 'withholds',
  ...change,
})

/** Nothing is held back. */
export const payouts = (change: Partial<PayoutTerms> = {}): PayoutTerms => ({
  takes: 'request',
  split: '80',
  splitAfter: [],
  firstAfterDays: 0,
  firstCountsFrom: 'stage',
  everyDays: 0,
  minimum: fixed('0.00'),
  minimumOf: 'share',
  cap: null,
  capFor: null,
  buffer: fixed('0.00'),
  mostOfProfit: '100',
  floor: 'stays',
  ...change,
})

/** A rule of any kind, as it is written. Hits of one that judges single trades warn. */
export const rule = (written: Written): RuleTerms => {
  const common = written['kind'] === 'short-trades' ? { effect: 'withholds' } : { tolerated: 0, consequence: 'warning' }
  return ruleTerms.parse({ ...common, ...written })
}

export interface Stage {
  readonly rules: readonly RuleTerms[]
  readonly payouts?: PayoutTerms
  readonly size?: string
  readonly zone?: string
  readonly startsAt?: string
  readonly instruments?: Readonly<Record<string, readonly string[]>>
  /** Publications, as they are written. */
  readonly calendar?: readonly Written[]
}

export function rulesOfStage({
  rules,
  payouts: terms,
  size = '100000.00',
  zone = 'UTC',
  startsAt = '00:00',
  instruments,
  calendar = [],
}: Stage): Rules {
  const stage = { name: 'Stage', rules, ...(terms ? { funded: true, payouts: terms } : { funded: false }) }
  const day = { zone, startsAt }
  const compiled = rulesOf(
    programme.parse({
      ...{ name: 'Test', currency: 'USD', accountSize: size, day, breaches: 'proposed', stages: [stage] },
      ...(instruments && { instruments }),
    }),
    0,
    undefined,
    calendarOf(calendar.map((one) => publication.parse(one))),
  )
  const days = knownDays.get(`${zone} ${startsAt}`) ?? compiled.days
  knownDays.set(`${zone} ${startsAt}`, days)
  return { ...compiled, days }
}

/** Computing when days start takes most of the time of a property: its runs share what is known of a zone. */
const knownDays = new Map<string, TradingDays>()

/** An observation as it is written. */
export type Written = Readonly<Record<string, unknown>>

/** `on(2, '09:30')` is 2026-11-02T09:30:00Z. Days after the 30th are in the months after. */
export function on(day: number, time = '12:00'): string {
  const date = new Date(Date.UTC(2026, 10, day)).toISOString().slice(0, 10)
  return `${date}T${time}:00Z`
}

export const state = (at: string, balance: string, equity = balance, more: Written = {}): Written => ({
  at,
  kind: 'state',
  balance,
  equity,
  open: balance !== equity,
  ...more,
})
export const trade = (at: string, profit: string, more: Written = {}): Written => ({
  at,
  kind: 'trade',
  id: `T ${at} ${profit}`,
  openedAt: at,
  profit,
  volume: '1.00',
  ...more,
})
export const payout = (at: string, amount: string): Written => ({ at, kind: 'payout', amount })
export const transfer = (at: string, amount: string): Written => ({ at, kind: 'transfer', amount, why: 'correction' })
export const clock = (at: string): Written => ({ at, kind: 'clock' })
/** A whole day, which ends at its close. */
export const wholeDay = (
  at: string,
  lowestEquity: string,
  highestEquity: string,
  close: string,
  more: Written = {},
): Written => ({
  at,
  kind: 'day',
  date: at.slice(0, 10),
  balance: close,
  equity: close,
  lowestEquity,
  highestEquity,
  trades: 1,
  ...more,
})

export const parsed = (written: readonly Written[]): Observation[] =>
  orderedUnique(written.map((one) => observation.parse(one)))

/** What is printed for these observations. */
export function linesOf(stage: Stage, ...written: readonly Written[]): PrintedLine[] {
  return run(rulesOfStage(stage), parsed(written)).lines
}

export function run(rules: Rules, observations: readonly Observation[], start: State = startOf(rules)) {
  let current = start
  const lines = observations.map((one) => {
    const { state: next, line } = evaluate(rules, current, one)
    current = next
    return printed(line)
  })
  return { lines, state: current }
}

/** The last line, which a test is mostly about. */
export function lastOf(stage: Stage, ...written: readonly Written[]): PrintedLine {
  const line = linesOf(stage, ...written).at(-1)
  if (!line) throw new RangeError('A test needs an observation')
  return line
}

export const followsEquity = { follows: { value: 'equity', at: 'every-change' } } as const
export const followsBalance = { follows: { value: 'balance', at: 'every-change' } } as const
export const followsClose = { follows: { value: 'balance', at: 'day-close' } } as const

/** What a line shows of a rule. */
export const figures = (line: PrintedLine, index = 0) => line.rules[index]
/** The floors of the first rule, line by line. */
export const floors = (lines: readonly PrintedLine[]) => lines.map(({ rules }) => rules[0]?.floor)
/** The states of a rule, line by line. */
export const states = (lines: readonly PrintedLine[], index = 0) => lines.map(({ rules }) => rules[index]?.state)
export const statuses = (lines: readonly PrintedLine[]) => lines.map(({ status }) => status)
