import { Money } from '#services/framework/api/money.ts'
import { described, namedObject } from '#services/framework/api/openapi-component.ts'
import { payoutShape } from './available-payout-api.ts'
import { z } from 'zod'
import { hitOutcomes, hitStates } from '#services/trading/stream/account-vocabulary.ts'

/** Where an account stands against its limits, and what it traded. */

const eventBehind = z.int().positive().nullable()

const TermInWords = z.object({ title: z.string(), text: z.string() })

const StandingRule = namedObject('StandingRule', {
  kind: described("'maximum-loss', 'daily-loss', 'profit-target', or another kind of rule", z.string()),
  state: z.enum(['kept', 'paused', 'breached', 'warned', 'suspected', 'undetermined', 'open', 'met', 'not-applicable']),
  floor: described('Value at which the limit is reached', Money.optional()),
  room: described('Amount that the account has above the floor', Money.optional()),
  locked: described('Whether the floor of the maximum loss stopped for good', z.boolean().optional()),
  target: described('Balance at which the target is reached', z.string().optional()),
  missing: described('Amount that the balance lacks for the target', z.string().optional()),
  days: described('Number of days that the rule counted', z.int().nonnegative().optional()),
  best: described('Result of the best day or trade, for a consistency rule', Money.optional()),
  profit: described('Total profit the best day or trade is compared with', Money.optional()),
  share: described('Share of the best day or trade in the total profit, in percent', z.string().nullable().optional()),
  needed: described('Total profit at which the share is low enough', z.string().optional()),
  excluded: described('Profit that does not count because of the rule', Money.optional()),
  hits: described('For a rule about single trades: hits that had a consequence', z.int().nonnegative().optional()),
  tolerated: described('Hits that had none', z.int().nonnegative().optional()),
  unknown: described('Trades without a fact that the rule needs', z.int().nonnegative().optional()),
  amount: described('The limit or target itself; null where it is no fixed amount', Money.nullable()),
  lost: described(
    'Loss that counts against a limit; 0.00 for a target, null where the limit is no fixed amount',
    Money.nullable(),
  ),
  taken: described(
    'Without a programme: what payouts and other bookings took of a limit, which is no loss',
    Money.optional(),
  ),
  event: described('The number of the event that set it', eventBehind),
  percent: described(
    'Share of a limit that is lost, or of a goal that is reached, from 0 to 100; null where the limit is no fixed amount',
    z.number().nullable(),
  ),
  terms: described(
    'Under a programme: what the terms say of it; null without one',
    z
      .object({
        ...TermInWords.shape,
        consequence: described(
          'Consequence of reaching the limit; null for a goal',
          z.enum(['breach', 'pause', 'warning', 'excludes-profit']).nullable(),
        ),
        asked: described(
          'Required number of days, largest share in percent, or how many hits are tolerated; null for an amount',
          z.string().nullable(),
        ),
        window: described(
          'Of a rule about news: the minutes around them that it judges, and their impacts; absent for others',
          z.object({ before: z.int(), after: z.int(), impacts: z.array(z.enum(['low', 'medium', 'high'])) }).optional(),
        ),
        nearest: described('Whether it is the limit with the least room', z.boolean()),
        proof: described(
          'The number of the event that the figures follow from; null where the terms alone say them',
          eventBehind,
        ),
        since: described(
          'Event that last changed the figures; null from the beginning of the stage',
          z.iso.datetime().nullable(),
        ),
      })
      .nullable(),
  ),
})

const Cause = namedObject('StandingCause', {
  kind: z.string(),
  floor: Money.nullable(),
  measured: Money.nullable(),
  at: z.string(),
  observation: described('Its place among the observations and payouts in their order, from 0', z.int().nonnegative()),
  trade: described('For a rule about single trades: the id of the trade', z.string().optional()),
})

