import type { z } from 'zod'
import { oneOf } from './amount.ts'
import type { KnownTrade } from './known-trade.ts'
import type { Calendar } from './calendar.ts'
import type { DecisionRules } from './decision-version.ts'
import type { Exact, Whole } from './exact.ts'
import type { Bits } from './log.ts'
import type { TradingDays } from './trading-day.ts'

/** The common parts of all kinds of rules: what they look at, what they answer, how one is defined. */

/** Balance and equity, in cents. */
export interface Values {
  readonly balance: number
  readonly equity: number
}

/** A rule looks at the reported values of the account, and where its stage and its day began. Plain data. */
export interface Account extends Values {
  readonly size: number
  readonly open: boolean
  /** Numbers of days. */
  readonly openedOn: number
  readonly today: number
  /** The account size with all transfers, less all payouts. Profit is what the balance has above it. */
  readonly base: number
  /** The values at the start of the day, moved by payouts and transfers since. */
  readonly dayStart: Values
  readonly dayHighEquity: number
  /** Profit of trades that does not count, of the stage and of the day (behaviour.md). */
  readonly excluded: Exact
  readonly excludedToday: Exact
  /** The time since the last payout, or since the opening of the stage where there was none. */
  readonly cycle: {
    readonly startedOn: number
    readonly startedAt: { readonly ms: number; readonly ns: number } | null
    readonly base: number
    /** The values at the start of the day, or after the payout where that was today. */
    readonly dayStart: Values
    readonly excluded: Exact
    readonly excludedToday: Exact
  }
}

/** Observed values: a moment of them, or a whole day of which only the extremes are known. */
export interface Observed extends Values {
  readonly lowestEquity: number
  readonly highestEquity: number
}

/** A trade, or the trades of a whole day. */
export interface Traded {
  readonly openedAt: { readonly ms: number; readonly ns: number; readonly day: number } | null
  readonly profit: number | null
  /** Where the rules of the stage ask for single trades. */
  readonly trade: KnownTrade | null
  /** What is left of its profit after exclusion. */
  readonly left: Exact
}

/** Profit of an earlier trade counts no longer. */
export interface Exclusion {
  readonly trade: KnownTrade
  /** What counted before, and how much of it is excluded now. */
  readonly left: Exact
  readonly more: Exact
}

/** The effect of a payout on a floor that follows. */
export const floorAfterPayout = oneOf('stays', 'falls', 'locks', 'restarts')
export type FloorAfterPayout = z.infer<typeof floorAfterPayout>

export const consequence = oneOf('breach', 'pause', 'warning')
export type Consequence = z.infer<typeof consequence>

export const measures = oneOf('equity', 'balance', 'lower')
export const checked = oneOf('every-change', 'day-close')
export const touch = oneOf('breach', 'allowed')
export const since = oneOf('stage', 'last-payout')

/** State of a rule: plain data that can be stored. The kind says whose it is. */
export interface RuleState {
  readonly kind: string
}

/** A floor, and what a value at it means. */
export interface Floor {
  readonly exact: Exact
  readonly touch: z.infer<typeof touch>
}

/** A limit was passed: which value at which floor, where it has one. */
export interface Fall {
  readonly floor: Floor | null
  readonly measured: number | null
}

interface Rule<State> {
  readonly start: State
  /** A reported value or trade was observed; the account already holds it. */
  observe(state: State, account: Account, observed: Observed, traded: Traded | null): State
  /** A payout left the account. */
  pay(state: State, account: Account, amount: number, floor: FloorAfterPayout): State
}

/** A rule with a consequence. */
export interface Limit<State> extends Rule<State> {
  readonly role: 'limit'
  readonly consequence: Consequence
  /** The day ends with the last reported values. `fall` is what that finds. */
  endDay(state: State, account: Account): { readonly state: State; readonly fall: Fall | null }
  /** Returns the hit of these values. Undetermined where the order of a day's lowest and highest decides. */
  check(state: State, account: Account, observed: Observed): Fall | 'undetermined' | null
  /** The floor that a payout must not reach, and what is measured there. */
  payoutFloor(state: State, account: Account, floor: FloorAfterPayout): PayoutFloor | null
  show(state: State, account: Account, values: Values): LimitFigures
}

export interface PayoutFloor {
  readonly floor: Floor
  readonly measured: number
}

export interface LimitFigures {
  readonly floor?: Floor
  /** In cents, as shown. */
  readonly room?: number
  readonly locked?: boolean
  readonly days?: number
  /** Of rules that judge single trades. */
  readonly hits?: number
  readonly tolerated?: number
  readonly unknown?: number
  /** In cents, as shown. */
  readonly excluded?: number | undefined
}

export type BehaviourConsequence = Consequence | 'excludes-profit'

/** What an observation led to. */
export interface Found {
  readonly state: RuleState
  /** The trades of the hits with a consequence that were found now, each once, in their order. */
  readonly trades: readonly KnownTrade[]
  /** The trades whose profit is excluded from now on. */
  readonly excluded: readonly KnownTrade[]
}

export interface HitBits {
  readonly hit: Bits
  readonly counted: Bits
}

