import { describe, expect, it } from 'vitest'
import { calendarOf, publication } from './calendar.ts'
import { evaluate, rulesOf, startOf } from './engine.ts'
import { hitInWords, hitTrades } from './hit-trades.ts'
import { toDecimal } from './money.ts'
import { observation, orderedUnique } from './observation.ts'
import { programme, type RuleTerms } from './programme.ts'
import { up } from './exact.ts'

const news = calendarOf([
  publication.parse({
    ...{ id: 'NFP', at: '2026-11-06T13:30:00Z', currency: 'USD', impact: 'high', title: 'Nonfarm payrolls' },
    publishedAt: '2026-11-01T00:00:00Z',
  }),
])

const consequence = { tolerated: 0, consequence: 'warning' } as const

function hitsOf(rule: RuleTerms, trades: readonly object[]) {
  const terms = programme.parse({
    ...{ name: 'P', currency: 'USD', accountSize: '100000.00', day: { zone: 'UTC', startsAt: '00:00' } },
    ...{ breaches: 'proposed', stages: [{ name: 'Phase 1', funded: false, rules: [rule] }] },
  })
  const rules = rulesOf(terms, 0, undefined, news)
  let state = startOf(rules)
  for (const row of orderedUnique(trades.map((trade) => observation.parse(trade))))
    ({ state } = evaluate(rules, state, row))
  return hitTrades(rules, state, 0).map(({ trade, isTolerated, excluded }) => ({
    what: hitInWords(rules, state, 0, trade),
    ...{ isTolerated, excluded: toDecimal(up(excluded)) },
  }))
}
const wordsOf = (rule: RuleTerms, trades: readonly object[]) => hitsOf(rule, trades).map(({ what }) => what)

const trade = (id: string, openedAt: string, at: string, facts: object = {}) => ({
  ...{ kind: 'trade', id, openedAt: `2026-11-06T${openedAt}Z`, at: `2026-11-06T${at}Z`, profit: '100.00' },
  ...{ volume: '1.00', symbol: 'EURUSD', side: 'buy', ...facts },
})

describe('what a hit trade did, in words', () => {
  it.each<[string, RuleTerms, readonly object[], readonly string[]]>([
    [
      'holding time',
      { kind: 'holding-time', atLeast: 60, of: 'all', ...consequence },
      [
        trade('881', '09:00:00', '09:00:41'),
        trade('882', '09:01:00', '09:01:59.9999'),
        trade('883', '10:00:00', '11:00:00'),
      ],
      [
        'Trade 881 of EURUSD was held for 41 s; at least 60 s',
        'Trade 882 of EURUSD was held for 59.999 s; at least 60 s',
      ],
    ],
    [
      'holding time of profitable trades',
      { kind: 'holding-time', atLeast: 60, of: 'profitable', ...consequence },
      [trade('881', '09:00:00', '09:00:41', { symbol: undefined })],
      ['Trade 881 was held for 41 s; profitable trades at least 60 s'],
    ],
    [
      'a time to be flat',
      { kind: 'flat-at', at: '16:50', weekdays: [5], symbols: null, zone: 'America/New_York', ...consequence },
      [trade('881', '21:00:00', '22:00:00')],
      ['Trade 881 of EURUSD was open at 16:50 on 2026-11-06 (America/New_York)'],
    ],
    [
      'news',
      { kind: 'news', before: 2, after: 2, judges: 'either', impacts: ['high'], ...consequence },
      [trade('881', '13:31:00', '14:00:00'), trade('882', '13:00:00', '13:28:00')],
      [
        'Trade 882 of EURUSD was closed from 2 min before to 2 min after “Nonfarm payrolls” of 2026-11-06T13:30:00.000Z',
        'Trade 881 of EURUSD was opened from 2 min before to 2 min after “Nonfarm payrolls” of 2026-11-06T13:30:00.000Z',
      ],
    ],
    [
      'news while it was open',
      { kind: 'news', before: 2, after: 2, judges: 'holding', impacts: ['high'], ...consequence },
      [trade('881', '13:00:00', '14:00:00')],
      ['Trade 881 of EURUSD was open from 2 min before to 2 min after “Nonfarm payrolls” of 2026-11-06T13:30:00.000Z'],
    ],
    [
      'the volume of a position',
      { kind: 'volume', most: '1.50', per: 'trade', symbols: null, ...consequence },
      [trade('881', '09:00:00', '09:10:00'), trade('882', '09:00:00', '09:20:00', { volume: '0.625' })],
      [
        'Trade 881 of EURUSD is of a position with a volume of 1.625; at most 1.50',
        'Trade 882 of EURUSD is of a position with a volume of 1.625; at most 1.50',
      ],
    ],
    [
      'the volume that is open together',
      { kind: 'volume', most: '1', per: 'open', symbols: null, ...consequence },
      [trade('881', '09:00:00', '09:10:00'), trade('882', '09:05:00', '09:20:00')],
      ['Trade 882 of EURUSD was opened when a volume of 2.00 was open together; at most 1.00'],
    ],
    [
      'a forbidden symbol',
      { kind: 'symbols', allowed: null, forbidden: ['BTC*'], ...consequence },
      [trade('881', '09:00:00', '09:10:00', { symbol: 'BTCUSD' })],
      ['Trade 881 of BTCUSD is in a forbidden symbol'],
    ],
    [
      'a symbol that is not allowed',
      { kind: 'symbols', allowed: ['EUR*'], forbidden: null, ...consequence },
      [trade('881', '09:00:00', '09:10:00', { symbol: 'BTCUSD' })],
      ['Trade 881 of BTCUSD is in a symbol that is not allowed'],
    ],
    [
      'hedging',
      { kind: 'hedging', ...consequence },
      [trade('881', '09:00:00', '09:10:00'), trade('882', '09:05:00', '09:20:00', { side: 'sell' })],
      [
        'Trade 881 of EURUSD was open together with trade 882 in the opposite direction',
        'Trade 882 of EURUSD was open together with trade 881 in the opposite direction',
      ],
    ],
    [
      'trades of a day',
      { kind: 'trades-per-day', most: 1, day: 'opened', ...consequence },
      [
        trade('881', '09:00:00', '09:10:00'),
        trade('882', '09:00:00', '09:20:00'),
        trade('883', '09:05:00', '09:30:00'),
        trade('884', '09:05:00', '09:40:00'),
      ],
      [
        'Trade 883 of EURUSD is of position 2 opened on the trading day 2026-11-06; at most 1',
        'Trade 884 of EURUSD is of position 2 opened on the trading day 2026-11-06; at most 1',
      ],
    ],
  ])('%s', (_, rule, trades, words) => {
    expect(wordsOf(rule, trades)).toEqual(words)
  })

  it('says which hits are tolerated, and what is excluded of the others', () => {
    const rule: RuleTerms = {
      ...{ kind: 'holding-time', atLeast: 60, of: 'all', tolerated: 1, consequence: 'excludes-profit' },
      counts: '40',
    }
    const trades = [trade('881', '09:00:00', '09:00:41'), trade('882', '09:01:00', '09:01:01', { profit: '100.01' })]
    expect(hitsOf(rule, trades)).toMatchObject([
      { isTolerated: true, excluded: '0.00' },
      { isTolerated: false, excluded: '60.01' },
    ])
  })

  it('finds no hit trades of a rule that judges none', () => {
    expect(
      hitsOf({ kind: 'inactivity', days: 3, consequence: 'warning' }, [trade('881', '09:00:00', '09:10:00')]),
    ).toEqual([])
  })
})
