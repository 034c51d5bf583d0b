import {
  clock,
  consistency,
  fixed,
  maximumLoss,
  minimumDays,
  on,
  payout,
  payouts,
  percent,
  state,
  trade,
} from '#test-support/rules.ts'
import { days, type Example, example, floor, shows, tradeEachDay } from './example.ts'

const locksAtStart = { follows: { value: 'balance', at: 'every-change' }, locksAbove: fixed('0.00') } as const
const trailing = { ...locksAtStart, follows: { value: 'equity', at: 'every-change' } } as const
const nitro = {
  rules: [maximumLoss({ limit: percent('3'), ...locksAtStart })],
  payouts: payouts({ split: '100', mostOfProfit: '50' }),
}
const paysOut = (figures: Readonly<Record<string, unknown>>) => ({ payout: figures })
const with80 = { rules: [], payouts: payouts() }

export const payoutExamples: readonly Example[] = [
  example(
    'L27',
    {
      rules: [minimumDays({ days: 3, counts: { what: 'profit', atLeast: fixed('150.00'), of: 'closed' } })],
      payouts: payouts({ split: '90', firstAfterDays: 4, buffer: fixed('2000.00') }),
    },
    days([1000], [500], [100], [500], []),
    { day: '2026-11-06', ...paysOut({ profit: '2100.00', available: '100.00', traderReceives: '90.00', missing: [] }) },
    'Weekly is the fifth trading day.',
  ),
  {
    id: 'L30',
    terms: { rules: [maximumLoss({ limit: fixed('2000.00'), ...trailing })], payouts: payouts({ split: '100' }) },
    when: [trade(on(2), '3000.00'), payout(on(3), '2999.99')],
    each: [paysOut({ traderReceives: '2999.99' }), { status: 'in-progress' }],
    because: 'One cent stays, for the floor breaches where it is touched.',
  },
  {
    id: 'L31',
    terms: { rules: [consistency()], payouts: payouts({ split: '90', firstAfterDays: 4 }) },
    when: [trade(on(2), '2000.00'), clock(on(6)), trade(on(7), '1000.00'), trade(on(8), '1000.00'), clock(on(11))],
    each: [{}, paysOut({ missing: ['consistency'] }), {}, {}, paysOut({ missing: [], traderReceives: '3600.00' })],
    because: 'Weekly is the fifth trading day, and what is missing then is asked for again with each day.',
  },
  {
    id: 'P14',
    terms: { rules: [], payouts: payouts({ splitAfter: [{ payouts: 1, split: '90' }] }) },
    when: [state(on(2), '120000.00'), payout(on(3), '20000.00'), state(on(4), '110000.00')],
    each: [paysOut({ profit: '20000.00' }), paysOut({ profit: '0.00' }), paysOut({ profit: '10000.00', split: '90' })],
    because: 'The engine keeps the balance and moves its start. Here the payout leaves the account.',
  },
  example(
    'P15',
    { rules: [], payouts: payouts({ minimum: fixed('500.00') }) },
    tradeEachDay(100),
    paysOut({ available: '0.00', missing: ['minimum'] }),
  ),
  example(
    'P15',
    { rules: [], payouts: payouts({ minimum: fixed('80.00') }) },
    tradeEachDay(100),
    paysOut({ traderReceives: '80.00', missing: [] }),
  ),
  {
    id: 'P16',
    terms: { rules: [], payouts: payouts({ everyDays: 14 }) },
    when: [trade(on(2), '1000.00'), payout(on(3), '500.00'), clock(on(10)), clock(on(18))],
    each: [
      {},
      {},
      paysOut({ missing: ['every-days'], from: '2026-11-17' }),
      paysOut({ missing: [], available: '500.00' }),
    ],
  },
  {
    id: 'F36',
    terms: nitro,
    when: [trade(on(2), '4000.00'), payout(on(3), '2000.00')],
    each: [paysOut({ available: '2000.00' }), { balance: '102000.00', ...shows(floor(100_000, { room: '2000.00' })) }],
    because: 'The page locks the floor at a profit of 3 percent: the limit is 3 percent.',
  },
  example('F37', nitro, [trade(on(2), '4000.00'), payout(on(3), '2000.00'), trade(on(4), '3000.00')], {
    balance: '105000.00',
    ...paysOut({ profit: '5000.00', available: '2500.00' }),
  }),
  example(
    'F116',
    { rules: [], payouts: payouts({ cap: fixed('12500.00') }) },
    tradeEachDay(10_000),
    paysOut({ traderReceives: '8000.00' }),
    'The cap is the one of the second case, and does not bind here.',
  ),
  example(
    'F116',
    { rules: [], payouts: payouts({ cap: fixed('12500.00') }) },
    tradeEachDay(15_000),
    paysOut({ traderReceives: '10000.00' }),
    'The page caps what the trader receives: 10,000 are 80 percent of 12,500.',
  ),
  example('F117', with80, tradeEachDay(6000), paysOut({ traderReceives: '4800.00' })),
  example(
    'F117',
    with80,
    tradeEachDay(10_500),
    paysOut({ traderReceives: '8400.00' }),
    'The larger account that follows is another account: its size is a term, not a result.',
  ),
  example('F120', with80, tradeEachDay(10_000), paysOut({ traderReceives: '8000.00' })),
  example(
    'F126',
    { size: '50000.00', rules: [], payouts: payouts({ buffer: fixed('2600.00') }) },
    [state(on(2), '52600.01')],
    paysOut({ available: '0.01' }),
    'The page names the level, 52,600: 2,600 above the account size stay.',
  ),
  example(
    'F126',
    { size: '50000.00', rules: [], payouts: payouts({ buffer: fixed('2600.00') }) },
    [state(on(2), '52600.00')],
    paysOut({ missing: ['profit'] }),
  ),
  example(
    'F127',
    { size: '50000.00', rules: [], payouts: payouts({ buffer: fixed('2000.00') }) },
    [state(on(2), '52000.01')],
    paysOut({ available: '0.01' }),
  ),
]

/** What the format does not say, and why. */
export const notExpressed: Readonly<Record<string, string>> = {
  F69: 'Targets of 6, 5 and 4 percent above a balance that payouts move. A programme has one target for a stage; the tiers are inferred from three figures.',
  F92: 'Counts a trade by its profit as part of its own size. An observation has the volume of a trade, not what it was worth.',
  F122: 'Merges several accounts into one. A programme is about one account, and the rule behind two of the rows is not known.',
}
