import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import type { Standing, StandingRule } from '#services/trading/accounts/standing-api.ts'
import { centsOf } from '@/format/money.ts'

/** How screens show the standing of an account: nothing is calculated here. */

/** The limits and the target, by the field that sets each. */
const kinds = {
  dailyDrawdownLimit: 'daily-loss',
  overallLossLimit: 'maximum-loss',
  profitTarget: 'profit-target',
} as const

export type LimitName = keyof typeof kinds

const limitNames = ['dailyDrawdownLimit', 'overallLossLimit', 'profitTarget'] as const satisfies readonly LimitName[]

/** The names of limits for traders. */
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

/** The levels of the present phase. After a breach or a pass no new day begins, so there is no daily one. */
export function levelsOf({ began, rules, status, dayStartedAt }: Standing): readonly Level[] {
  if (!began) return []
  const [phase, day] = [Date.parse(began.at), Date.parse(dayStartedAt)]
  return rules.toReversed().flatMap((rule): Level | readonly Level[] => {
    const isDaily = rule.kind === kinds.dailyDrawdownLimit
    if (isDaily && (status === 'breached' || status === 'passed')) return []
    const label = labelOf(rule)
    if (rule.target !== undefined) return { label, cents: centsOf(rule.target), from: phase, tone: 'good' }
    if (rule.floor === undefined) return []
    // A floor that follows the account was elsewhere before.
    const since = rule.terms?.since ? Date.parse(rule.terms.since) : phase
    return { label, cents: centsOf(rule.floor), from: isDaily ? day : since, tone: 'bad' }
  })
}

/** Why the limits of an account under a programme no longer count; undefined while they do. */
export function endOf({ status, open }: Pick<OwnAccount, 'status' | 'open'>, standing: Standing): End | undefined {
  if (status === 'breached') return 'breached'
  if (standing.status === 'passed') return 'passed'
  return open ? undefined : 'closed'
}

export type End = 'breached' | 'passed' | 'closed'

/** Returns the name of a rule: by its programme, else as the specification calls it. */
export function labelOf({ kind, terms }: Pick<StandingRule, 'kind' | 'terms'>): string {
  const name = limitNames.find((one) => kinds[one] === kind)
  return terms?.title ?? (name ? limitLabels[name] : kind)
}

/** The period that a daily limit covers. Only fresh figures are of today. */
export function dayInWords(standing: Standing | undefined | null, now: number): string {
  const isOfToday = !standing || !isStale(standing.asOf, now)
  return `${isOfToday ? 'Today' : 'Each day'}, until ${resetTime(standing)}`
}

/** '00:00 UTC (02:00 your time)', or '17:00 America/New_York (23:00 your time)'. */
export function resetTime(standing: Pick<Standing, 'resetsAt' | 'terms'> | undefined | null): string {
  const end = new Date(standing?.resetsAt ?? '')
  if (Number.isNaN(end.getTime())) return '00:00 UTC'
  const clock = (hours: number, minutes: number) =>
    `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
  const [utc, own] = [clock(end.getUTCHours(), end.getUTCMinutes()), clock(end.getHours(), end.getMinutes())]
  const { startsAt, zone } = standing?.terms ?? { startsAt: utc, zone: 'UTC' }
  return own === startsAt ? `${startsAt} ${zone}` : `${startsAt} ${zone} (${own} your time)`
}

const MINUTE = 60_000

/** '5 h 12 min', by whole minutes; 'less than a minute'. */
export function timeLeft(ms: number): string {
  const minutes = Math.floor(ms / MINUTE)
  if (!(minutes >= 1)) return 'less than a minute'
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [hours > 0 && `${hours} h`, (rest > 0 || hours === 0) && `${rest} min`].filter(Boolean).join(' ')
}

const SECOND = 1_000
const DAY = 86_400 * SECOND

/** Whether figures of a moment are older than a day, and say little about now. A moment that is not known is. */
export function isStale(asOf: string | null, now: number): boolean {
  return !(now - Date.parse(asOf ?? '') <= DAY)
}

/**
 * How long a standing holds that was read a while ago, in ms: until its day ends, by the clock of the server. At least
 * half a minute, so that a server that cannot be reached is not asked all the time.
 */
export function holdsFor({ at, resetsAt }: Pick<Standing, 'at' | 'resetsAt'>, age: number): number {
  const rest = Date.parse(resetsAt) - Date.parse(at) - age + SECOND
  return Number.isNaN(rest) ? DAY : Math.min(DAY, Math.max(30 * SECOND, rest))
}
