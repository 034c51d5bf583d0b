import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import type { AccountHistory } from '#services/trading/accounts/account-api.ts'
import { emptyHistory, sampleProgrammeStanding } from '@/testing/samples.ts'
import { BalancePanel, Performance } from './performance-panels.tsx'

const now = Date.parse('2026-03-03T14:00:00Z')
const panel = { range: 'all', onRange: () => {}, now, onRetry: () => {} } as const
const limits = { daily: '5% / $500', overall: null, target: '$1,000.00' }
const lost = { date: '2026-03-02', result: '-120.00' }
const history: AccountHistory = {
  ...emptyHistory,
  points: [
    { at: '2026-03-01T10:00:00Z', number: 2, balance: '10000.00', profitLoss: '0.00', traded: '0.00' },
    { at: '2026-03-02T10:00:00Z', number: 9, balance: '9880.00', profitLoss: '-120.00', traded: '-120.00' },
  ],
  periods: {
    ...emptyHistory.periods,
    '7d': {
      ...emptyHistory.periods['7d'],
      curve: { from: '2026-03-02T12:00:00Z', balance: '9880.00', index: 2, traded: [], movedOtherwise: false },
    },
    all: {
      ...{ result: '-120.00', best: null, worst: lost, winningDays: 0, losingDays: 1, deepestFall: '120.00' },
      curve: {
        from: '2026-03-01T10:00:00Z',
        balance: '10000.00',
        index: 1,
        traded: ['-120.00'],
        movedOtherwise: false,
      },
    },
  },
}
const empty = emptyHistory

describe('the balance chart', () => {
  it('says that it is loading', () => {
    render(<BalancePanel {...panel} history={undefined} />)
    expect(screen.getByRole('status').textContent).toBe('Loading the balance history')
  })

  it('offers to try again when it could not be loaded', async () => {
    const onRetry = vi.fn<() => void>()
    render(<BalancePanel {...panel} history={null} onRetry={onRetry} />)
    expect(screen.getByRole('alert').textContent).toContain('The balance history could not be loaded.')
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(onRetry).toHaveBeenCalledOnce()
  })

  it('keeps the placeholder without history', () => {
    render(<BalancePanel {...panel} history={empty} />)
    expect(screen.getByText('Your trading performance will be displayed here when available')).toBeTruthy()
    expect(screen.queryByRole('group', { name: 'Range' })).toBeNull()
  })

  it('shows the chosen range', async () => {
    const onRange = vi.fn<(range: string) => void>()
    render(<BalancePanel {...panel} history={history} onRange={onRange} />)
    expect(screen.getByRole('button', { name: 'All', pressed: true })).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: '7 days' }))
    expect(onRange).toHaveBeenCalledWith('7d')
  })
})

describe('the performance', () => {
  it('explains the rules, each with its limit', () => {
    render(<Performance {...panel} history={empty} limits={limits} />)
    expect(screen.getByText(/Trading is restricted if it is breached/)).toBeTruthy()
    expect(screen.getByText(/The account is suspended if it is breached/)).toBeTruthy()
    expect(screen.getByText('5% / $500')).toBeTruthy()
    expect(screen.getByText('Not set')).toBeTruthy()
  })

  it('states no rules of an account under a programme until its own are there', async () => {
    const onRetry = vi.fn<() => void>()
    const withStanding = (standing: undefined | null) => (
      <Performance {...panel} history={empty} limits={limits} programme={{ standing, onRetry }} />
    )
    const { rerender } = render(withStanding(undefined))
    expect(screen.getByRole('status').textContent).toBe('Loading the rules')
    expect(screen.queryByText(/if it is breached/)).toBeNull()
    rerender(withStanding(null))
    expect(screen.queryByText(/if it is breached/)).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(onRetry).toHaveBeenCalledOnce()
  })

  it('states the rules of the account’s own programme in their place', () => {
    const programme = { standing: sampleProgrammeStanding, onRetry: () => {} }
    render(<Performance {...panel} history={empty} limits={limits} programme={programme} />)
    expect(screen.getByText('Phase 1 of Two-Step 10K, version 2')).toBeTruthy()
    expect(screen.getAllByRole('term').map(({ textContent }) => textContent)).toEqual([
      'Daily loss',
      'Profit target',
      'Minimum days',
      'Consistency',
      'Trading day',
    ])
    expect(screen.getByText('The best day is at most 40% of the profit.')).toBeTruthy()
    expect(screen.queryByText(/account is suspended/)).toBeNull()
  })

  it('shows the figures of the chosen period, which are the server’s', () => {
    render(<Performance {...panel} history={history} limits={limits} />)
    expect(screen.getByText('-$120.00 on Mar 02, 2026')).toBeTruthy()
    expect(screen.getByText('0 and 1')).toBeTruthy()
    cleanup()
    render(<Performance {...panel} range="7d" history={history} limits={limits} />)
    expect(screen.getByText('0 and 0')).toBeTruthy()
  })

  it('keeps both placeholders without history', () => {
    render(<Performance {...panel} history={empty} limits={limits} />)
    expect(screen.getByText('Your profit and loss data will be displayed here when available')).toBeTruthy()
    expect(screen.getByText('Your risk analytics will be displayed here when available')).toBeTruthy()
  })
})
