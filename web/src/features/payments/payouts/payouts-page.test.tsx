import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { AvailableByTerms } from './payouts-page.tsx'

const payout: NonNullable<OwnAccount['payout']> = {
  profit: '4000.00',
  available: '3000.00',
  split: '80',
  traderReceives: '2400.00',
  from: null,
  missing: [],
  waiting: '1000.00',
  terms: {
    name: 'Funded 100K',
    takes: 'request',
    firstAfterDays: 0,
    everyDays: 0,
    minimum: '0.00',
    minimumOf: 'share',
    cap: null,
    buffer: '0.00',
    mostOfProfit: '100',
  },
  events: { terms: 12, balance: 15, payout: null },
}

it('shows what is available, the share of it, and the events behind it', () => {
  render(<AvailableByTerms payout={payout} />)
  for (const text of ['$3,000.00', '$2,400.00 (80%)', '$4,000.00', '$1,000.00', 'Now'])
    expect(screen.getByText(text)).toBeTruthy()
  expect(screen.getByText('By the terms “Funded 100K” (#12), and your balance of #15.')).toBeTruthy()
  expect(screen.queryByRole('status')).toBeNull()
})

it('says what is missing, and when the next payout is possible', () => {
  const later = { ...payout, available: '0.00', from: '2026-03-17', missing: ['every-days', 'another-rule'] }
  render(<AvailableByTerms payout={{ ...later, events: { ...payout.events, payout: 14 } }} />)
  expect(screen.getByRole('status').textContent).toBe('Still missing: the days between two payouts, another-rule.')
  expect(screen.getByText(/after the payout of #14\.$/)).toBeTruthy()
})

it('promises no payout now while a goal of the stage is missing', () => {
  render(<AvailableByTerms payout={{ ...payout, available: '0.00', waiting: '0.00', missing: ['minimum-days'] }} />)
  expect(screen.queryByText('Now')).toBeNull()
  expect(screen.getByText('Once nothing is missing')).toBeTruthy()
  expect(screen.getByRole('status').textContent).toBe('Still missing: the minimum days.')
})
