import { describe, expect, it } from 'vitest'
import { publication } from './calendar.ts'
import { programme } from './programme.ts'
import {
  consistency,
  dailyLoss,
  figures,
  fixed,
  lastOf,
  linesOf,
  minimumDays,
  on,
  payout,
  payouts,
  percent,
  profitTarget,
  rule,
  type Stage,
  state,
  states,
  statuses,
  trade,
  wholeDay,
  type Written,
} from '#test-support/rules.ts'

// Each test quotes the sentence of behaviour.md that it is about.

let number = 0
/** A trade on the second of November, by default of 1.00 lots bought in EURUSD. */
const deal = (opened: string, closed: string, more: Written = {}): Written => ({
  ...trade(at(closed), '100.00', { id: `D${String(++number).padStart(6, '0')}`, openedAt: at(opened) }),
  ...{ symbol: 'EURUSD', side: 'buy' },
  ...more,
})
/** '09:30' is on the second, '3 09:30' on the third; seconds and parts of them may follow. */
function at(text: string): string {
  const [, day = '2', time = ''] = /^(?:(\d+) )?(.+)$/.exec(text) ?? []
  return time.length > 5 ? on(Number(day), '00:00').replace('00:00:00', time) : on(Number(day), time)
}
const only = (kind: Written, more: Partial<Stage> = {}): Stage => ({ rules: [rule(kind)], ...more })
const without = (one: Written, ...fields: readonly string[]): Written =>
  Object.fromEntries(Object.entries(one).filter(([name]) => !fields.includes(name)))
const hitsOf = (stage: Stage, ...observed: readonly Written[]) =>
  linesOf(stage, ...observed).map(({ rules: [line] }) => line?.hits)
const unknownOf = (stage: Stage, ...observed: readonly Written[]) => figures(lastOf(stage, ...observed))?.unknown

describe('holding-time', () => {
  const least = { kind: 'holding-time', atLeast: 60, of: 'all' }

  it('"it was held for less than `atLeast` seconds", to the nanosecond', () => {
    expect(hitsOf(only(least), deal('09:00', '09:01'))).toEqual([0])
    expect(hitsOf(only(least), deal('09:00:00.000000001', '09:01:00'))).toEqual([1])
    expect(hitsOf(only(least), deal('09:00', '09:00:59.999999999'))).toEqual([1])
    expect(hitsOf(only({ ...least, atLeast: 0 }), deal('09:00', '09:00'))).toEqual([0])
  })

  it('"`of`: `all` trades or `profitable` ones (profit above 0.00)"', () => {
    const profitable = only({ ...least, of: 'profitable' })
    expect(hitsOf(profitable, deal('09:00', '09:00', { profit: '0.00' }))).toEqual([0])
    expect(hitsOf(profitable, deal('09:00', '09:00', { profit: '0.01' }))).toEqual([1])
  })

  it('"One whose opening nobody knows is unknown for `holding-time`"', () => {
    expect(figures(lastOf(only(least), without(deal('09:00', '09:00'), 'openedAt')))).toEqual({
      ...{ kind: 'holding-time', hits: 0, tolerated: 0, unknown: 1, excluded: '0.00', state: 'undetermined' },
    })
  })
})