/** A rule that judges single trades. */
export interface Behaviour {
  readonly role: 'behaviour'
  readonly consequence: BehaviourConsequence
  readonly start: RuleState
  /** @param paidAt the number of the observation that was the last payout; -1 before the first */
  judge(state: RuleState, trade: KnownTrade, since: readonly KnownTrade[], paidAt: number): Found
  /** So many trades are known by their number alone. */
  miss(state: RuleState, trades: number): RuleState
  /** What it excludes of the profit of a trade. */
  excludedOf(state: RuleState, trade: KnownTrade): Exact
  /** Its hit trades, by their indexes; `counted` are those of hits with a consequence. */
  hitsOf(state: RuleState): HitBits
  /**
   * What a hit trade did, after its name: 'was held for 41 s; at least 60 s'.
   *
   * @param known all trades that were known then, in their order
   */
  inWords(trade: KnownTrade, known: readonly KnownTrade[]): string
  show(state: RuleState): LimitFigures
  /** The state of a line where nothing was found on it. */
  isUndetermined(state: RuleState): boolean
}

/** A rule that has to be met. */
export interface Goal<State> extends Rule<State> {
  readonly role: 'goal'
  endDay(state: State, account: Account): State
  /** Null for a goal that remembers no profit. The account already holds the exclusion. */
  readonly exclude: ((state: State, account: Account, exclusion: Exclusion) => State) | null
  /** Its effect on the profit that counts elsewhere. Null for a goal that never has one. */
  readonly effect: ((state: State, account: Account) => Effects) | null
  /** The numbers of the days that count now. Null for a goal that counts none. */
  readonly countedDays: ((state: State, account: Account) => readonly number[]) | null
  show(state: State, account: Account, effects: Effects): GoalFigures
}

/** The effects of a goal, or of all together. */
export interface Effects {
  /** The profit that targets require at least. */
  readonly needed: Whole
  /** The profit that does not count. */
  readonly excluded: Exact
}

/** Figures of a goal and its state. Those that can be larger than any amount are decimal strings already. */
export interface GoalFigures {
  readonly state: 'open' | 'met' | 'not-applicable'
  readonly target?: string
  readonly missing?: string
  readonly days?: number
  readonly best?: number
  readonly profit?: number
  readonly share?: string | null
  readonly needed?: string
  readonly excluded?: number | undefined
}

export type AnyRule = Limit<RuleState> | Goal<RuleState> | Behaviour

/** What a rule has to know of its stage. */
export interface StageFacts {
  readonly decided: DecisionRules
  /** Whether a rule of the stage excludes profit: then goals remember what an exclusion may change later. */
  readonly excludesProfit: boolean
  readonly days: TradingDays
  readonly zone: string
  /** Days that start at another time, or in another zone. */
  daysOf(day: { readonly zone: string; readonly startsAt: string }): TradingDays
  readonly currenciesOf: (symbol: string) => readonly string[] | null
  readonly calendar: Calendar
}

/** A kind of rule: how it is written, and what it does for an account of a size. */
export interface RuleKind<Schema extends z.ZodType> {
  readonly schema: Schema
  compile(terms: unknown, size: number, stage: StageFacts): AnyRule
}

/** Defines a limit. Its functions only see states of their own kind. */
export function defineLimit<Schema extends z.ZodType, State extends RuleState>(
  schema: Schema,
  create: (terms: z.output<Schema>, size: number, stage: StageFacts) => Limit<State>,
): RuleKind<Schema> {
  return {
    schema,
    compile(terms, size, stage) {
      const limit = create(schema.parse(terms), size, stage)
      const own = ownStates(limit.start)
      const sealed: Limit<RuleState> = {
        ...limit,
        observe: (state, account, observed, traded) => limit.observe(own(state), account, observed, traded),
        pay: (state, account, amount, floor) => limit.pay(own(state), account, amount, floor),
        endDay: (state, account) => limit.endDay(own(state), account),
        check: (state, account, observed) => limit.check(own(state), account, observed),
        payoutFloor: (state, account, floor) => limit.payoutFloor(own(state), account, floor),
        show: (state, account, values) => limit.show(own(state), account, values),
      }
      return sealed
    },
  }
}

/** Defines a goal. Its functions only see states of their own kind. */
export function defineGoal<Schema extends z.ZodType, State extends RuleState>(
  schema: Schema,
  create: (terms: z.output<Schema>, size: number, stage: StageFacts) => Goal<State>,
): RuleKind<Schema> {
  return {
    schema,
    compile(terms, size, stage) {
      const goal = create(schema.parse(terms), size, stage)
      const own = ownStates(goal.start)
      const { effect, countedDays, exclude } = goal
      const sealed: Goal<RuleState> = {
        ...goal,
        observe: (state, account, observed, traded) => goal.observe(own(state), account, observed, traded),
        pay: (state, account, amount, floor) => goal.pay(own(state), account, amount, floor),
        endDay: (state, account) => goal.endDay(own(state), account),
        exclude: exclude && ((state, account, exclusion) => exclude(own(state), account, exclusion)),
        effect: effect && ((state, account) => effect(own(state), account)),
        countedDays: countedDays && ((state, account) => countedDays(own(state), account)),
        show: (state, account, effects) => goal.show(own(state), account, effects),
      }
      return sealed
    },
  }
}

function ownStates<State extends RuleState>({ kind }: State) {
  const isOwn = (state: RuleState): state is State => state.kind === kind
  return (state: RuleState): State => {
    if (isOwn(state)) return state
    throw new TypeError(`A state of ${state.kind} does not continue ${kind}: it belongs to other rules`)
  }
}

/** The value that is measured, and the lowest that it was known to be. */
export function measured(by: z.infer<typeof measures>, { balance, equity }: Values): number {
  switch (by) {
    case 'equity':
      return equity
    case 'balance':
      return balance
    case 'lower':
      return Math.min(balance, equity)
  }
}
