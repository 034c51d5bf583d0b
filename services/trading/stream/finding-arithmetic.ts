import { utcDate } from '#services/framework/api/utc-time.ts'
import type { Line, RuleLine } from '#services/rules/engine.ts'
import type { Values } from '#services/rules/rule.ts'
import { centsOf, type Cents, inDollars, toCents } from '#services/rules/money.ts'
import type { Observation, Trade } from '#services/rules/observation.ts'
import { ruleKindLabels } from '#services/rules/rule-kind-labels.ts'
import { judgesTrades, type RuleTerms } from '#services/rules/programme.ts'
import { dateOf } from '#services/rules/day-terms.ts'
import { evidenceOf, type Found, type FoundNow, linesUpTo } from './found.ts'
import { tradesOfFinding } from './hit-text.ts'
import { stageTermsOf } from './programme-stage.ts'
import { rulesOfStage, type Stage } from './stage.ts'
import type { SeenRow } from './stage-timeline.ts'

/**
 * The evidence of a finding as an arithmetic that a person can follow: the amounts from the start of the day add up to
 * what was measured, and that is compared with the floor. Of a pass, each goal; of a rule that judges single trades, what
 * each hit trade did.
 */
export interface EvidenceLine {
  /** `part` and `rest` add up to `sum`; `goal` and `trade` have no amounts of their own. */
  readonly role: 'start' | 'part' | 'rest' | 'sum' | 'floor' | 'difference' | 'goal' | 'trade'
  readonly what: string
  /** Ms since 1970, of what has a moment. */
  readonly at: number | null
  readonly amount: Cents | null
  /** The number of the observation that says it. */
  readonly observation: number | null
}

/** So many movements of a day are shown at its beginning, and at its end; of the others the sum. */
const SHOWN = 5

/** Returns the arithmetic of what the rules find now; none for a hit that they do not find any more. */
export function arithmeticOf(stage: Stage, found: FoundNow): readonly EvidenceLine[] {
  if (found.hitTrades) return hitsInWords(stage, found)
  // Computed values leave no trace.
  const rows = [...linesUpTo(stage, found.hit)].filter(({ row: { observation } }) => isReported(observation))
  const last = rows.at(-1)
  if (!last) return []
  return found.kind === 'pass' ? goalsMet(stage, last.line) : breachOf(stage, found, rows)
}

function isReported(observation: Observation): boolean {
  return !('quality' in observation) || observation.quality === 'reported'
}

/** What each hit trade did, the cause last. */
function hitsInWords(stage: Stage, found: FoundNow): readonly EvidenceLine[] {
  const trades = tradesOfFinding(stage, { rule: found.rule, evidence: evidenceOf(stage, found) })
  const lines = trades.map(({ what, isTolerated, trade, observation }): EvidenceLine => {
    const said = isTolerated ? `Tolerated: ${what}` : what
    return { role: 'trade', what: said, at: trade.closedAt.ms, amount: null, observation }
  })
  const between = lines.length - 2 * SHOWN
  if (between < 2) return lines
  const rest: EvidenceLine = { ...goal(`${between} further trades`), role: 'trade' }
  return [...lines.slice(0, SHOWN), rest, ...lines.slice(-SHOWN)]
}

type Rows = readonly (ReturnType<typeof linesUpTo> extends Generator<infer Row> ? Row : never)[]

function breachOf(stage: Stage, { rule, floor, measured, hit }: Found, rows: Rows): readonly EvidenceLine[] {
  const { days, size } = rulesOfStage(stage)
  const day = days.dayOf(hit.source === null ? hit.at - 1 : hit.at)
  const first = rows.findIndex(({ line }) => line.day >= day)
  const ofDay = first === -1 ? [] : rows.slice(first)
  const before = first === -1 ? rows.at(-1) : rows[first - 1]
  const start = before?.line.balance ?? size
  const opening = text('start', `Balance at the start of ${utcDate(new Date(dateOf(day)))}`, start)
  if (floor === null || measured === null) {
    const terms = stageTermsOf(stage.terms, stage.index).rules[rule.index]
    return terms ? [goal(limitInWords(terms))] : []
  }
  let balance = start
  const parts: EvidenceLine[] = []
  for (const { row, line } of ofDay) {
    const amount = line.balance - balance
    balance = line.balance
    if (amount !== 0) parts.push(part(row, amount))
  }
  // What is left is open, or was lower within the day.
  const isOfBalance = measured === balance
  if (!isOfBalance) parts.push({ ...text('part', openText(ofDay.at(-1)?.row.observation), measured - balance) })
  const below = floor - measured
  return [
    opening,
    ...shortened(parts),
    text('sum', isOfBalance ? 'Balance' : 'Equity', measured),
    text('floor', `Floor of the ${nameOf(rule.kind)}`, floor),
    text('difference', below > 0 ? 'Below the floor by' : 'Exactly at the floor', below),
  ]
}

