import type { AccountHistory, OwnAccount } from '#services/trading/accounts/account-api.ts'
import type { Standing, TradingFigures } from '#services/trading/accounts/standing-api.ts'
import type { AdminPayout } from '#services/payments/payouts/payout-api.ts'

/** For tests: an active account of which nothing else is set, to be changed as the test needs it. */
export const sampleAccount: OwnAccount = {
  id: 'ada12345-a1',
  open: true,
  balance: '10000.00',
  profitLoss: '0.00',
  profitTarget: null,
  dailyDrawdownLimit: null,
  overallLossLimit: null,
  status: 'active',
  phase: null,
  platform: null,
  login: null,
  masterPassword: null,
  server: null,
  payoutEnabled: false,
  programme: null,
  stamps: {
    status: null,
    phase: null,
    limits: null,
    payouts: null,
    dailyDrawdownLimit: null,
    overallLossLimit: null,
    profitTarget: null,
  },
  payout: null,
}

/** For tests: an account that began with $10,000.00 and lost $120.00 today. */
export const sampleStanding: Standing = {
  account: 'ada12345-a1',
  at: '2026-03-03T14:00:00.000Z',
  day: '2026-03-03',
  balance: '9880.00',
  equity: '9880.00',
  status: 'in-progress',
  rules: [
    {
      kind: 'maximum-loss',
      state: 'kept',
      floor: '9000.00',
      room: '880.00',
      locked: false,
      amount: '1000.00',
      lost: '120.00',
      event: 9,
      percent: 12,
      terms: null,
    },
    {
      kind: 'daily-loss',
      state: 'kept',
      floor: '9500.00',
      room: '380.00',
      amount: '500.00',
      lost: '120.00',
      event: 7,
      percent: 24,
      terms: null,
    },
    {
      kind: 'profit-target',
      state: 'open',
      target: '11000.00',
      missing: '1120.00',
      amount: '1000.00',
      lost: '0.00',
      event: 8,
      percent: 0,
      terms: null,
    },
  ],
  nearest: 'daily-loss',
  cause: null,
  payout: null,
  programme: null,
  stage: null,
  terms: null,
  person: null,
  asOf: '2026-03-03T11:00:00.000Z',
  reported: null,
  dayStartedAt: '2026-03-03T00:00:00.000Z',
  resetsAt: '2026-03-04T00:00:00.000Z',
  began: { at: '2026-03-01T10:00:00.000Z', balance: '10000.00' },
  result: { today: '-120.00', phase: '-120.00', total: '-120.00' },
  progress: { target: '1000.00', percent: 0, remaining: '1120.00' },
  agrees: true,
}

const termsOf = (
  title: string,
  text: string,
  more: Partial<NonNullable<Standing['rules'][number]['terms']>> = {},
): Standing['rules'][number]['terms'] => ({
  title,
  text,
  consequence: null,
  asked: null,
  nearest: false,
  proof: null,
  since: null,
  ...more,
})

const noFigures = { amount: null, lost: null, event: 12 } as const

/** For tests: an account in the first stage of a programme whose days begin at 17:00 in New York. */
export const sampleProgrammeStanding: Standing = {
  ...sampleStanding,
  rules: [
    {
      ...{ kind: 'daily-loss', state: 'kept', floor: '9500.00', room: '380.00', amount: '500.00', lost: '120.00' },
      ...{ percent: 24, event: 12 },
      terms: termsOf('Daily loss', '5% a day.', { consequence: 'pause', nearest: true, proof: 40 }),
    },
    {
      ...{
        kind: 'profit-target',
        state: 'open',
        target: '10800.00',
        missing: '920.00',
        amount: '800.00',
        lost: '0.00',
      },
      ...{ percent: 0, event: 12 },
      terms: termsOf('Profit target', '8% on the balance.'),
    },
    {
      ...{ ...noFigures, kind: 'minimum-days', state: 'met', days: 4, percent: 100 },
      terms: termsOf('Minimum days', '4 days with a trade.', { asked: '4', proof: 38 }),
    },
    {
      ...{ ...noFigures, kind: 'consistency', state: 'open', best: '300.00', profit: '600.00', share: '50.00' },
      ...{ needed: '750.00', percent: 50 },
      terms: termsOf('Consistency', 'The best day is at most 40% of the profit.', { asked: '40', proof: 36 }),
    },
  ],
  programme: { id: 'p1', version: 2, hash: 'f'.repeat(64) },
  stage: 0,
  terms: {
    ...{ name: 'Two-Step 10K', version: 2, stage: 'Phase 1', zone: 'America/New_York', startsAt: '17:00' },
    words: [{ title: 'Trading day', text: 'From 17:00 to 17:00 in New York' }],
  },
}

const noTrades: TradingFigures = {
  result: '0.00',
  best: null,
  worst: null,
  winningDays: 0,
  losingDays: 0,
  deepestFall: '0.00',
  curve: null,
}

/** For tests: a history without anything. */
export const emptyHistory: AccountHistory = {
  points: [],
  days: [],
  periods: { '7d': noTrades, '30d': noTrades, '90d': noTrades, all: noTrades },
  calendar: null,
  markers: [],
  olderMarkers: 0,
}

/** For tests: a payout that waits for its verdict, with the account of its trader. */
export const samplePayout = {
  id: 'ada12345-a1-p1',
  userId: 'ada12345',
  accountId: 'ada12345-a1',
  amount: '250.00',
  paymentMethod: 'paypal',
  paymentDetails: 'ada@example.com',
  destinationDigest: 'd0'.repeat(32),
  destinationChanges: [],
  takesDestination: false,
  proposedDestination: null,
  destination: null,
  status: 'pending',
  traderReceives: null,
  firmKeeps: null,
  deducted: false,
  hold: null,
  payment: null,
  code: null,
  money: null,
  evidence: [],
  promise: null,
  adminNotes: null,
  createdAt: '2026-03-03T14:07:00Z',
  decidedAt: null,
  stamps: { requested: null, decided: null },
  paymentSteps: [],
  firstApproval: null,
  firstForfeit: null,
  needsSecondApproval: false,
  user: { fullName: 'Ada Lovelace', email: 'ada@example.com', emailConfirmed: true },
  accountCount: 1,
  account: {
    login: '900100',
    server: 'Demo-1',
    status: 'active',
    phase: 'Funded',
    balance: '10600.00',
    profitLoss: '600.00',
    dailyDrawdownLimit: '5% / $500',
    overallLossLimit: '10% / $1000',
    payoutEnabled: true,
    banned: false,
  },
} satisfies AdminPayout
