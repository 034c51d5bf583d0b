import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { AccountPayoutTerms } from '#services/trading/accounts/account-api.ts'
import { PayoutTermsView } from './payout-terms.tsx'

const none = { set: null, words: [], payout: null }

it('says who decides on payouts of an account without terms', () => {
  render(<PayoutTermsView userId="ada" found={none} ofProgramme={false} />)
  expect(screen.getByText('None: staff decide any amount.')).toBeTruthy()
})

it('leaves payouts of an evaluation to its programme, not to staff', () => {
  render(<PayoutTermsView userId="ada" found={none} ofProgramme />)
  expect(screen.queryByText(/staff decide/)).toBeNull()
  expect(screen.getByText(/payouts begin with the funded stage/)).toBeTruthy()
})

it('shows staff the same numbers of what is missing as the trader reads', () => {
  const payout: NonNullable<AccountPayoutTerms['payout']> = {
    ...{ profit: '1300.00', available: '0.00', split: '80', traderReceives: '0.00', from: null },
    ...{ missing: ['minimum-days', 'consistency'], waiting: '0.00' },
    needs: [
      { kind: 'minimum-days', have: '3', asked: '5', left: '2', share: null, mostShare: null },
      { kind: 'consistency', have: '1300.00', asked: '1500.00', left: '200.00', share: '46.15', mostShare: '40' },
    ],
    terms: {
      ...{ name: 'Funded', takes: 'request', firstAfterDays: 0, everyDays: 0, minimum: '0.00', minimumOf: 'share' },
      ...{ cap: null, buffer: '0.00', mostOfProfit: '100' },
    },
    events: { terms: 12, balance: 15, payout: null },
  }
  render(<PayoutTermsView userId="ada" found={{ ...none, payout }} ofProgramme />)
  expect(screen.getByRole('list', { name: 'Still missing' }).textContent).toBe(
    'Minimum days: 3 of 5, 2 left.Consistency: the best result is 46.15% of the profit, of at most 40%. $200.00 more profit is needed, $1,500.00 in all.',
  )
})
