import type { z } from 'zod'
import { count, oneOf, percentage } from './amount.ts'
import { exactly, type Exact, minus, nothing, part, type Percent, percentOf, plus, up } from './exact.ts'
import { compareInstants } from './instant.ts'
import { type Bits, hasBit, withBit } from './log.ts'
import type { KnownTrade } from './known-trade.ts'
import type { Behaviour, BehaviourConsequence, Found, LimitFigures, RuleKind, RuleState, StageFacts } from './rule.ts'

/** The common parts of the rules that judge single trades (behaviour.md). */

/** The parameters of all seven kinds. */
export const behaviourTerms = {
  tolerated: count,
  consequence: oneOf('breach', 'pause', 'warning', 'excludes-profit'),
  counts: percentage.exactOptional(),
}

interface CommonTerms {
  readonly kind: string
  readonly tolerated: number
  readonly consequence: BehaviourConsequence
  readonly counts?: string
}

/** "`counts` (optional): only beside `excludes-profit`." */
export function countsBesideExclusion<Schema extends z.ZodType<Pick<CommonTerms, 'consequence' | 'counts'>>>(
  schema: Schema,
): Schema {
  return schema.refine(({ consequence, counts }) => counts === undefined || consequence === 'excludes-profit', {
    path: ['counts'],
    error: 'expected only beside "consequence": "excludes-profit"',
  })
}

/** A hit, with the trades that are then hit trades. */
export interface Hit {
  readonly trades: readonly KnownTrade[]
}

/** The judgement of one trade. */
export type Judged<Own> =
  /** A fact that the rule needs is not known. */
  | 'unknown'
  | {
      readonly own: Own
      /** "In the order in which they are found; those of one observation in the order of their trades." */
      readonly hits: readonly Hit[]
      /** An earlier trade of the same position, hit before: this trade is then a hit trade of the same hit. */
      readonly joins: KnownTrade | null
    }

/** A kind of these rules: what it remembers, and how it judges a trade when that is observed. */
export interface Judge<Own> {
  readonly start: Own
  /**
   * @param since the earlier trades that closed at or after the opening of this one, in their order
   * @param isHit whether an earlier trade is a hit trade already
   */
  judge(own: Own, trade: KnownTrade, since: readonly KnownTrade[], isHit: (trade: KnownTrade) => boolean): Judged<Own>
  /** See {@link Behaviour.inWords}. */
  inWords(trade: KnownTrade, known: readonly KnownTrade[]): string
}

/** Plain data. */
export interface BehaviourState extends RuleState {
  readonly hits: number
  readonly tolerated: number
  readonly unknown: number
  readonly excluded: Exact
  /** By their indexes: hit trades, those of hits with a consequence, and those whose profit is excluded. */
  readonly hit: Bits
  readonly counted: Bits
  readonly excludes: Bits
  readonly own: unknown
  /** What lines show: most observations change nothing of it. */
  readonly figures: LimitFigures
}

/** Defines a kind. Its functions only see what is their own. */
export function defineBehaviour<Schema extends z.ZodType<CommonTerms>, Own>(
  schema: Schema,
  create: (terms: z.output<Schema>, stage: StageFacts) => Judge<Own>,
): RuleKind<Schema> {
  return {
    schema,
    compile(written, _size, stage) {
      const terms = schema.parse(written)
      return compiled(terms, create(terms, stage))
    },
  }
}

