import { evaluate, type Line, type RuleLine, type Rules, rulesOf, startOf } from '#services/rules/engine.ts'
import { up } from '#services/rules/exact.ts'
import { shownFloor } from '#services/rules/floor.ts'
import { valueOf } from '#services/rules/amount.ts'
import type { Impact } from '#services/rules/calendar.ts'
import type { Observation } from '#services/rules/observation.ts'
import type { Programme, RuleTerms } from '#services/rules/programme.ts'
import type { BehaviourConsequence } from '#services/rules/rule.ts'
import type { Account } from '#services/rules/rule.ts'
import type { TermInWords } from '#services/rules/terms-in-words.ts'
import { toCents, toDecimal } from '#services/rules/money.ts'
import type { ProgrammeStage } from '#services/trading/stream/programme-stage.ts'
import type { RiskLimits } from '#services/trading/stream/risk-limits.ts'
import { parseLimit, parseTarget, ruleAmountOf } from '#services/trading/stream/limit-text.ts'
import {
  type BalanceChange,
  balanceSteps,
  recordedWith,
  resultOf,
  type Step,
  stepsOfPhase,
} from '#services/trading/stream/trading-results.ts'

/**
 * Where an account without a programme stands: its limits, read from text, as rules of one stage over its balance.
 * Whole cents; times in ms. Nothing here decides: staff set the status, so a limit that is reached only warns.
 */

/** The known state of an account. */
export interface KnownAccount extends RiskLimits {
  readonly profitLoss: number
  readonly isBreached: boolean
  /** The event that last changed each limit. */
  readonly limitEvents: Readonly<Record<keyof RiskLimits, number | null>>
  /** In the order of the log. */
  readonly changes: readonly BalanceChange[]
}

export interface StandingRule extends RuleLine {
  /** The number of the event that set it. */
  readonly event: number | null
  /** The limit or the target itself; null where it is no fixed amount. */
  readonly amount: number | null
  /** The amount lost of a limit; 0 for a target, null where the limit is no fixed amount. */
  readonly lost: number | null
  /** The part of a limit that payouts and other bookings took: it is no loss. */
  readonly taken: number
  /** How much of a limit is lost, or of a goal is reached, from 0 to 100; null where the limit is no fixed amount. */
  readonly percent: number | null
  /** Under a programme: what the terms say of it, and the event that its figures follow from. */
  readonly terms: RuleInTerms | null
}

export interface RuleInTerms extends TermInWords {
  readonly consequence: BehaviourConsequence | null
  /** How many days, or which share; null for an amount. */
  readonly asked: string | null
  /** Of a rule about news, in minutes. */
  readonly window?: { readonly before: number; readonly after: number; readonly impacts: readonly Impact[] }
  /** Whether it is the limit with the least room. */
  readonly nearest: boolean
  readonly proof: number | null
  /** Since when the figures are as they are; null from the beginning of the stage. */
  readonly since: number | null
}

/** A part of a whole in percent, from 0 to 100: a tenth of a percent less is not reached yet. */
export function percentOfWhole(part: number, whole: number): number {
  const percent = whole > 0 ? Math.floor((part / whole) * 1000) / 10 : 0
  return Math.min(100, Math.max(0, percent))
}

