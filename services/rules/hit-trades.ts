import type { Rules, State } from './engine.ts'
import type { Exact } from './exact.ts'
import type { KnownTrade } from './known-trade.ts'
import { hasBit, itemAt, itemsOf } from './log.ts'
import type { Behaviour } from './rule.ts'

/** The hit trades of a rule that judges single trades, in words and figures (behaviour.md, "What a person sees"). */

export interface HitTrade {
  readonly trade: KnownTrade
  /** The hit has no consequence. */
  readonly isTolerated: boolean
  /** What the rule excludes of its profit. */
  readonly excluded: Exact
}

/** The hit trades of a rule at a state, in the order of the trades; none of a rule that judges no single trades. */
export function hitTrades(rules: Rules, state: State, rule: number): readonly HitTrade[] {
  const judge = judgeAt(rules, rule)
  const own = state.rules[rule]
  if (!judge || !own) return []
  const { hit, counted } = judge.hitsOf(own)
  const found: HitTrade[] = []
  for (const [word, bits] of hit.entries()) {
    if (bits === 0) continue
    for (let index = word * WIDTH; index < (word + 1) * WIDTH; index++) {
      const trade = hasBit(hit, index) ? itemAt(state.known.trades, index) : undefined
      if (trade) found.push({ trade, isTolerated: !hasBit(counted, index), excluded: judge.excludedOf(own, trade) })
    }
  }
  return found
}

/** Bits in a number of a set. */
const WIDTH = 32

/** A trade became a hit trade, or its hit has a consequence now. */
export interface NewHit extends HitTrade {
  /** The index of the rule. */
  readonly rule: number
}

/** What an observation made of trades, from the state before it to that after it. */
export function newHits(rules: Rules, before: State, after: State): readonly NewHit[] {
  return rules.rules.flatMap(({ index, rule }): readonly NewHit[] => {
    const [was, is] = [before.rules[index], after.rules[index]]
    if (rule.role !== 'behaviour' || !is || was === is) return []
    const [known, found] = [rule.hitsOf(was ?? rule.start), rule.hitsOf(is)]
    if (known.hit === found.hit && known.counted === found.counted) return []
    const isNew = ({ trade, isTolerated }: HitTrade) =>
      !hasBit(known.hit, trade.index) || (!isTolerated && !hasBit(known.counted, trade.index))
    return hitTrades(rules, after, index).flatMap((hit) => (isNew(hit) ? [{ ...hit, rule: index }] : []))
  })
}

/**
 * Says what a hit trade did: 'Trade 881 of EURUSD was held for 41 s; at least 60 s'.
 *
 * @param upTo the number of the last observation that was known then
 */
export function hitInWords(rules: Rules, state: State, rule: number, trade: KnownTrade, upTo = Infinity): string {
  const known = itemsOf(state.known.trades).filter(({ observation }) => observation <= upTo)
  return `${tradeName(trade)} ${judgeAt(rules, rule)?.inWords(trade, known) ?? 'hit a rule'}`
}

function tradeName({ id, symbol }: KnownTrade): string {
  return symbol === null ? `Trade ${id}` : `Trade ${id} of ${symbol}`
}

function judgeAt({ rules }: Rules, rule: number): Behaviour | null {
  const found = rules[rule]?.rule
  return found?.role === 'behaviour' ? found : null
}
