import {
  clock,
  dailyLoss,
  fixed,
  maximumDays,
  maximumLoss,
  minimumDays,
  on,
  payout,
  payouts,
  percent,
  profitTarget,
  state,
} from '#test-support/rules.ts'
import { dayAfter, days, type Example, example, floor, shows, usd } from './example.ts'

const atClose = { follows: { value: 'balance', at: 'day-close' } } as const
const balance = { follows: { value: 'balance', at: 'every-change' } } as const
const equity = { follows: { value: 'equity', at: 'every-change' } } as const
const locksAtStart = { locksAbove: fixed('0.00') }
const reached = (...balances: readonly number[]) => balances.map((amount, index) => state(on(2 + index), usd(amount)))
const locked = (amount: number) => shows(floor(amount, { locked: true }))
const breachedAt = (kind: string, day: string, more = {}) => ({ status: 'breached', cause: { kind, ...more }, day })

const oneStep = { rules: [maximumLoss({ limit: percent('10'), ...atClose })] }
const e8 = { rules: [maximumLoss({ limit: percent('6'), ...balance, ...locksAtStart })] }
const topstep = { size: '50000.00', rules: [maximumLoss({ limit: fixed('2000.00'), ...atClose, ...locksAtStart })] }
const funded7 = {
  size: '50000.00',
  rules: [maximumLoss({ limit: fixed('5000.00'), ...balance })],
  payouts: payouts({ floor: 'falls' }),
}
const trailing = (amount: string, more = {}) => maximumLoss({ limit: fixed(amount), ...equity, ...more })
const ofPeak = maximumLoss({ limit: { percent: '10', of: 'high' }, ...equity })
const nitroPro = {
  rules: [maximumLoss({ limit: percent('3'), ...balance, ...locksAtStart })],
  payouts: payouts({ split: '100' }),
}

/** Why a parameter has its value where the page does not name it. */
const highOfEither = 'The page speaks of a high-water mark: here balance and equity are the same.'
const lockedHere =
  'The page names no limit, and says that the floor is locked at this balance: the limit locks it there.'

