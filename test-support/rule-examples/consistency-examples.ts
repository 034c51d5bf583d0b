import {
  clock,
  consistency,
  fixed,
  inactivity,
  minimumDays,
  maximumLoss,
  on,
  percent,
  profitTarget,
  state,
  trade,
} from '#test-support/rules.ts'
import { days, type Example, example, shows, tradeEachDay, usd } from './example.ts'

/** A target that none of these reaches keeps the stage going. */
const far = profitTarget({ target: fixed('1000000.00') })
const best = (share: string, change: Parameters<typeof consistency>[0] = {}) => ({
  rules: [consistency({ share, ...change }), far],
})
const ofProfitableDays = { profit: 'profitable-days' } as const
/** The best day, and what the other days add to a total. */
const bestOf = (bestDay: number, total = bestDay) => tradeEachDay(bestDay, ...rest(total - bestDay, bestDay))
function rest(amount: number, largest: number): number[] {
  if (amount <= largest) return amount === 0 ? [] : [amount]
  return [largest, ...rest(amount - largest, largest)]
}
const profitable = { what: 'profit', atLeast: fixed('500.00'), of: 'closed' } as const
const anyShare = 'The page names no share. The part of the best day is the same for each.'
const roundedUp = 'The page rounds to the nearest cent. What has to be reached is rounded up.'

