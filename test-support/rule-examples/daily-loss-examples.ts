import {
  clock,
  dailyLoss,
  fixed,
  maximumLoss,
  on,
  payout,
  payouts,
  percent,
  state,
  trade,
} from '#test-support/rules.ts'
import { dayAfter, days, type Example, example, floor, shows } from './example.ts'

const newYork = { zone: 'America/New_York', startsAt: '17:00' }
const lower = { measures: 'lower' } as const
type Reference = 'day-start-balance' | 'day-start-equity' | 'day-start-higher' | 'day-high-equity'

/** A percentage of the account size, taken from a value at the start of the day. */
const ofSize = (text: string, from: Reference = 'day-start-balance') => dailyLoss({ limit: percent(text), from })
/** A percentage of the very value from which it is taken. */
const ofReference = (text: string, of: Reference = 'day-start-balance') =>
  dailyLoss({ limit: { percent: text, of }, from: of })
const ofAmount = (amount: string, from: Reference = 'day-start-balance') => dailyLoss({ limit: fixed(amount), from })

/** Why a parameter has its value where the page does not name it. */
const limitFromFloor = 'The page names the floor and not each limit: the limit is the one that gives this floor.'
const startsAtEquity =
  'The page names no reference. Its second floor is 4,000 below an equity of 105,000: the day starts at equity.'