describe('flat-at', () => {
  // 2026-11-06 is a Friday; New York is at UTC-5.
  const flat = { kind: 'flat-at', at: '16:50', weekdays: [5], symbols: null, zone: 'America/New_York' }

  it('"it was opened before and closed after the local time `at` of a date whose weekday is in `weekdays`"', () => {
    expect(hitsOf(only(flat), deal('6 21:49', '6 21:51'))).toEqual([1])
    expect(hitsOf(only(flat), deal('6 21:50', '6 21:51'))).toEqual([0])
    expect(hitsOf(only(flat), deal('6 21:49', '6 21:50'))).toEqual([0])
    expect(hitsOf(only(flat), deal('6 21:49', '6 21:50:00.000000001'))).toEqual([1])
    expect(hitsOf(only(flat), deal('5 12:00', '6 12:00'))).toEqual([0])
    expect(hitsOf(only(flat), deal('2 12:00', '9 12:00'))).toEqual([1])
  })

  it('"without it the day\'s zone", and only the symbols that are named', () => {
    const inDay = { kind: 'flat-at', at: '16:50', weekdays: [5], symbols: ['xau*'] }
    expect(hitsOf(only(inDay), deal('6 16:49', '6 16:51', { symbol: 'XAUUSD' }))).toEqual([1])
    expect(hitsOf(only(inDay), deal('6 16:49', '6 16:51'))).toEqual([0])
    expect(unknownOf(only(inDay), without(deal('6 16:49', '6 16:51'), 'symbol'))).toBe(1)
    expect(unknownOf(only(flat), without(deal('6 16:49', '6 16:51'), 'symbol'))).toBe(0)
  })

  it('"Skipped and repeated times as for the start of a day"', () => {
    // On 2026-03-29 Prague skips 02:00 to 03:00, which is 01:00 UTC; on 2026-10-25 02:30 comes first at 00:30 UTC.
    const night = only({ kind: 'flat-at', at: '02:30', weekdays: [7], symbols: null, zone: 'Europe/Prague' })
    const between = (opened: string, closed: string) => [{ ...deal('09:00', '09:00'), openedAt: opened, at: closed }]
    expect(hitsOf(night, ...between('2026-03-29T00:59:00Z', '2026-03-29T01:01:00Z'))).toEqual([1])
    expect(hitsOf(night, ...between('2026-10-25T00:29:00Z', '2026-10-25T00:31:00Z'))).toEqual([1])
    expect(hitsOf(night, ...between('2026-10-25T01:29:00Z', '2026-10-25T01:31:00Z'))).toEqual([0])
  })
})

describe('news', () => {
  const event = (more: Written = {}): Written => ({
    ...{ id: 'NFP', at: on(6, '13:30'), currency: 'USD', impact: 'high', title: 'Nonfarm payrolls' },
    ...{ publishedAt: on(1), ...more },
  })
  const rules = { kind: 'news', before: 2, after: 2, judges: 'either', impacts: ['high'] }
  const judged = (judges: string, calendar: readonly Written[] = [event()], more: Written = {}) =>
    only({ ...rules, judges, ...more }, { calendar })

  it('"contains what is judged: `opening`, `closing`, `either`, `holding`", with both ends of the window', () => {
    const opened = deal('6 13:32', '6 14:00')
    const closed = deal('6 12:00', '6 13:28')
    const held = deal('6 12:00', '6 14:00')
    const ones = [opened, closed, held, deal('6 13:32:00.000000001', '6 15:00')]
    const hits = (judges: string) => ones.map((one) => hitsOf(judged(judges), one)[0])
    expect(hits('opening')).toEqual([1, 0, 0, 0])
    expect(hits('closing')).toEqual([0, 1, 0, 0])
    expect(hits('either')).toEqual([1, 1, 0, 0])
    expect(hits('holding')).toEqual([1, 1, 1, 0])
  })

  it('"an entry with one of the `impacts` concerns its symbol"', () => {
    const inWindow = (symbol: string) => deal('6 13:30', '6 14:00', { symbol })
    expect(hitsOf(judged('either'), inWindow('EURGBP'))).toEqual([0])
    expect(hitsOf(judged('either', [event({ impact: 'medium' })]), inWindow('EURUSD'))).toEqual([0])
    // "Exactly the symbols that they match, its currency is then only shown."
    const ofGold = [event({ symbols: ['XAU*'] })]
    expect(hitsOf(judged('either', ofGold), inWindow('xauusd.m'))).toEqual([1])
    expect(hitsOf(judged('either', ofGold), inWindow('EURUSD'))).toEqual([0])
  })

  it('finds "currencies of a symbol" by its letters, or by the instruments of the programme', () => {
    const inWindow = (symbol: string) => deal('6 13:30', '6 14:00', { symbol })
    for (const symbol of ['EURUSD', 'eur/usd', 'XAUUSD', 'USDXCG', '.USDJPY.pro'])
      expect(hitsOf(judged('either'), inWindow(symbol)), symbol).toEqual([1])
    for (const symbol of ['US30', 'USDUSD', 'BGNUSD', 'BTCUSD', 'USD'])
      expect(unknownOf(judged('either'), inWindow(symbol)), symbol).toBe(1)
    const named = { instruments: { US30: ['USD'], 'US*': ['EUR'], 'US30*': ['GBP'] } }
    const withNames = { ...judged('either'), ...named }
    expect(hitsOf(withNames, inWindow('us30'))).toEqual([1])
    expect(hitsOf(withNames, inWindow('US30.cash'))).toEqual([0])
    // "Unless an entry with `symbols` hits it."
    expect(hitsOf(judged('either', [event({ symbols: ['US30'] })]), inWindow('US30'))).toEqual([1])
  })

  it('"What was published too late judges nobody"', () => {
    const early = event({ id: 'CPI', at: on(5, '13:30') })
    const late = event({ publishedAt: on(6, '13:31') })
    expect(hitsOf(judged('opening', [early, late]), deal('6 13:30', '6 15:00'))).toEqual([0])
    expect(hitsOf(judged('opening', [early, late]), deal('6 13:31', '6 15:00'))).toEqual([1])
    // `holding` by the versions of the opening.
    expect(hitsOf(judged('holding', [early, late]), deal('6 13:30', '6 13:32'))).toEqual([0])
  })

  it('judges by "the newest versions", also one that moves or withdraws an entry', () => {
    const moved = event({ at: on(6, '14:30'), publishedAt: on(5) })
    const withdrawn = event({ publishedAt: on(5), withdrawn: true })
    expect(hitsOf(judged('either', [event(), moved]), deal('6 13:30', '6 14:00'))).toEqual([0])
    expect(hitsOf(judged('either', [event(), moved]), deal('6 14:30', '6 15:00'))).toEqual([1])
    expect(hitsOf(judged('either', [event(), withdrawn]), deal('6 13:30', '6 14:00'))).toEqual([0])
    expect(hitsOf(judged('either', [event(), withdrawn]), deal('4 13:30', '4 13:31'))).toEqual([0])
  })

  it('"Unknown is a trade that was opened before anything at all was published"', () => {
    expect(unknownOf(judged('either', []), deal('6 13:30', '6 14:00'))).toBe(1)
    expect(unknownOf(judged('closing'), deal('1 11:59', '6 13:30'))).toBe(1)
    expect(unknownOf(judged('closing'), deal('1 12:00', '6 14:00'))).toBe(0)
    expect(hitsOf(judged('closing'), without(deal('6 12:00', '6 13:30'), 'openedAt'))).toEqual([1])
    expect(unknownOf(judged('either'), without(deal('6 12:00', '6 13:30'), 'openedAt'))).toBe(1)
    expect(unknownOf(judged('either'), without(deal('6 12:00', '6 13:30'), 'symbol'))).toBe(1)
  })

  it('takes a line without currency only with symbols', () => {
    expect(publication.safeParse(without(event(), 'currency')).success).toBe(false)
    expect(publication.safeParse({ ...without(event(), 'currency'), symbols: ['US30'] }).success).toBe(true)
    expect(publication.safeParse(event({ withdrawn: false })).success).toBe(false)
    expect(publication.safeParse(event({ currency: 'usd' })).success).toBe(false)
  })
})

