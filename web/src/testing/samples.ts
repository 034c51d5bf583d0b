import type { AccountHistory, OwnAccount } from '#services/modules/accounts/account-api.ts'
import type { Standing, TradingFigures } from '#services/modules/accounts/standing-api.ts'
import type { AdminPayout } from '#services/modules/payouts/payout-api.ts'

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
    },
    {
      kind: 'daily-loss',
      state: 'kept',
      floor: '9500.00',
      room: '380.00',
      amount: '500.00',
      lost: '120.00',
      event: 7,
    },
    {
      kind: 'profit-target',
      state: 'open',
      target: '11000.00',
      missing: '1120.00',
      amount: '1000.00',
      lost: '0.00',
      event: 8,
    },
  ],
  nearest: 'daily-loss',
  cause: null,
  payout: null,
  programme: null,
  stage: null,
  resetsAt: '2026-03-04T00:00:00.000Z',
  began: { at: '2026-03-01T10:00:00.000Z', balance: '10000.00' },
  result: { today: '-120.00', phase: '-120.00', total: '-120.00' },
  progress: { target: '1000.00', percent: 0, remaining: '1120.00' },
  agrees: true,
}

const noTrades: TradingFigures = {
  result: '0.00',
  best: null,
  worst: null,
  winningDays: 0,
  losingDays: 0,
  deepestFall: '0.00',
}

/** For tests: a history without anything. */
export const emptyHistory: AccountHistory = {
  points: [],
  days: [],
  periods: { '7d': noTrades, '30d': noTrades, '90d': noTrades, all: noTrades },
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
  destination: null,
  status: 'pending',
  traderReceives: null,
  firmKeeps: null,
  deducted: false,
  hold: null,
  payment: null,
  adminNotes: null,
  createdAt: '2026-03-03T14:07:00Z',
  decidedAt: null,
  stamps: { requested: null, decided: null },
  paymentSteps: [],
  firstApproval: null,
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
