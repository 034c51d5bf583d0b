import { centsOf } from '#services/money/money.ts'
import { valueOf } from '#services/rules/amount.ts'
import type { Line, RuleLine } from '#services/rules/engine.ts'
import { down, up } from '#services/rules/exact.ts'
import type { Account } from '#services/rules/rule.ts'
import type { AccountStanding, StandingRule } from './account-standing.ts'
import { type ProgrammeStage, stageTermsOf } from './programme-stage.ts'
import { type Stage, stageAt } from './stage.ts'

/** Where an account under a programme stands: as the rule engine says it of what was observed. */
export function programmeStanding(
  programme: ProgrammeStage,
  stage: Stage,
  began: { readonly at: number; readonly event: number },
  now: number,
): AccountStanding {
  const { rules, state, line } = stageAt(stage, now)
  const { account } = state
  if (!account) throw new TypeError('A clock opens the stage')
  const { balance, base, dayStart, size } = account
  const traded = balance - base
  return {
    line: { ...line, rules: line.rules.map((rule, index) => standingRule(stage, index, rule, account, began.event)) },
    programme,
    resetsAt: rules.days.startOf(account.today + 1),
    began: { at: began.at, balance: size },
    result: { today: balance - dayStart.balance, phase: traded, total: traded },
    progress: progressOf(stage, line),
    agrees: true,
  }
}

/** A limit has its amount and what is lost of it, where the amount does not move with the account. */
function standingRule(
  { terms, index: stage }: Stage,
  index: number,
  rule: RuleLine,
  account: Account,
  event: number,
): StandingRule {
  const ruleTerms = stageTermsOf(terms, stage).rules[index]
  const { room, target } = rule.figures
  if (ruleTerms?.kind === 'profit-target' && target !== undefined)
    return { ...rule, event, amount: up(valueOf(ruleTerms.target, account.size)), lost: 0 }
  if (!room || (ruleTerms?.kind !== 'maximum-loss' && ruleTerms?.kind !== 'daily-loss'))
    return { ...rule, event, amount: null, lost: null }
  const whole = wholeOf('of' in ruleTerms.limit ? ruleTerms.limit.of : 'account-size', account)
  if (whole === null) return { ...rule, event, amount: null, lost: null }
  const amount = up(valueOf(ruleTerms.limit, whole))
  return { ...rule, event, amount, lost: Math.max(0, amount - down(room)) }
}

function wholeOf(of: string, { size, dayStart, dayHighEquity }: Account): number | null {
  switch (of) {
    case 'account-size':
      return size
    case 'day-start-balance':
      return dayStart.balance
    case 'day-start-equity':
      return dayStart.equity
    case 'day-start-higher':
      return Math.max(dayStart.balance, dayStart.equity)
    case 'day-high-equity':
      return dayHighEquity
    default:
      return null
  }
}

/** How much of the first target is reached; of zero where there is none. */
function progressOf({ terms, index }: Stage, line: Line): AccountStanding['progress'] {
  const at = stageTermsOf(terms, index).rules.findIndex(({ kind }) => kind === 'profit-target')
  const rule = stageTermsOf(terms, index).rules[at]
  const missing = line.rules[at]?.figures.missing
  if (rule?.kind !== 'profit-target' || missing === undefined) return { target: 0, percent: 0, remaining: 0 }
  const target = up(valueOf(rule.target, centsOf(terms.accountSize)))
  const remaining = centsOf(missing)
  const percent = target > 0 ? Math.floor(((target - remaining) / target) * 1000) / 10 : 0
  return { target, percent: Math.min(100, Math.max(0, percent)), remaining }
}