describe('volume', () => {
  const perTrade = only({ kind: 'volume', most: '2.00', per: 'trade', symbols: null })
  const perOpen = only({ kind: 'volume', most: '2.00', per: 'open', symbols: null })

  it('"the hit is found at the trade that lifts it above `most`", once for a position', () => {
    const part = (closed: string, volume: string) => deal('09:00', closed, { volume })
    expect(hitsOf(perTrade, part('09:10', '2.00'), part('09:20', '0.0000001'), part('09:30', '1'))).toEqual([0, 1, 1])
    // Another side, symbol or opening is another position.
    expect(hitsOf(perTrade, part('09:10', '2.00'), deal('09:00', '09:20', { side: 'sell', volume: '2.00' }))).toEqual([
      0, 0,
    ])
    expect(hitsOf(perTrade, part('09:10', '2'), deal('09:00:00.000000001', '09:20', { volume: '2' }))).toEqual([0, 0])
    expect(hitsOf(perTrade, part('09:10', '1.5'), without(part('09:20', '1.5'), 'symbol'))).toEqual([0, 0])
  })

  it('"at its opening the volumes of all trades then open, its own included, are together above `most`"', () => {
    const long = deal('09:00', '10:00', { volume: '1.5' })
    const short = deal('09:30', '09:40', { volume: '1.5' })
    // "A trade that closes later can show that an earlier one was opened above the limit."
    expect(hitsOf(perOpen, short, long)).toEqual([0, 1])
    expect(figures(lastOf(perOpen, short, long))?.hits).toBe(1)
    expect(hitsOf(perOpen, long, deal('10:00', '11:00', { volume: '1.5' }))).toEqual([0, 0])
    expect(
      hitsOf(perOpen, deal('09:00', '10:00', { volume: '1.5' }), deal('09:00', '11:00', { volume: '1.5' })),
    ).toEqual([0, 2])
    expect(hitsOf(perOpen, deal('09:00', '09:00', { volume: '2.01' }))).toEqual([1])
  })

  it('sums only the volumes of its symbols', () => {
    const gold = only({ kind: 'volume', most: '2.00', per: 'open', symbols: ['XAUUSD'] })
    expect(
      hitsOf(
        gold,
        deal('09:10', '09:20', { symbol: 'XAUUSD', volume: '1.5' }),
        deal('09:00', '10:00', { volume: '9' }),
      ),
    ).toEqual([0, 0])
    expect(unknownOf(gold, without(deal('09:00', '09:10'), 'symbol'))).toBe(1)
    expect(unknownOf(perOpen, without(deal('09:00', '09:10'), 'openedAt'))).toBe(1)
    expect(unknownOf(perTrade, without(deal('09:00', '09:10'), 'openedAt', 'symbol'))).toBe(0)
  })
})