export interface AccountStanding {
  /** As the rule engine says it, for a clock at that moment. */
  readonly line: Omit<Line, 'rules'> & { readonly rules: readonly StandingRule[] }
  /** The stage of the programme that it is in; null without one. */
  readonly programme: Pick<ProgrammeStage, 'id' | 'version' | 'hash' | 'stage'> | null
  /** The terms of the programme besides the rules of the stage; null without one. */
  readonly terms: StageInWords | null
  /** Under a programme: what a person decided of the status or against the rules; null where the rules decided. */
  readonly person: { readonly decided: 'status' | 'finding'; readonly event: number } | null
  /** When the newest observation that the figures rest on was made; null before the first. */
  readonly asOf: number | null
  /** The last values that a platform reported together; null where none were, and without a programme. */
  readonly reported: Reported | null
  /** When the present day began. */
  readonly dayStartedAt: number
  /** When the present day ends, and the daily limit begins anew. */
  readonly resetsAt: number
  /**
   * The balance that the present phase began with, and when; null before the first money. A profit that was typed
   * together with its first balance is no part of it.
   */
  readonly began: { readonly at: number; readonly balance: number } | null
  /** The trading result: today, in this phase, and since the account began. */
  readonly result: { readonly today: number; readonly phase: number; readonly total: number }
  /**
   * Progress to the profit target by the recorded profit (specification §4); of zero where there is no target, null for
   * a text that is not understood.
   */
  readonly progress: { readonly target: number; readonly percent: number; readonly remaining: number } | null
  /** The recorded profit or loss is what the balance has above its beginning. */
  readonly agrees: boolean
}

/** Balance and equity of one moment: what is open is their difference. */
export interface Reported {
  readonly at: number
  readonly balance: number
  readonly equity: number
}

export interface StageInWords {
  readonly name: string
  readonly version: number
  readonly stage: string
  readonly zone: string
  readonly startsAt: string
  readonly words: readonly TermInWords[]
}

/** The limits of a rule's kind. */
const limitOfKind: ReadonlyMap<string, keyof RiskLimits> = new Map([
  ['maximum-loss', 'overallLossLimit'],
  ['daily-loss', 'dailyDrawdownLimit'],
  ['profit-target', 'profitTarget'],
])

/** Where an account stands at a moment. */
export function accountStanding(account: KnownAccount, now: number): AccountStanding {
  const steps = balanceSteps(account.changes)
  const phase = stepsOfPhase(steps)
  const [first] = phase
  const before = first ? recordedWith(account.changes, first) : 0
  const began = first && first.balance > 0 ? { at: first.at, balance: first.balance - before } : null
  const rules = rulesFor(account, began?.balance ?? 0)
  let state = startOf(rules)
  // A result from before the first typed balance belongs to no day that is shown.
  if (first && before !== 0) {
    const at = rules.days.startOf(rules.days.dayOf(first.at)) - 1
    ;({ state } = evaluate(rules, state, observationOf({ ...first, at }, true)))
  }
  for (const step of phase) ({ state } = evaluate(rules, state, observationOf(step, step === first)))
  const { state: reached, line } = evaluate(rules, state, { at: momentOf(now), kind: 'clock' })
  const values = reached.account
  if (!values) throw new TypeError('An observation opens the stage')
  const { balance } = values
  return {
    line: {
      ...line,
      status: account.isBreached ? 'breached' : line.status,
      rules: line.rules.map((rule) => standingRule(account, rule, values)),
    },
    programme: null,
    terms: null,
    person: null,
    // A payout is the portal's own entry, and says nothing of the trading.
    asOf: steps.findLast(({ kind }) => kind !== 'payout' && kind !== 'forfeit')?.at ?? null,
    reported: null,
    dayStartedAt: rules.days.startOf(values.today),
    resetsAt: rules.days.startOf(values.today + 1),
    began,
    result: {
      today: balance - values.dayStart.balance,
      phase: balance - values.base,
      total: steps.reduce((sum, step) => sum + resultOf(step), before),
    },
    progress: progressOf(account, began?.balance),
    agrees: began !== null && balance - account.profitLoss === began.balance,
  }
}

const alike = { measures: 'balance', checked: 'every-change', touch: 'breach', consequence: 'warning' } as const

/**
 * One stage of the limits that are understood. The account size is the balance that the present phase began with: what
 * a percentage refers to, and from which the maximum loss counts.
 */