/** A line of the arithmetic behind a breach or a pass: the parts add up to the sum, which is compared with the floor. */
export const ArithmeticLine = namedObject('ArithmeticLine', {
  role: described(
    "'rest': the sum of movements that are not shown; 'goal': a goal of a stage that is passed, with its figures; 'trade': what a hit trade did, for a rule about single trades, the cause last",
    z.enum(['start', 'part', 'rest', 'sum', 'floor', 'difference', 'goal', 'trade']),
  ),
  what: z.string(),
  at: z.iso.datetime().nullable(),
  amount: Money.nullable(),
  event: described('The number of the event that recorded or last corrected it', eventBehind),
})
export type ArithmeticLine = z.infer<typeof ArithmeticLine>

const Moved = z.object({ at: z.iso.datetime(), balance: Money })

const StandingPayout = namedObject('StandingPayout', payoutShape)

/**
 * GET /api/user/account/standing and GET /api/admin/accounts/:id/standing: a line of `rules evaluate` with a clock at
 * now. A limit whose text is not understood has no rule.
 */
export const Standing = namedObject('Standing', {
  account: z.string(),
  at: z.iso.datetime(),
  day: z.iso.date(),
  balance: Money,
  equity: Money,
  status: z.enum(['in-progress', 'paused', 'passed', 'breached']),
  rules: z.array(StandingRule),
  nearest: described('The kind of the limit with the least room', z.string().nullable()),
  cause: described('Why it is breached; null without a programme, where staff decide', Cause.nullable()),
  arithmetic: described(
    'Once the rules find a breach or a pass: the amounts behind it, or the goals',
    z.array(ArithmeticLine).optional(),
  ),
  payout: described('Payout of a funded stage; null without a programme', StandingPayout.nullable()),
  programme: described(
    'Null without a programme',
    z.object({ id: z.string(), version: z.int().positive(), hash: z.string() }).nullable(),
  ),
  stage: described('The stage of the programme, from 0; null without one', z.int().nonnegative().nullable()),
  terms: described(
    'Under a programme: its name, its trading day, and what its stage says besides its rules; null without one',
    z
      .object({
        name: z.string(),
        version: z.int().positive(),
        stage: z.string(),
        zone: z.string(),
        startsAt: z.string(),
        words: z.array(TermInWords),
      })
      .nullable(),
  ),
  person: described(
    'Under a programme: what a person decided of the status or against the rules, and its event; null where the rules decided',
    z.object({ decided: z.enum(['status', 'finding']), event: z.int().positive() }).nullable(),
  ),
  asOf: described(
    'Instant of the newest observation that the figures rest on, without a programme of the newest balance; null before the first',
    z.iso.datetime().nullable(),
  ),
  reported: described(
    'The last equity that a platform reported, and what was open then: equity less the balance of that instant; null where only closed trades are known, and without a programme',
    z.object({ at: z.iso.datetime(), equity: Money, floating: Money }).nullable(),
  ),
  dayStartedAt: described('Start of the present day', z.iso.datetime()),
  resetsAt: described('End of the present day, when the daily limit starts again', z.iso.datetime()),
  began: described(
    'The balance that the present phase began with, without a profit that was typed together with it; null before the first money',
    Moved.nullable(),
  ),
  result: described(
    'Results of trading, without payouts: today, in this phase, and since the account began',
    z.object({ today: Money, phase: Money, total: Money }),
  ),
  progress: described(
    'Progress of the recorded profit to the target, from 0 to 100 percent; a target of 0.00 counts as none, null is a text that is not understood',
    z.object({ target: Money, percent: z.number(), remaining: Money }).nullable(),
  ),
  agrees: described('The recorded profit or loss is what the balance has above its beginning', z.boolean()),
})
export type Standing = z.infer<typeof Standing>
export type StandingRule = Standing['rules'][number]

/** A day on which the balance changed: in the programme's zone, without a programme in UTC. */
const TradingDay = z.object({
  date: z.iso.date(),
  closing: described('The balance at its end', Money),
  result: described('Trading profit or loss', Money),
})
export type TradingDay = z.infer<typeof TradingDay>