describe('symbols', () => {
  it('"no name in `allowed` matches its symbol, or one in `forbidden` does"', () => {
    const allowed = only({ kind: 'symbols', allowed: ['EUR*', 'GBPUSD'], forbidden: null })
    const forbidden = only({ kind: 'symbols', allowed: null, forbidden: ['eurusd', 'X*'] })
    const ones = ['EURUSD', 'eurjpy', 'GBPUSD', 'GBPUSD.m', 'XAUUSD'].map((symbol) =>
      deal('09:00', '09:10', { symbol }),
    )
    const hits = (stage: Stage) => ones.map((one) => hitsOf(stage, one)[0])
    expect(hits(allowed)).toEqual([0, 0, 0, 1, 1])
    expect(hits(forbidden)).toEqual([1, 0, 0, 0, 1])
    expect(hits(only({ kind: 'symbols', allowed: ['*'], forbidden: null }))).toEqual([0, 0, 0, 0, 0])
  })
})

describe('hedging', () => {
  const hedging = only({ kind: 'hedging' })
  const sold = (opened: string, closed: string, more: Written = {}) => deal(opened, closed, { side: 'sell', ...more })

  it('"at some instant it and a trade of the same symbol and the other side were open. Both hit"', () => {
    expect(hitsOf(hedging, deal('09:00', '09:10'), sold('09:05', '09:20'))).toEqual([0, 2])
    expect(hitsOf(hedging, deal('09:00', '09:10'), sold('09:10', '09:20'))).toEqual([0, 0])
    expect(hitsOf(hedging, deal('09:00', '09:10'), deal('09:05', '09:20'))).toEqual([0, 0])
    expect(hitsOf(hedging, deal('09:00', '09:10'), sold('09:05', '09:20', { symbol: 'eurusd' }))).toEqual([0, 0])
    // "Open from `openedAt` up to and without `at`": a trade of no time was never open.
    expect(hitsOf(hedging, sold('09:05', '09:05'), deal('09:00', '09:10'))).toEqual([0, 0])
  })

  it('hits each trade once, found late', () => {
    const ones = [sold('09:01', '09:02'), sold('09:03', '09:04'), deal('09:00', '09:05'), sold('09:04:30', '09:06')]
    expect(hitsOf(hedging, ...ones)).toEqual([0, 0, 3, 4])
    expect(unknownOf(hedging, without(deal('09:00', '09:10'), 'side'))).toBe(1)
  })
})

describe('trades-per-day', () => {
  it('"its position is more than the `most`-th of its trading day", numbered once', () => {
    const closed = only({ kind: 'trades-per-day', most: 1, day: 'closed' })
    const parts = [deal('09:00', '09:10'), deal('09:00', '09:20'), deal('09:01', '09:30'), deal('09:01', '09:40')]
    expect(hitsOf(closed, ...parts)).toEqual([0, 0, 1, 1])
    expect(hitsOf(closed, deal('09:00', '09:10'), deal('09:01', '3 09:00'))).toEqual([0, 0])
    const opened = only({ kind: 'trades-per-day', most: 1, day: 'opened' })
    expect(hitsOf(opened, deal('09:00', '09:10'), deal('09:01', '3 09:00'))).toEqual([0, 1])
    expect(hitsOf(only({ kind: 'trades-per-day', most: 0, day: 'opened' }), deal('09:00', '09:10'))).toEqual([1])
  })
})

