import { hitInWords, type HitTrade, hitTrades } from '#services/rules/hit-trades.ts'
import type { Found } from './found.ts'
import { rulesOfStage, type Stage } from './stage.ts'

/** What the hit trades of a finding did, as the rules see it now. */

/** A hit trade, by the number of its observation. */
export interface TradeOfFinding extends HitTrade {
  readonly observation: number
  /** 'Trade 881 of EURUSD was held for 41 s; at least 60 s' */
  readonly what: string
}

/** A finding of a rule that judges single trades, by the observations that prove it; that of the cause is the last. */
export interface ProvenByTrades extends Pick<Found, 'rule'> {
  readonly evidence: readonly number[]
}

/**
 * The trades that a finding rests on, the cause last. Those that hit no more are left out; all are, where its rule judges
 * no single trades.
 */
export function tradesOfFinding(stage: Stage, { rule, evidence }: ProvenByTrades): readonly TradeOfFinding[] {
  const [rules, { rows, engine }] = [rulesOfStage(stage), stage.timeline]
  const proving = new Set(evidence)
  const trades = hitTrades(rules, engine, rule.index).flatMap((hit) => {
    const source = rows.get(hit.trade.observation)?.source
    return typeof source === 'number' && proving.has(source) ? [{ ...hit, observation: source }] : []
  })
  // A hit is found at the last observation that proves it: what closed later explains nothing.
  const upTo = rows.findLastIndex(({ source }) => typeof source === 'number' && proving.has(source))
  return trades
    .toSorted((one, other) => evidence.indexOf(one.observation) - evidence.indexOf(other.observation))
    .map((hit) => ({ ...hit, what: hitInWords(rules, engine, rule.index, hit.trade, upTo) }))
}

/** What the trade did that is the cause of a breach; null for another rule, and where it hits no more. */
export function causeInWords(stage: Stage | null, found: ProvenByTrades): string | null {
  const cause = found.evidence.at(-1)
  if (!stage || cause === undefined) return null
  return tradesOfFinding(stage, found).find(({ observation }) => observation === cause)?.what ?? null
}
