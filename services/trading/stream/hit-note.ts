import { type HitTrade, hitTrades } from '#services/rules/hit-trades.ts'
import { type Cents, toCents } from '#services/rules/money.ts'
import { judgesTrades } from '#services/rules/programme.ts'
import type { FindingEvent } from './finding-events.ts'
import { stageTermsOf } from './programme-stage.ts'
import { rulesOfStage, type Stage } from './stage.ts'

/** The hits of a rule that are in the history. */
export interface NotedHits {
  /** The trades by the numbers of their observations. */
  readonly trades: ReadonlyMap<number, string>
  /** The profit that does not count because of the rule. */
  readonly excluded: Cents
}

/**
 * Keeps the history in step with the hits that need no decision: "`pause`, `warning` and `excludes-profit` make no finding,
 * but an entry in the history" (behaviour.md). One entry for each rule says which trades hit it since the last one, and
 * which do no longer, after a correction.
 */
export function noteHits(stage: Stage, noted: ReadonlyMap<number, NotedHits>): FindingEvent[] {
  const [rules, { rows, engine }] = [rulesOfStage(stage), stage.timeline]
  return stageTermsOf(stage.terms, stage.index).rules.flatMap((terms, index): FindingEvent[] => {
    if (!judgesTrades(terms) || terms.consequence === 'breach') return []
    const before = noted.get(index) ?? nothingNoted
    const numberOf = ({ trade }: HitTrade) => rows.get(trade.observation)?.source
    const hits = hitTrades(rules, engine, index).flatMap((hit) => {
      const observation = numberOf(hit)
      return hit.isTolerated || typeof observation !== 'number' ? [] : [{ observation, trade: hit.trade }]
    })
    const excluded = excludedBy(stage, index)
    const found = hits.filter(({ observation }) => !before.trades.has(observation))
    const isKnown = found.length === 0 && hits.length === before.trades.size
    if (isKnown && excluded === before.excluded) return []
    const now = new Set(hits.map(({ observation }) => observation))
    return [
      {
        type: 'HitsNoted',
        data: {
          ...{ rule: { index, kind: terms.kind }, consequence: terms.consequence },
          found: found.map(({ observation, trade }) => ({ observation, trade: trade.id })),
          gone: [...before.trades].flatMap(([observation, trade]) =>
            now.has(observation) ? [] : [{ observation, trade }],
          ),
          excluded: { from: before.excluded, to: excluded },
          at: found.at(-1)?.trade.closedAt.ms ?? null,
        },
      },
    ]
  })
}

const nothingNoted: NotedHits = { trades: new Map(), excluded: toCents(0) }

/** The profit that a rule excludes, as lines show it. */
function excludedBy(stage: Stage, index: number) {
  const rules = rulesOfStage(stage)
  const rule = rules.rules[index]?.rule
  const state = stage.timeline.engine.rules[index]
  return toCents(rule?.role === 'behaviour' && state ? (rule.show(state).excluded ?? 0) : 0)
}