describe('short-trades', () => {
  const goal = (more: Written = {}): Stage => ({
    rules: [
      rule({ kind: 'short-trades', shorterThan: 60, by: 'profit', mostShare: '50', since: 'stage', ...more }),
      profitTarget({ target: percent('90') }),
    ],
  })
  const short = (profit: string) => deal('09:00', '09:00:30', { profit })
  const long = (profit: string) => deal('10:00', '10:30', { profit })

  it('"at most `mostShare` percent may come from trades held for less; exactly that is met"', () => {
    expect(figures(lastOf(goal(), short('100.00'), long('100.00')))).toEqual({
      ...{ kind: 'short-trades', share: '50.00', state: 'met' },
    })
    expect(linesOf(goal(), short('100.00'), short('0.01'), long('100.00')).map((line) => figures(line))).toEqual([
      { kind: 'short-trades', share: '100.00', state: 'open' },
      { kind: 'short-trades', share: '100.00', state: 'open' },
      { kind: 'short-trades', share: '50.00', state: 'open' },
    ])
  })

  it('"`by: "trades"` counts trades, whatever they made", and without any it is not applicable', () => {
    const byTrades = goal({ by: 'trades' })
    expect(figures(lastOf(byTrades, short('-5.00'), long('1.00')))).toEqual({
      ...{ kind: 'short-trades', share: '50.00', state: 'met' },
    })
    expect(figures(lastOf(goal(), short('-5.00')))).toEqual({
      ...{ kind: 'short-trades', share: null, state: 'not-applicable' },
    })
    expect(figures(lastOf(byTrades, without(short('5.00'), 'openedAt')))?.state).toBe('met')
  })
})

describe('hits', () => {
  const forbidden = (more: Written = {}) => ({ kind: 'symbols', allowed: null, forbidden: ['EURUSD'], ...more })
  const bad = (closed: string, profit = '100.00') => deal(closed, closed, { profit })
  const good = (closed: string, profit = '100.00') => deal(closed, closed, { profit, symbol: 'GBPUSD' })

  it('"so many hits of the stage, the first ones, have no consequence"', () => {
    const lines = linesOf(only(forbidden({ tolerated: 1 })), bad('09:00'), bad('09:10'), good('09:20'))
    expect(lines.map((line) => figures(line))).toMatchObject([
      { hits: 0, tolerated: 1, state: 'kept' },
      { hits: 1, tolerated: 1, state: 'warned' },
      { hits: 1, tolerated: 1, state: 'kept' },
    ])
  })

  it('"A pause holds until the day of that observation ends"', () => {
    const lines = linesOf(only(forbidden({ consequence: 'pause' })), bad('09:00'), good('09:10'), good('3 09:00'))
    expect(statuses(lines)).toEqual(['paused', 'paused', 'in-progress'])
    expect(states(lines)).toEqual(['paused', 'paused', 'kept'])
  })

  it('"A breach has the `cause` { kind, floor: null, measured: null, at, observation, trade }"', () => {
    const one = bad('09:10')
    const line = lastOf(only(forbidden({ consequence: 'breach' })), good('09:00'), one, good('09:20'))
    expect(line.status).toBe('breached')
    expect(line.cause).toEqual({
      ...{ kind: 'symbols', floor: null, measured: null, at: on(2, '09:10'), observation: 1, trade: one['id'] },
    })
  })

  it('"`trade` is the observed one if it is among the trades then hit, else the first of them"', () => {
    const limit = only({ kind: 'volume', most: '1.00', per: 'open', symbols: null, consequence: 'breach' })
    const [first, second] = [deal('09:02', '09:03'), deal('09:03:30', '09:04')]
    expect(lastOf(limit, first, second, deal('09:00', '09:05')).cause?.trade).toBe(first['id'])
    const hedged = only({ kind: 'hedging', consequence: 'breach' })
    const last = deal('09:00', '09:05', { side: 'sell' })
    expect(lastOf(hedged, deal('09:01', '09:04'), last).cause?.trade).toBe(last['id'])
  })

  it('"Of several causes at one observation floors come first, then the first rule"', () => {
    const breaches = (more: Written) => rule(forbidden({ consequence: 'breach', ...more }))
    const both = { rules: [breaches({}), dailyLoss(), breaches({ forbidden: ['EUR*'] })] }
    expect(lastOf(both, bad('09:00', '-6000.00')).cause?.kind).toBe('daily-loss')
    const second = { rules: [rule({ kind: 'hedging' }), breaches({}), breaches({ forbidden: ['EUR*'] })] }
    expect(states(linesOf(second, bad('09:00')), 1)).toEqual(['breached'])
  })

  it('counts "the difference" of a day that says more trades than were observed', () => {
    const row = wholeDay(on(2, '23:00'), '99900.00', '100300.00', '100200.00', { trades: 3 })
    expect(unknownOf(only({ kind: 'hedging' }), good('09:00'), good('09:10'), row)).toBe(1)
    expect(unknownOf(only({ kind: 'hedging' }), good('1 09:00'), good('09:10'), row)).toBe(2)
    expect(unknownOf(only({ kind: 'hedging' }), { ...row, quality: 'computed' })).toBe(0)
  })
})