/** A trading day of a programme, on which something was observed or which counts. */
const CalendarDay = namedObject('CalendarDay', {
  ...TradingDay.shape,
  startsAt: z.iso.datetime(),
  endsAt: z.iso.datetime(),
  counts: described(
    'Whether it counts as one of the days that a rule asks for; null without such a rule',
    z.boolean().nullable(),
  ),
  trades: described('Number of closed trades; null where only balances are known', z.int().nonnegative().nullable()),
  limits: described(
    'The limits that were reached, each with the event of the observation',
    z.array(z.object({ kind: z.string(), title: z.string(), state: z.enum(hitStates), event: eventBehind })),
  ),
  event: described('The number of the event with its last observation; null without one', eventBehind),
})
export type CalendarDay = z.infer<typeof CalendarDay>

const DayResult = TradingDay.pick({ date: true, result: true })

/** A chart of a period draws this besides `points`: no reader has to add or subtract. */
const PeriodCurve = namedObject('PeriodCurve', {
  from: described('Start of the curve: of the period, or of the first money', z.iso.datetime()),
  balance: described('The balance that holds then', Money),
  index: described('The place in `points`, from 0, of the first one after its beginning', z.int().nonnegative()),
  traded: described('Result of trading since the start, at each point from `index` on', z.array(Money)),
  movedOtherwise: described('Whether a payout, a new phase or another entry moved the balance in it, too', z.boolean()),
})

/** The trading of a period, without payouts and without balances set for a new phase. */
const TradingFigures = namedObject('TradingFigures', {
  result: Money,
  best: DayResult.nullable(),
  worst: DayResult.nullable(),
  winningDays: z.int(),
  losingDays: z.int(),
  deepestFall: described('The deepest fall of what was traded, from a peak', Money),
  curve: described('Null before the first money', PeriodCurve.nullable()),
})
export type TradingFigures = z.infer<typeof TradingFigures>

/** The trading in a history, from every change of the balance. */
export const tradingShape = {
  days: z.array(TradingDay),
  /** The figures of the last days, and of all days. */
  periods: z.object({ '7d': TradingFigures, '30d': TradingFigures, '90d': TradingFigures, all: TradingFigures }),
  calendar: described(
    'The trading days of the programme, oldest first, by the instants of what was observed; null without a programme',
    z.object({ zone: z.string(), startsAt: z.string(), days: z.array(CalendarDay) }).nullable(),
  ),
}

/** A rule that a trade hit. */
const TradeHit = namedObject('TradeHit', {
  rule: described('Among the rules of the stage, from 0', z.int().nonnegative()),
  kind: z.string(),
  title: z.string(),
  outcome: described(
    "What became of it; 'dismissed': staff dismissed the breach. A trade that 'excludes-profit' has no profit to exclude where `excluded` is 0.00",
    z.enum(hitOutcomes),
  ),
  excluded: described('What this rule excludes of the profit of the trade', Money),
  what: described('What the trade did, such as "Trade 881 of EURUSD was held for 41 s; at least 60 s"', z.string()),
  event: described('The number of the event that showed it', eventBehind),
})
export type TradeHit = z.infer<typeof TradeHit>

/** A trade that was closed. */
export const AccountTrade = namedObject('AccountTrade', {
  id: described('As the trading platform names it', z.string()),
  symbol: described('Null where nobody knows it, as the other facts', z.string().nullable()),
  side: z.enum(['buy', 'sell']).nullable(),
  openedAt: z.iso.datetime().nullable(),
  closedAt: z.iso.datetime(),
  volume: described('In lots', z.string()),
  openPrice: described('As the platform writes it', z.string().nullable()),
  closePrice: z.string().nullable(),
  result: described('Net of commission and swap', Money),
  balance: described('After it', Money),
  event: described('The number of the event that recorded it, or last corrected it', eventBehind),
  hits: described('The rules about single trades that it hit', z.array(TradeHit)),
  counts: described(
    'What counts of the result for targets and payouts; null where no rule excludes a part of it',
    Money.nullable(),
  ),
})
export type AccountTrade = z.infer<typeof AccountTrade>
