import { generalTermsInWords, payoutsInWords, ruleInWords } from '#services/rules/terms-in-words.ts'
import { centsOf } from '#services/rules/money.ts'
import { valueOf } from '#services/rules/amount.ts'
import type { Line, RuleLine } from '#services/rules/engine.ts'
import { up } from '#services/rules/exact.ts'
import type { Observation } from '#services/rules/observation.ts'
import { judgesTrades, type RuleTerms } from '#services/rules/programme.ts'
import type { Account } from '#services/rules/rule.ts'
import {
  type AccountStanding,
  percentOfWhole,
  type Reported,
  type RuleInTerms,
  type StageInWords,
} from './account-standing.ts'
import { type ProgrammeStage, stageTermsOf } from '#services/trading/stream/programme-stage.ts'
import { limitOf } from '#services/trading/stream/limit-warning.ts'
import { type Stage, stageAt } from '#services/trading/stream/stage.ts'
import type { SeenRow } from '#services/trading/stream/stage-timeline.ts'
import type { FigureProof } from './trading-record.ts'

/** Further known state of an account under a programme. */
interface Known {
  readonly begunAt: number
  /** The numbers of the events: that set the terms, and that the figures of each rule follow from. */
  readonly events: { readonly terms: number; readonly proofs: readonly (FigureProof | null)[] }
  readonly person: AccountStanding['person']
}

/** Where an account under a programme stands: as the rule engine says it of what was observed. */
export function programmeStanding(
  programme: ProgrammeStage,
  stage: Stage,
  { begunAt, events, person }: Known,
  now: number,
): AccountStanding {
  const { rules, state, line } = stageAt(stage, now)
  const { account } = state
  if (!account) throw new TypeError('A clock opens the stage')
  const { balance, base, dayStart, size } = account
  const traded = balance - base
  const nearest = nearestIn(line.rules)
  const stageTerms = stageTermsOf(stage.terms, stage.index)
  return {
    line: {
      ...line,
      rules: line.rules.flatMap((rule, index) => {
        const terms = stageTerms.rules[index]
        if (!terms) return []
        const amounts = amountsOf(terms, rule, account)
        return {
          ...rule,
          ...amounts,
          taken: 0,
          event: events.terms,
          percent: percentOf(terms, rule, amounts, account),
          terms: {
            ...inTerms(terms, size, stageTerms),
            nearest: index === nearest,
            proof: events.proofs[index]?.event ?? null,
            since: events.proofs[index]?.at ?? null,
          },
        }
      }),
    },
    programme,
    terms: stageInWords(programme, stage),
    person,
    asOf: stage.timeline.rows.findLast(isObserved)?.observation.at.ms ?? null,
    reported: lastReported(stage),
    dayStartedAt: rules.days.startOf(account.today),
    resetsAt: rules.days.startOf(account.today + 1),
    began: { at: begunAt, balance: size },
    result: { today: balance - dayStart.balance, phase: traded, total: traded },
    progress: progressOf(stage, line),
    agrees: true,
  }
}

/** Whether a row says what happened on the platform: payouts, bookings and clocks are the portal's own. */
function isObserved({ source }: SeenRow): boolean {
  return typeof source === 'number'
}

function hasReportedEquity(row: Observation): row is Extract<Observation, { kind: 'state' | 'day' }> {
  return (row.kind === 'state' || row.kind === 'day') && row.quality === 'reported'
}

/** The equity that was reported last. A trade moves the balance, and says nothing of what stays open. */
function lastReported({ timeline }: Stage): Reported | null {
  const row = timeline.rows.findLast(({ observation }) => hasReportedEquity(observation))?.observation
  return row && hasReportedEquity(row) ? { at: row.at.ms, balance: row.balance, equity: row.equity } : null
}

/** The index of the limit with the least room, of equals the first; -1 without one. */
function nearestIn(rules: readonly RuleLine[]): number {
  return rules.reduce((nearest, { figures: { room } }, index) => {
    const least = rules[nearest]?.figures.room
    return room !== undefined && (least === undefined || room < least) ? index : nearest
  }, -1)
}

function stageInWords({ name, version }: ProgrammeStage, { terms, index }: Stage): StageInWords {
  const stage = stageTermsOf(terms, index)
  const { zone, startsAt } = terms.day
  return {
    ...{ name, version, stage: stage.name, zone, startsAt },
    words: [
      ...(stage.funded ? payoutsInWords(stage.payouts, centsOf(terms.accountSize)) : []),
      ...generalTermsInWords(terms),
    ],
  }
}

function inTerms(
  terms: RuleTerms,
  size: number,
  stage: { readonly funded: boolean },
): Omit<RuleInTerms, 'nearest' | 'proof' | 'since'> {
  return {
    ...ruleInWords(terms, size, stage),
    consequence: 'consequence' in terms ? terms.consequence : null,
    asked: askedBy(terms),
    ...(terms.kind === 'news' && {
      window: { before: terms.before, after: terms.after, impacts: terms.impacts },
    }),
  }
}

function askedBy(terms: RuleTerms): string | null {
  if (judgesTrades(terms)) return String(terms.tolerated)
  switch (terms.kind) {
    case 'minimum-days':
    case 'maximum-days':
    case 'inactivity':
      return String(terms.days)
    case 'consistency':
      return terms.share
    case 'short-trades':
      return terms.mostShare
    case 'maximum-loss':
    case 'daily-loss':
    case 'profit-target':
      return null
  }
}

/** A limit has its amount and what is lost of it, where the amount does not move with the account. */
function amountsOf(terms: RuleTerms, { figures: { room, target } }: RuleLine, account: Account) {
  if (terms.kind === 'profit-target' && target !== undefined)
    return { amount: up(valueOf(terms.target, account.size)), lost: 0 }
  const none = { amount: null, lost: null }
  if (room === undefined) return none
  const amount = limitOf(terms, account)
  return amount === null ? none : { amount, lost: Math.max(0, amount - room) }
}

/** How much of a limit is lost, or of a goal is reached. */
function percentOf(
  terms: RuleTerms,
  { figures }: RuleLine,
  { amount, lost }: ReturnType<typeof amountsOf>,
  { base }: Account,
): number | null {
  if (judgesTrades(terms)) return null
  switch (terms.kind) {
    case 'maximum-loss':
    case 'daily-loss':
      return amount === null || lost === null ? null : percentOfWhole(lost, amount)
    case 'profit-target': {
      const wanted = centsOf(figures.target ?? '0.00') - base
      return percentOfWhole(wanted - centsOf(figures.missing ?? '0.00'), wanted)
    }
    case 'minimum-days':
    case 'maximum-days':
    case 'inactivity':
      return percentOfWhole(figures.days ?? 0, terms.days)
    case 'consistency':
    case 'short-trades':
      return percentOfWhole(Number(figures.share ?? 0), 100)
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
  return { target, percent: percentOfWhole(target - remaining, target), remaining }
}