describe('excluded profit', () => {
  const excluding = (more: Written = {}) =>
    rule({ kind: 'symbols', allowed: null, forbidden: ['EURUSD'], consequence: 'excludes-profit', ...more })
  const bad = (closed: string, profit = '100.00') => deal(closed, closed, { profit })
  const good = (closed: string, profit = '100.00') => deal(closed, closed, { profit, symbol: 'GBPUSD' })

  it('"`100 − counts` percent of the profit of each hit trade; a loss always counts whole"', () => {
    const stage = { rules: [excluding({ counts: '40' }), profitTarget({ target: fixed('100.00') })] }
    const line = lastOf(stage, bad('09:00', '100.00'), bad('09:10', '-10.00'))
    expect(figures(line)).toMatchObject({ hits: 2, excluded: '60.00', state: 'warned' })
    expect(figures(line, 1)).toMatchObject({ target: '100160.00', missing: '70.00', state: 'open' })
    expect(line.balance).toBe('100090.00')
  })

  it('"Each shown figure is rounded once: `excluded` up, `best` and `profit` down"', () => {
    const terms = { counts: '33.33' }
    const line = lastOf(
      { rules: [excluding(terms), consistency()], payouts: payouts() },
      bad('09:00', '0.01'),
      bad('09:10', '0.01'),
    )
    expect(figures(line)?.excluded).toBe('0.02')
    expect(figures(line, 1)).toMatchObject({ best: '0.00', profit: '0.00' })
    expect(line.payout?.profit).toBe('0.00')
  })

  it('"the one that excludes most decides", and each rule shows what its own hits exclude', () => {
    const stage = {
      rules: [excluding({ counts: '40' }), excluding({ counts: '70', forbidden: ['EUR*'] }), profitTarget()],
    }
    const line = lastOf(stage, bad('09:00', '100.00'))
    expect([figures(line)?.excluded, figures(line, 1)?.excluded]).toEqual(['60.00', '30.00'])
    expect(figures(line, 2)).toMatchObject({ missing: '7960.00' })
  })

  it('lowers the day on which the trade was observed, also when the hit is found later', () => {
    const hedges = rule({ kind: 'hedging', consequence: 'excludes-profit' })
    const stage = {
      rules: [
        hedges,
        minimumDays({ days: 2, counts: { what: 'profit', atLeast: fixed('50.00'), of: 'closed' } }),
        consistency({ profit: 'profitable-days' }),
      ],
    }
    const lines = linesOf(
      stage,
      deal('09:00', '12:00', { profit: '100.00' }),
      good('3 09:00', '60.00'),
      deal('10:00', '3 10:00', { profit: '0.00', side: 'sell' }),
    )
    expect(lines.map((line) => figures(line, 1)?.days)).toEqual([1, 2, 1])
    expect(lines.map((line) => figures(line, 2)?.profit)).toEqual(['100.00', '160.00', '60.00'])
    expect(lines.map((line) => figures(line, 2)?.best)).toEqual(['100.00', '100.00', '60.00'])
  })

  it('lowers the best trade, and the profit of short trades', () => {
    const hedges = rule({ kind: 'hedging', consequence: 'excludes-profit', counts: '50' })
    const stage = {
      rules: [
        hedges,
        consistency({ unit: 'trade' }),
        rule({ kind: 'short-trades', shorterThan: 60, by: 'profit', mostShare: '50', since: 'stage' }),
      ],
    }
    const lines = linesOf(
      stage,
      deal('09:00', '09:00:30', { profit: '100.00' }),
      good('09:30', '80.00'),
      deal('09:00', '10:00', { profit: '0.00', side: 'sell' }),
    )
    expect(lines.map((line) => figures(line, 1)?.best)).toEqual(['100.00', '100.00', '80.00'])
    expect(lines.map((line) => figures(line, 2)?.share)).toEqual(['100.00', '100.00', '100.00'])
  })

  it('"a hit found after a payout excludes nothing of a trade that was observed before that payout"', () => {
    const hedges = rule({ kind: 'hedging', consequence: 'excludes-profit' })
    const stage = { rules: [hedges], payouts: payouts() }
    const lines = linesOf(
      stage,
      deal('09:00', '12:00', { profit: '1000.00' }),
      payout(on(2, '13:00'), '400.00'),
      deal('10:00', '14:00', { profit: '50.00', side: 'sell' }),
    )
    expect(figures(lines.at(-1) ?? lastOf(stage))).toMatchObject({ hits: 2, excluded: '50.00' })
    expect(lines.map(({ payout: next }) => next?.available)).toEqual(['1000.00', '600.00', '600.00'])
  })

  it('"can never be taken"', () => {
    const stage = { rules: [excluding({ counts: '40' })], payouts: payouts() }
    const lines = linesOf(
      stage,
      bad('09:00', '1000.00'),
      payout(on(2, '10:00'), '400.00'),
      good('11:00', '10.00'),
      state(on(3), '100610.00'),
    )
    expect(lines.map(({ payout: next }) => next?.available)).toEqual(['400.00', '0.00', '10.00', '10.00'])
  })
})