function rulesFor({ overallLossLimit, dailyDrawdownLimit, profitTarget }: RiskLimits, size: number): Rules {
  const [maximum, daily, target] = [
    parseLimit(overallLossLimit),
    parseLimit(dailyDrawdownLimit),
    parseTarget(profitTarget),
  ]
  const rules: RuleTerms[] = []
  if (maximum)
    rules.push({ kind: 'maximum-loss', limit: ruleAmountOf(maximum), follows: null, locksAbove: null, ...alike })
  if (daily) rules.push({ kind: 'daily-loss', limit: ruleAmountOf(daily), from: 'day-start-balance', ...alike })
  if (target && target.amount !== 0)
    rules.push({ kind: 'profit-target', target: ruleAmountOf(target), measures: 'balance', whileOpen: true })
  const programme: Programme = {
    name: 'Without a programme',
    currency: 'USD',
    accountSize: toDecimal(size),
    day: { zone: 'UTC', startsAt: '00:00' },
    breaches: 'proposed',
    stages: [{ name: 'The present phase', funded: false, rules: size > 0 ? rules : [] }],
  }
  // Staff decide when a phase is passed: until then its figures go on.
  return { ...rulesOf(programme, 0), passes: false }
}

/** The first step opens the stage. Whatever else is not trading is moved in or out. */
function observationOf({ at, balance, change, kind }: Step, isFirst: boolean): Observation {
  const moment = momentOf(at)
  if (isFirst || kind === 'trade-result')
    return { at: moment, kind: 'state', ...valuesOf(balance), open: false, quality: 'reported' }
  if (kind === 'payout') return { at: moment, kind: 'payout', amount: toCents(-change) }
  return { at: moment, kind: 'transfer', amount: toCents(change), why: kind }
}

function valuesOf(balance: number) {
  return { balance: toCents(balance), equity: toCents(balance) }
}

function momentOf(ms: number) {
  return { text: new Date(ms).toISOString(), ms, ns: 0 }
}

function standingRule(account: KnownAccount, rule: RuleLine, { balance, base, size, dayStart }: Account): StandingRule {
  const name = limitOfKind.get(rule.kind)
  const event = name ? account.limitEvents[name] : null
  if (!rule.figures.floor) return targetRule(account, rule, balance, { event, size })
  // A payout or a booking moves what a loss is counted from, and leaves the floor where it is.
  const [from, unmoved] = rule.kind === 'daily-loss' ? [dayStart.balance, dayStart.balance] : [base, size]
  const floor = shownFloor(rule.figures.floor)
  const [amount, lost] = [unmoved - floor, Math.max(0, from - balance)]
  const taken = Math.max(0, unmoved - from)
  const state = balance <= floor ? 'warned' : 'kept'
  return { ...rule, state, event, amount, lost, taken, percent: percentOfWhole(lost, amount), terms: null }
}

/** The target by the recorded profit, as its progress is (specification §4): its level is what remains above the balance. */
function targetRule(
  account: KnownAccount,
  rule: RuleLine,
  balance: number,
  { event, size }: { readonly event: number | null; readonly size: number },
): StandingRule {
  const target = targetOf(account, size) ?? 0
  const left = target - account.profitLoss
  return {
    ...rule,
    figures: { ...rule.figures, target: toDecimal(balance + left), missing: toDecimal(Math.max(0, left)) },
    state: left > 0 ? 'open' : 'met',
    event,
    amount: target,
    lost: 0,
    taken: 0,
    percent: percentOfWhole(account.profitLoss, target),
    terms: null,
  }
}

/** The profit target; 0 for none, undefined where the text does not say it. */
function targetOf({ profitTarget }: RiskLimits, size: number | undefined): number | undefined {
  const target = parseTarget(profitTarget)
  if (!target) return undefined
  if (target.amount !== null) return target.amount
  return size === undefined ? undefined : up(valueOf(ruleAmountOf(target), size))
}

/** "A percentage clamped 0 to 100; 0 when no target. Remaining = max(0, target minus profit)." (specification §4) */
function progressOf(account: KnownAccount, size: number | undefined): AccountStanding['progress'] {
  const target = targetOf(account, size)
  if (target === undefined) return null
  const { profitLoss } = account
  return { target, percent: percentOfWhole(profitLoss, target), remaining: Math.max(0, target - profitLoss) }
}