export const consistencyExamples: readonly Example[] = [
  example(
    'L19',
    { rules: [consistency(), profitTarget({ target: fixed('3000.00') }), maximumLoss({ limit: percent('20') })] },
    tradeEachDay(3000, 1000, 2000),
    { status: 'passed', day: '2026-11-04', balance: '106000.00' },
  ),
  example('P12', best('50'), bestOf(700, 1000), {
    status: 'in-progress',
    ...shows({ state: 'open', profit: '1000.00' }),
  }),
  example(
    'Y1',
    best('50'),
    tradeEachDay(300, 400, 300),
    shows({ share: '40.00', state: 'met' }),
    'The distance of 100 is the best day that half of 1,000 allows.',
  ),
  example('F46', best('30'), tradeEachDay(250, 250, 250, 250), shows({ share: '25.00', state: 'met' })),
  example('F48', best('15'), bestOf(2000), shows({ needed: '13333.34' }), roundedUp),
  example('F49', best('15'), bestOf(500), shows({ needed: '3333.34' }), roundedUp),
  example(
    'F51',
    best('40', ofProfitableDays),
    tradeEachDay(200, 5000, 300, -500),
    shows({ profit: '5500.00', share: '90.91', state: 'open' }),
  ),
  example(
    'F52',
    best('40', ofProfitableDays),
    tradeEachDay(1800, 2400, 3000, 2200, -800),
    shows({ profit: '9400.00', share: '31.91', state: 'met' }),
  ),
  example('F53', best('40'), bestOf(6000, 10_000), shows({ needed: '15000.00', state: 'open' })),
  example('F54', best('50'), bestOf(300, 1000), shows({ share: '30.00' }), anyShare),
  example('F55', best('50'), tradeEachDay(-500, 1500), shows({ share: '150.00' }), anyShare),
  example('F59', { rules: [consistency(), profitTarget({ target: fixed('1000.00') })] }, tradeEachDay(400, 350, 250), {
    status: 'passed',
  }),
  example('F62', best('20', { unit: 'trade' }), bestOf(2500, 10_000), shows({ share: '25.00', state: 'open' })),
  example('F62', best('20', { unit: 'trade' }), bestOf(2500, 12_500), shows({ share: '20.00', state: 'met' })),
  example('F63', best('20'), bestOf(600, 4000), shows({ share: '15.00', state: 'met' })),
  example('F64', best('20'), bestOf(1200, 4000), shows({ share: '30.00', state: 'open' })),
  example('F65', best('20'), bestOf(500, 4000), shows({ share: '12.50', state: 'met' })),
  example('F66', best('15'), bestOf(400, 3000), shows({ share: '13.33', state: 'met' })),
  example(
    'F67',
    {
      size: '50000.00',
      rules: [consistency({ share: '15', effect: 'raises-target' }), profitTarget({ target: fixed('3000.00') })],
    },
    bestOf(2000, 3000),
    shows({ share: '66.67', state: 'open' }, { target: '63333.34' }),
    roundedUp,
  ),
  example('F71', best('25'), bestOf(600, 3000), shows({ share: '20.00', state: 'met' })),
  example('F71', best('25'), bestOf(1000, 3000), shows({ share: '33.33', state: 'open' })),
  example(
    'F75',
    { size: '50000.00', ...best('40') },
    bestOf(4100, 8730),
    { balance: '58730.00', ...shows({ needed: '10250.00', state: 'open' }) },
    '1,520 more, at 60,250.',
  ),
  example(
    'F76',
    best('50'),
    bestOf(500, 1000),
    shows({ share: '50.00', state: 'met' }),
    '500 is the largest best day of 1,000.',
  ),
  example('F76', best('50'), tradeEachDay(500.01, 499.99), shows({ state: 'open' })),
  example('F77', best('50', ofProfitableDays), tradeEachDay(5000), shows({ share: '100.00', state: 'open' })),
  example('F77', best('50', ofProfitableDays), tradeEachDay(5000, 5000), shows({ share: '50.00', state: 'met' })),
  example(
    'F78',
    { rules: [consistency({ share: '40', effect: 'raises-target' }), profitTarget({ target: fixed('3000.00') })] },
    tradeEachDay(1500),
    shows({}, { target: '103750.00' }),
    'The page names a new target: the rule raises it.',
  ),
  example('F79', best('40'), tradeEachDay(1100, 900, -400, 1500), shows({ profit: '3100.00', state: 'open' })),
  example('F79', best('40'), tradeEachDay(500, 550, -50, 600, 400), shows({ profit: '2000.00', state: 'met' })),
  example(
    'F80',
    best('40', { effect: 'excludes-excess' }),
    tradeEachDay(320, 100, 40, 22, 18),
    shows({ profit: '500.00', excluded: '120.00', state: 'met' }),
    'What is not counted is excluded. The page blocks nothing.',
  ),
  example(
    'F82',
    {
      size: '50000.00',
      zone: 'America/New_York',
      startsAt: '17:00',
      rules: [minimumDays({ counts: { ...profitable, atLeast: percent('0.5') } })],
    },
    tradeEachDay(1500, 300, 249.99),
    shows({ days: 2 }),
  ),
  example(
    'F84',
    {
      zone: 'America/New_York',
      startsAt: '20:00',
      rules: [minimumDays({ counts: { ...profitable, atLeast: percent('0.5') } })],
    },
    tradeEachDay(300, 600, 400),
    shows({ days: 1 }),
    'The page names no limit. It counts 0.6 percent, and neither 0.4 nor 0.3: 0.5 is the round number between.',
  ),
  example(
    'F90',
    { rules: [minimumDays({ counts: { ...profitable, what: 'result' } })] },
    tradeEachDay(500, -500),
    shows({ days: 2 }),
  ),
  example(
    'F91',
    { rules: [minimumDays({ counts: profitable })] },
    [state(on(2), '100000.00', '100600.00'), state(on(3), '100600.00')],
    shows({ days: 1 }),
  ),
  example(
    'F91',
    { rules: [minimumDays({ counts: profitable }), minimumDays({ counts: { ...profitable, of: 'equity' } })] },
    [state(on(2), '100500.00', '100300.00')],
    shows({ days: 1 }, { days: 0 }),
    'Both goals are required: closed profit, and none of it lost by what is open.',
  ),
  example(
    'P11',
    { rules: [minimumDays({ days: 9 })] },
    [clock(on(2)), clock(on(4))],
    shows({ days: 3 }),
    'The day with index 2 is the third.',
  ),
  example(
    'F129',
    { rules: [inactivity({ days: 30 })] },
    [trade(on(2), usd(1)), clock(on(33))],
    {
      status: 'breached',
      cause: { kind: 'inactivity' },
    },
    'The page closes the account: here that is a breach.',
  ),
  example('F129', { rules: [inactivity({ days: 30 })] }, [...days([1]), clock(on(32))], { status: 'in-progress' }),
]