describe('the schema', () => {
  const read = (written: Written, instruments?: unknown) =>
    programme.safeParse({
      ...{ name: 'P', currency: 'USD', accountSize: '1.00', day: { zone: 'UTC', startsAt: '00:00' } },
      ...{ breaches: 'proposed', stages: [{ name: 'S', funded: false, rules: [written] }] },
      ...(instruments !== undefined && { instruments }),
    }).success
  const hedge = { kind: 'hedging', tolerated: 0, consequence: 'warning' }

  it.each<[string, Written, boolean]>([
    ['no tolerated', { kind: 'hedging', consequence: 'warning' }, false],
    ['counts beside another consequence', { ...hedge, counts: '40' }, false],
    ['counts beside exclusion', { ...hedge, consequence: 'excludes-profit', counts: '40' }, true],
    ['more than 100 percent', { ...hedge, consequence: 'excludes-profit', counts: '100.1' }, false],
    ['both lists of symbols', { ...hedge, kind: 'symbols', allowed: ['A'], forbidden: ['B'] }, false],
    ['no list of symbols', { ...hedge, kind: 'symbols', allowed: null, forbidden: null }, false],
    ['an empty list', { ...hedge, kind: 'symbols', allowed: [], forbidden: null }, false],
    ['a name twice', { ...hedge, kind: 'symbols', allowed: ['A', 'A'], forbidden: null }, false],
    ['a star within a name', { ...hedge, kind: 'symbols', allowed: ['*'], forbidden: null }, true],
    ['a weekday that is none', { ...hedge, kind: 'flat-at', at: '16:50', weekdays: [0], symbols: null }, false],
    ['a time that is none', { ...hedge, kind: 'flat-at', at: '24:00', weekdays: [1], symbols: null }, false],
    ['a zone of null', { ...hedge, kind: 'flat-at', at: '16:50', weekdays: [1], symbols: null, zone: null }, false],
    ['no zone', { ...hedge, kind: 'flat-at', at: '16:50', weekdays: [1], symbols: null }, true],
    ['a volume below 0', { ...hedge, kind: 'volume', most: '-1', per: 'open', symbols: null }, false],
  ])('reads %s as valid or not', (_, written, isValid) => {
    expect(read(written)).toBe(isValid)
  })

  it('"two names that differ only in case are a fault"', () => {
    expect(read(hedge, { US30: ['USD'], us30: ['USD'] })).toBe(false)
    expect(read(hedge, { US30: ['USD'], 'US30*': ['USD'] })).toBe(true)
    expect(read(hedge, { US30: [] })).toBe(false)
    expect(read(hedge, { US30: ['usd'] })).toBe(false)
  })
})