function nameOf(kind: string): string {
  return (ruleKindLabels[kind] ?? kind).toLowerCase()
}

function openText(last: Observation | undefined): string {
  return last?.kind === 'day' ? 'Lowest equity of the day, against its balance' : 'Open positions'
}

function text(role: EvidenceLine['role'], what: string, amount: number): EvidenceLine {
  return { role, what, at: null, amount: toCents(amount), observation: null }
}

function goal(what: string): EvidenceLine {
  return { role: 'goal', what, at: null, amount: null, observation: null }
}

function part({ source, observation }: SeenRow, amount: number): EvidenceLine {
  return {
    role: 'part',
    what: movementText(observation),
    at: observation.at.ms,
    amount: toCents(amount),
    observation: typeof source === 'number' ? source : null,
  }
}

function movementText(observation: Observation): string {
  switch (observation.kind) {
    case 'trade':
      return tradeText(observation)
    case 'transfer':
      return `Transfer: ${observation.why}`
    case 'payout':
      return observation.forfeited ? 'Forfeit' : 'Payout'
    case 'day':
      return `Result up to the close of ${utcDate(new Date(observation.date))}`
    case 'state':
    case 'clock':
      return `Result up to the reported balance of ${inDollars(observation.kind === 'state' ? observation.balance : 0)}`
  }
}

function tradeText({ id, symbol, side, volume }: Trade): string {
  const facts = [symbol, side].filter((fact) => fact !== undefined)
  return facts.length === 0 ? `Trade ${id}` : `Trade ${id}, ${[...facts, volume].join(' ')}`
}

/** The first and the last movements of a day, and the sum of those between. */
function shortened(parts: readonly EvidenceLine[]): readonly EvidenceLine[] {
  const between = parts.slice(SHOWN, -SHOWN)
  if (between.length < 2) return parts
  const sum = between.reduce((total, { amount }) => total + (amount ?? 0), 0)
  const rest = text('rest', `${between.length} further movements, together`, sum)
  return [...parts.slice(0, SHOWN), rest, ...parts.slice(-SHOWN)]
}

/** Each goal of a stage that is passed. */
function goalsMet(stage: Stage, { rules, balance, equity }: Line): readonly EvidenceLine[] {
  return stageTermsOf(stage.terms, stage.index).rules.flatMap((terms, index) => {
    const line = rules[index]
    const words = line ? goalInWords(terms, line, { balance, equity }) : null
    return words === null ? [] : [goal(words)]
  })
}

function goalInWords(terms: RuleTerms, { figures, state }: RuleLine, values: Values): string | null {
  if (judgesTrades(terms)) return null
  switch (terms.kind) {
    case 'profit-target':
      return figures.target === undefined
        ? null
        : `Profit target: ${terms.measures} ${inDollars(values[terms.measures])}, at least ${inDollars(centsOf(figures.target))}`
    case 'minimum-days':
      return `Minimum days: ${figures.days ?? 0} counted, at least ${terms.days}`
    case 'consistency':
      return state === 'not-applicable' || figures.share === undefined || figures.share === null
        ? 'Consistency: no profit to compare'
        : `Consistency: the best ${terms.unit} is ${figures.share}% of the profit, at most ${terms.share}%`
    case 'short-trades':
      return figures.share === undefined || figures.share === null
        ? 'Short trades: nothing to compare'
        : `Short trades: ${figures.share}% of the ${terms.by === 'profit' ? 'profit' : 'trades'}, at most ${terms.mostShare}%`
    case 'maximum-loss':
    case 'daily-loss':
    case 'maximum-days':
    case 'inactivity':
      return null
  }
}

function limitInWords(terms: RuleTerms): string {
  switch (terms.kind) {
    case 'maximum-days':
      return `The stage was not passed in ${terms.days} ${terms.counts === 'traded' ? 'days with a trade' : 'days'}`
    case 'inactivity':
      return `No trade in ${terms.days} days in a row`
    default:
      return nameOf(terms.kind)
  }
}