function compiled<Own>(terms: CommonTerms, judge: Judge<Own>): Behaviour {
  const { kind, consequence, tolerated } = terms
  const counts: Percent = percentOf(terms.counts ?? '0')
  const start: BehaviourState = {
    ...{ kind, hits: 0, tolerated: 0, unknown: 0, excluded: nothing },
    ...{ hit: [], counted: [], excludes: [], own: judge.start },
    figures: figuresOf({ hits: 0, tolerated: 0, unknown: 0, excluded: nothing }),
  }
  const isOwn = (state: RuleState): state is BehaviourState & { readonly own: Own } => state.kind === kind
  const own = (state: RuleState) => {
    if (isOwn(state)) return state
    throw new TypeError(`A state of ${state.kind} does not continue ${kind}: it belongs to other rules`)
  }

  /** "`100 − counts` percent of the profit of each hit trade; a loss always counts whole." */
  const excludedPart = ({ profit }: KnownTrade): Exact =>
    consequence === 'excludes-profit' && profit > 0 ? minus(exactly(profit), part(counts, profit)) : nothing

  return {
    role: 'behaviour',
    consequence,
    start,
    judge(before, trade, since, paidAt) {
      const state = own(before)
      const judged = judge.judge(state.own, trade, since, ({ index }) => hasBit(state.hit, index))
      if (judged === 'unknown') return unhit(missed(state, 1))
      const { hits, joins } = judged
      if (hits.length === 0 && !joins) return unhit(judged.own === state.own ? state : withOwn(state, judged.own))

      let { hit, counted, excludes, excluded } = state
      const found: KnownTrade[] = []
      const nowExcluded: KnownTrade[] = []
      const addHitTrade = (one: KnownTrade, hasConsequence: boolean): void => {
        hit = withBit(hit, one.index)
        if (!hasConsequence) return
        counted = withBit(counted, one.index)
        // "A hit found after a payout excludes nothing of a trade that was observed before that payout."
        if (consequence !== 'excludes-profit' || one.observation <= paidAt || hasBit(excludes, one.index)) return
        excludes = withBit(excludes, one.index)
        excluded = plus(excluded, excludedPart(one))
        nowExcluded.push(one)
      }
      let number = state.hits + state.tolerated
      for (const { trades } of hits) {
        number += 1
        // "So many hits of the stage, the first ones, have no consequence."
        const hasConsequence = number > tolerated
        for (const one of trades) {
          addHitTrade(one, hasConsequence)
          if (hasConsequence && !found.includes(one)) found.push(one)
        }
      }
      if (joins) addHitTrade(trade, hasBit(state.counted, joins.index))
      const sums = {
        ...{ hits: Math.max(number - tolerated, 0), tolerated: Math.min(number, tolerated) },
        ...{ unknown: state.unknown, excluded },
      }
      const next = withOwn(state, judged.own, { ...sums, hit, counted, excludes, figures: figuresOf(sums) })
      return { state: next, trades: found, excluded: nowExcluded }
    },
    miss: (state, trades) => missed(own(state), trades),
    excludedOf: (state, trade) => (hasBit(own(state).excludes, trade.index) ? excludedPart(trade) : nothing),
    hitsOf: (state) => own(state),
    inWords: (trade, known) => judge.inWords(trade, known),
    show: (state) => own(state).figures,
    isUndetermined(before) {
      const state = own(before)
      return state.hits === 0 && state.unknown > 0
    },
  }
}

const none: readonly KnownTrade[] = []

function unhit(state: RuleState): Found {
  return { state, trades: none, excluded: none }
}

/** Written out rather than spread: this runs for every trade. */
function withOwn(
  state: BehaviourState,
  own: unknown,
  changed: Omit<BehaviourState, 'kind' | 'own'> = state,
): BehaviourState {
  return {
    kind: state.kind,
    hits: changed.hits,
    tolerated: changed.tolerated,
    unknown: changed.unknown,
    excluded: changed.excluded,
    hit: changed.hit,
    counted: changed.counted,
    excludes: changed.excludes,
    own,
    figures: changed.figures,
  }
}

function missed(state: BehaviourState, trades: number): BehaviourState {
  const { hits, tolerated, excluded, hit, counted, excludes } = state
  const sums = { hits, tolerated, unknown: state.unknown + trades, excluded }
  return withOwn(state, state.own, { ...sums, hit, counted, excludes, figures: figuresOf(sums) })
}

type Counted = Pick<BehaviourState, 'hits' | 'tolerated' | 'unknown' | 'excluded'>

function figuresOf({ hits, tolerated, unknown, excluded }: Counted): LimitFigures {
  return { hits, tolerated, unknown, excluded: up(excluded) }
}

/** Nothing is remembered but what is common. */
export const remembersNothing = null

/** A trade that hits by itself, or does not. */
export function judgedAlone(trade: KnownTrade, isHit: boolean): Judged<null> {
  return { own: null, hits: isHit ? [{ trades: [trade] }] : [], joins: null }
}

/**
 * The earlier trades of the position of a trade: "the trades of one symbol, one side and one `openedAt` (equal texts,
 * equal instants). A trade without symbol or side is a position of its own", and one whose opening nobody knows.
 */
export function samePosition(trade: KnownTrade, since: readonly KnownTrade[]): readonly KnownTrade[] {
  const { symbol, side, openedAt } = trade
  if (symbol === null || side === null || !openedAt) return []
  return since.filter(
    (other) =>
      other.symbol === symbol &&
      other.side === side &&
      other.openedAt !== null &&
      compareInstants(other.openedAt, openedAt) === 0,
  )
}