export const maximumLossExamples: readonly Example[] = [
  example(
    'K3',
    { rules: [...oneStep.rules, dailyLoss({ limit: percent('3') })] },
    dayAfter(104_000),
    shows(floor(94_000), floor(101_000)),
  ),
  example('K14', e8, reached(102_000), shows(floor(96_000))),
  example('K16', e8, reached(107_000), locked(100_000)),
  example(
    'K17',
    topstep,
    reached(50_000),
    { nearest: 'maximum-loss', ...shows(floor(48_000)) },
    'No daily limit is no rule.',
  ),
  example('K18', topstep, reached(50_500, 50_000), shows(floor(48_500))),
  example('K19', topstep, dayAfter(53_000), locked(50_000)),
  example('K31', { rules: [maximumLoss({ measures: 'lower' })] }, [state(on(2), '89000.00', '91000.00')], {
    status: 'breached',
    cause: { measured: '89000.00' },
  }),
  example('L1', { rules: [maximumLoss()] }, days([-3000, -3000, -3000], [-2000]), {
    ...breachedAt('maximum-loss', '2026-11-03'),
    balance: '89000.00',
  }),
  example(
    'L2',
    { rules: [maximumLoss()] },
    days([-10_000]),
    breachedAt('maximum-loss', '2026-11-02', { floor: '90000.00' }),
  ),
  example(
    'L5',
    { rules: [dailyLoss({ checked: 'day-close' }), maximumLoss({ limit: percent('20') }), maximumDays({ days: 1 })] },
    [...days([-6000, 2000]), clock(on(3))],
    { cause: { kind: 'maximum-days' } },
    'The time is over, and no floor was passed.',
  ),
  example(
    'L6',
    { rules: [dailyLoss(), maximumLoss({ limit: percent('20') }), maximumDays({ days: 1 })] },
    days([-6000, 2000]),
    breachedAt('daily-loss', '2026-11-02'),
  ),
  example(
    'L7',
    { rules: [maximumLoss({ limit: fixed('3000.00') }), dailyLoss({ limit: fixed('2000.00') })] },
    days([-3500]),
    breachedAt('daily-loss', '2026-11-02', { floor: '98000.00' }),
  ),
  example(
    'L9',
    { rules: [trailing('3000.00')] },
    days([2000, -3500]),
    breachedAt('maximum-loss', '2026-11-02', { floor: '99000.00', measured: '98500.00' }),
  ),
  example('L10', { rules: [maximumLoss({ limit: fixed('3000.00') }), maximumDays({ days: 1 })] }, days([2000, -3500]), {
    status: 'in-progress',
    balance: '98500.00',
    ...shows(floor(97_000)),
  }),
  example('L11', { rules: [trailing('1000.00'), maximumDays({ days: 1 })] }, days([5000, 5000, 5000]), {
    status: 'in-progress',
    balance: '115000.00',
  }),
  example(
    'L12',
    { rules: [trailing('3000.00', locksAtStart)] },
    days([4000], [-3900], [-200]),
    breachedAt('maximum-loss', '2026-11-04', { floor: '100000.00', at: '2026-11-04T12:00:00Z' }),
  ),
  example('L13', { rules: [trailing('3000.00')] }, days([4000], [-3900], [-200]), {
    cause: { floor: '101000.00', observation: 1 },
  }),
  example('L15', { rules: [trailing('3000.00')] }, days([4000, -4500], [5000], [-3500]), {
    cause: { kind: 'maximum-loss', observation: 1 },
  }),
  example(
    'L16',
    { rules: [maximumLoss(), profitTarget(), minimumDays({ days: 4 })] },
    days([9000], [], [], []),
    { status: 'passed', day: '2026-11-05', balance: '109000.00', ...shows({}, {}, { days: 4 }) },
    'The engine counts days without a trade too: days of the calendar.',
  ),
  example(
    'L17',
    { rules: [maximumLoss(), profitTarget(), maximumDays()] },
    [...days([1000], [1000], [1000]), clock(on(5))],
    { cause: { kind: 'maximum-days' }, ...shows({}, {}, { days: 3 }) },
  ),
  example(
    'L18',
    { rules: [maximumLoss(), dailyLoss({ limit: fixed('3000.00') }), profitTarget()] },
    days([-3500, 12_000]),
    breachedAt('daily-loss', '2026-11-02'),
  ),
  example(
    'L20',
    { rules: [maximumLoss({ limit: percent('20') }), profitTarget({ target: fixed('3000.00') })] },
    days([3000]),
    { status: 'passed' },
  ),
  example('L22', { rules: [trailing('3000.00'), profitTarget({ target: fixed('3000.00') })] }, days([3000], [-3500]), {
    status: 'passed',
    cause: null,
  }),
  example(
    'L23',
    { rules: [maximumLoss({ limit: fixed('2000.00'), ...atClose, ...locksAtStart })] },
    days([4000], [-3900], [-200]),
    { cause: { floor: '100000.00', observation: 2 } },
  ),
  example('L24', { rules: [maximumLoss({ limit: fixed('2000.00'), ...atClose })] }, days([4000], [-3900], [-200]), {
    cause: { floor: '102000.00', observation: 1 },
  }),
  example(
    'L26',
    { rules: [trailing('2000.00', locksAtStart), maximumDays()] },
    [...days([4000], [-3850], [-100]), clock(on(5))],
    { cause: { kind: 'maximum-days' }, ...shows(floor(100_000, { state: 'kept' })) },
  ),
  example(
    'P1',
    { rules: [maximumLoss({ limit: { percent: '10', of: 'high' }, ...equity, touch: 'allowed' })] },
    reached(90_000),
    { status: 'in-progress' },
    'A tolerance of one cent lets the floor be touched.',
  ),
  example(
    'P3',
    { rules: [ofPeak, profitTarget({ target: percent('10') })] },
    [state(on(2), '105000.00'), state(on(3), '110000.00', '94000.00')],
    { status: 'breached' },
    'The target is ours: a balance of 110,000 reaches it, and the breach comes first.',
  ),
  example('P5', { rules: [ofPeak] }, reached(200_000, 175_000), { status: 'breached', cause: { floor: '180000.00' } }),
  example('P7', { rules: [maximumLoss()] }, [state(on(2), '89000.00', '89000.00', { quality: 'reported' })], {
    status: 'breached',
  }),
  {
    id: 'T2',
    terms: { size: '50000.00', rules: [maximumLoss({ limit: fixed('2000.00'), ...atClose })] },
    when: [...reached(50_000, 51_000), clock(on(4))],
    each: [shows(floor(48_000)), shows(floor(48_000)), shows(floor(49_000))],
  },
  example(
    'T3',
    { size: '50000.00', rules: [trailing('2000.00')] },
    [state(on(2), '50000.00', '53000.00'), state(on(3), '50000.00')],
    { status: 'breached', cause: { floor: '51000.00' } },
  ),
  example(
    'T4',
    { rules: [maximumLoss({ limit: percent('8'), ...balance })] },
    reached(105_000),
    shows(floor(97_000)),
    highOfEither,
  ),
  example('F11', oneStep, [clock(on(2))], shows(floor(90_000))),
  example('F12', oneStep, dayAfter(104_000), shows(floor(94_000))),
  example('F13', oneStep, [...reached(104_000, 103_000), clock(on(4))], shows(floor(94_000))),
  example('F16', { rules: [maximumLoss()] }, [state(on(2), '92000.00', '89999.00')], {
    status: 'breached',
    cause: { measured: '89999.00' },
  }),
  { id: 'F18', terms: e8, when: reached(100_000, 101_000), each: [shows(floor(94_000)), shows(floor(95_000))] },
  example('F19', e8, reached(106_000), locked(100_000)),
  example(
    'F20',
    { rules: [maximumLoss({ limit: { percent: '6', of: 'high' }, ...balance, ...locksAtStart })] },
    reached(100_000),
    shows(floor(94_000)),
  ),
  example(
    'F23',
    { size: '50000.00', rules: [maximumLoss({ limit: fixed('2500.00'), ...balance, ...locksAtStart })] },
    reached(52_600),
    locked(50_000),
  ),
  example(
    'F24',
    {
      size: '200000.00',
      zone: 'America/New_York',
      startsAt: '17:00',
      rules: [maximumLoss({ limit: percent('7'), ...atClose })],
    },
    dayAfter(200_380),
    shows(floor(186_380)),
  ),
  {
    id: 'F25',
    terms: { rules: [maximumLoss({ limit: percent('5'), ...balance, ...locksAtStart })] },
    when: reached(104_000, 105_000),
    each: [shows(floor(99_000)), shows(floor(100_000))],
  },
  example('F27', funded7, reached(50_000), shows(floor(45_000)), highOfEither),
  example('F28', funded7, reached(55_000), shows(floor(50_000)), highOfEither),
  example(
    'F29',
    funded7,
    [...reached(55_000), payout(on(3), '3000.00')],
    shows(floor(47_000)),
    'The high falls by the payout, from 55,000 to 52,000.',
  ),
  example('F30', topstep, dayAfter(50_500), shows(floor(48_500))),
  example('F32', topstep, dayAfter(52_500), locked(50_000)),
  {
    id: 'F35',
    terms: e8Funded(),
    when: [...reached(106_000), payout(on(3), '4000.00')],
    each: [
      shows(floor(100_000, { room: '6000.00' })),
      { balance: '102000.00', ...shows(floor(100_000, { room: '2000.00' })) },
    ],
    because: lockedHere,
  },
  example('F40', nitroPro, [...reached(103_000), payout(on(3), '3000.00')], { status: 'breached' }, lockedHere),
  example(
    'F41',
    nitroPro,
    [...reached(103_000), payout(on(3), '2000.00')],
    {
      status: 'in-progress',
      ...shows({ room: '1000.00' }),
    },
    lockedHere,
  ),
]

function e8Funded() {
  return { ...e8, payouts: payouts() }
}
