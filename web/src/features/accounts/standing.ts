import type { Standing, StandingRule } from '#services/modules/accounts/standing-api.ts'
import { centsOf } from '@/format/money.ts'

/** How screens show the standing of an account: nothing is reckoned here. */

/** The limits and the target, by the field that sets each. */
const kinds = {
  dailyDrawdownLimit: 'daily-loss',
  overallLossLimit: 'maximum-loss',
  profitTarget: 'profit-target',
} as const

export type LimitName = keyof typeof kinds

/** What traders call them. */
export const limitLabels: Readonly<Record<LimitName, string>> = {
  dailyDrawdownLimit: 'Daily Drawdown',
  overallLossLimit: 'Maximum Loss',
  profitTarget: 'Profit Target',
}

/** The rule that a field sets; undefined where its text is not understood. */
export function ruleOf({ rules }: Standing, name: LimitName): StandingRule | undefined {
  return rules.find(({ kind }) => kind === kinds[name])
}

/** A level that the chart draws from a moment on. */
export interface Level {
  readonly label: string
  readonly cents: number
  readonly from: number
  readonly tone: 'good' | 'bad'
}

/** The levels of the present phase. A breached account has no daily one: its day does not begin anew. */
export function levelsOf(standing: Standing): readonly Level[] {
  const { began, day, status } = standing
  if (!began) return []
  const level = (name: LimitName, balance: string | undefined, from: number, tone: Level['tone']): readonly Level[] =>
    balance === undefined ? [] : [{ label: limitLabels[name], cents: centsOf(balance), from, tone }]
  const phase = Date.parse(began.at)
  const daily = status === 'breached' ? undefined : ruleOf(standing, 'dailyDrawdownLimit')?.floor
  return [
    ...level('profitTarget', ruleOf(standing, 'profitTarget')?.target, phase, 'good'),
    ...level('dailyDrawdownLimit', daily, Date.parse(day), 'bad'),
    ...level('overallLossLimit', ruleOf(standing, 'overallLossLimit')?.floor, phase, 'bad'),
  ]
}

const SECOND = 1_000
const DAY = 86_400 * SECOND

/**
 * How long a standing holds that was read a while ago, in ms: until its day ends, by the clock of the server. At least
 * half a minute, so that a server that cannot be reached is not asked all the time.
 */
export function holdsFor({ at, resetsAt }: Pick<Standing, 'at' | 'resetsAt'>, age: number): number {
  const rest = Date.parse(resetsAt) - Date.parse(at) - age + SECOND
  return Number.isNaN(rest) ? DAY : Math.min(DAY, Math.max(30 * SECOND, rest))
}
