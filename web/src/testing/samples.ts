import type { OwnAccount } from '#services/modules/accounts/account-api.ts'
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
  login: null,
  masterPassword: null,
  server: null,
  payoutEnabled: false,
  stamps: { status: null, phase: null, limits: null, payouts: null },
}

/** For tests: a payout that waits for its verdict, with the account of its trader. */
export const samplePayout = {
  id: 'ada12345-a1-p1',
  userId: 'ada12345',
  accountId: 'ada12345-a1',
  amount: '250.00',
  paymentMethod: 'paypal',
  paymentDetails: 'ada@example.com',
  status: 'pending',
  adminNotes: null,
  createdAt: '2026-03-03T14:07:00Z',
  decidedAt: null,
  stamps: { requested: null, decided: null },
  firstApproval: null,
  needsSecondApproval: false,
  user: { fullName: 'Ada Lovelace', email: 'ada@example.com' },
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