export const dailyLossExamples: readonly Example[] = [
  example(
    'K1',
    { rules: [dailyLoss(lower), maximumLoss(lower)] },
    [state(on(2), '100000.00')],
    shows(floor(95_000, { state: 'kept' }), floor(90_000)),
    'Its engine measures the lower of balance and equity, as in K31.',
  ),
  example('K5', { rules: [ofSize('5')] }, [state(on(2), '97000.00')], shows({ room: '2000.00' })),
  example(
    'K7',
    { rules: [ofReference('5', 'day-start-higher'), maximumLoss()] },
    dayAfter(105_000, 107_000),
    shows(floor(101_650), floor(90_000)),
    limitFromFloor,
  ),
  example('K8', { rules: [ofReference('5', 'day-start-higher')] }, dayAfter(105_000, 110_000), shows(floor(104_500))),
  example(
    'K9',
    { rules: [ofSize('4', 'day-start-higher'), maximumLoss({ limit: percent('8') })], ...newYork },
    dayAfter(100_000, 102_000),
    shows(floor(98_000), floor(92_000)),
    limitFromFloor,
  ),
  example(
    'K10',
    { rules: [ofSize('4', 'day-start-higher')], ...newYork },
    dayAfter(100_000, 98_000),
    shows(floor(96_000)),
  ),
  example('K11', { rules: [ofReference('5')] }, dayAfter(100_000, 101_000), shows(floor(95_000))),
  example('K13', { rules: [ofSize('4')] }, dayAfter(102_500), shows(floor(98_500))),
  example(
    'K20',
    { size: '50000.00', rules: [dailyLoss({ limit: fixed('1000.00'), consequence: 'pause' })] },
    days([-400]),
    shows(floor(49_000, { room: '600.00' })),
  ),
  example(
    'K20',
    { size: '50000.00', rules: [dailyLoss({ limit: fixed('1000.00'), consequence: 'pause' })] },
    days([-1000]),
    { status: 'paused' },
    'A pause, not a breach.',
  ),
  example(
    'K23',
    {
      size: '50000.00',
      rules: [
        dailyLoss({ limit: fixed('1000.00'), consequence: 'pause' }),
        maximumLoss({ limit: fixed('2000.00'), follows: { value: 'balance', at: 'day-close' } }),
      ],
    },
    days([-300]),
    shows(floor(49_000, { room: '700.00' }), floor(48_000)),
  ),
  example(
    'K24',
    { rules: [dailyLoss(lower), maximumLoss(lower)] },
    [state(on(2), '96000.00'), state(on(3), '92000.00'), state(on(4), '91500.00')],
    { nearest: 'maximum-loss', ...shows({}, { room: '1500.00' }) },
    'Its engine measures the lower of balance and equity, as in K31.',
  ),
  example('K26', { rules: [ofSize('5')] }, dayAfter(105_000, 107_000), shows(floor(100_000)), limitFromFloor),
  example(
    'K27',
    { rules: [ofReference('5', 'day-start-higher')] },
    dayAfter(105_000, 107_000),
    shows(floor(101_650)),
    limitFromFloor,
  ),
  example(
    'K28',
    { rules: [ofReference('5', 'day-start-higher')] },
    dayAfter(105_000, 107_000),
    shows(floor(101_650)),
    limitFromFloor,
  ),
  example('K29', { rules: [ofReference('5')] }, dayAfter(105_000, 107_000), shows(floor(99_750)), limitFromFloor),
  example(
    'K30',
    { rules: [ofSize('4', 'day-start-higher')], ...newYork },
    dayAfter(105_000, 107_000),
    shows(floor(103_000)),
    limitFromFloor,
  ),
  {
    id: 'L32',
    terms: { rules: [ofSize('5')] },
    when: days([10_000], [1_000]),
    each: [shows(floor(95_000)), shows(floor(105_000))],
  },
  {
    id: 'L35',
    terms: { rules: [ofAmount('2000.00')] },
    when: days([1_000], [-2_000]),
    each: [shows(floor(98_000)), { status: 'breached', cause: { kind: 'daily-loss', floor: '99000.00' } }],
  },
  example(
    'L36',
    { rules: [ofAmount('2000.00')], payouts: payouts() },
    [trade(on(2), '5000.00'), payout(on(3), '5000.00'), state(on(4), '98000.00')],
    { status: 'breached', cause: { floor: '98000.00' } },
  ),
  example('F1', { rules: [ofReference('5')], ...newYork }, dayAfter(100_000), shows(floor(95_000))),
  example('F3', { rules: [ofReference('5')], ...newYork }, dayAfter(105_000), shows(floor(99_750))),
  example('F6', { rules: [ofReference('5')] }, dayAfter(100_000, 105_000), shows(floor(95_000))),
  example(
    'F9',
    { rules: [ofReference('5', 'day-start-higher')], ...newYork },
    dayAfter(100_000, 102_000),
    shows(floor(96_900)),
  ),
  example(
    'F10',
    { rules: [ofReference('5', 'day-start-higher')], ...newYork },
    dayAfter(100_000, 99_000),
    shows(floor(95_000)),
  ),
  example('F14', { size: '200000.00', rules: [ofSize('5')] }, days([-8_000]), shows({ room: '2000.00' })),
  example('F14', { size: '200000.00', rules: [ofSize('5')] }, days([4_000]), shows({ room: '14000.00' })),
  {
    id: 'F15',
    terms: { size: '200000.00', zone: 'Europe/Prague', rules: [ofSize('5')] },
    when: [
      trade(on(2, '12:00'), '4000.00'),
      state(on(2, '22:59'), '204000.00', '191000.00'),
      state(on(2, '23:00'), '204000.00', '191000.00'),
    ],
    each: [{ status: 'in-progress' }, { status: 'in-progress' }, { status: 'breached' }],
  },
  example(
    'F17',
    { size: '5000.00', rules: [ofAmount('75.00')] },
    [state(on(2), '4970.00', '4930.00')],
    shows({ room: '5.00', state: 'kept' }),
    'The page names no size: a limit of 75 is the same for each.',
  ),
  example('F95', { rules: [ofReference('4')] }, dayAfter(100_000), shows(floor(96_000))),
  example('F95', { rules: [ofReference('4')] }, dayAfter(110_000), shows(floor(105_600))),
  example(
    'F97',
    { size: '5000.00', rules: [ofAmount('250.00', 'day-high-equity')] },
    dayAfter(4_900),
    shows(floor(4_650)),
    'F98 says that this firm follows the highest equity of the day.',
  ),
  example(
    'F97',
    { size: '5000.00', rules: [ofAmount('250.00', 'day-high-equity')] },
    [...dayAfter(4_900), state(on(4), '4650.00')],
    { status: 'breached' },
  ),
  example(
    'F98',
    { size: '5000.00', rules: [ofAmount('250.00', 'day-high-equity')] },
    [state(on(2), '5000.00', '5200.00')],
    shows(floor(4_950)),
  ),
  example(
    'F103',
    { rules: [dailyLoss({ limit: { percent: '5', of: 'day-start-balance' }, from: 'day-start-higher' })] },
    dayAfter(103_500, 101_000),
    shows(floor(98_325)),
  ),
  example(
    'F104',
    { rules: [ofReference('4', 'day-high-equity')] },
    [state(on(2), '100000.00', '103000.00')],
    shows(floor(98_880)),
  ),
  example('F105', { size: '5000.00', rules: [ofAmount('250.00')] }, dayAfter(5_000), shows(floor(4_750))),
  example('F105', { size: '5000.00', rules: [ofAmount('250.00')] }, dayAfter(5_150), shows(floor(4_900))),
  example('F107', { rules: [ofSize('4', 'day-start-higher')] }, dayAfter(104_000, 103_000), shows(floor(100_000))),
  example('F110', { rules: [ofReference('3', 'day-start-higher')] }, dayAfter(102_000), shows(floor(98_940))),
  example('F110', { rules: [ofReference('3', 'day-start-higher')] }, dayAfter(100_000, 98_000), shows(floor(97_000))),
  example('F112', { rules: [ofReference('5', 'day-start-equity')] }, dayAfter(103_000), shows(floor(97_850))),
  example('F112', { rules: [ofReference('5', 'day-start-equity')] }, dayAfter(101_000), shows(floor(95_950))),
  example(
    'F113',
    { rules: [ofAmount('4000.00', 'day-start-equity')] },
    dayAfter(106_000),
    shows(floor(102_000)),
    startsAtEquity,
  ),
  example(
    'F113',
    { rules: [ofAmount('4000.00', 'day-start-equity')] },
    dayAfter(106_000, 105_000),
    shows(floor(101_000)),
    startsAtEquity,
  ),
  example('F115', { rules: [ofReference('5')] }, dayAfter(100_000), shows(floor(95_000))),
  example('F115', { rules: [ofReference('5')] }, dayAfter(110_000), shows(floor(104_500)), 'A limit of 5,500.'),
  {
    id: 'P10',
    terms: { rules: [], zone: 'America/New_York' },
    when: ['2026-03-08T04:59:59Z', '2026-03-08T05:00:00Z', '2026-03-09T03:59:59Z', '2026-03-09T04:00:00Z'].map(clock),
    each: [{ day: '2026-03-07' }, { day: '2026-03-08' }, { day: '2026-03-08' }, { day: '2026-03-09' }],
    because: 'From 05:00 to 04:00 UTC are 23 hours.',
  },
]
