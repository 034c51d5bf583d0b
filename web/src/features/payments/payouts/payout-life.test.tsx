import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { ListedPayout } from '#services/payments/payouts/payout-api.ts'
import { HistoryTable } from './history-table.tsx'
import { PayoutLife } from './payout-life.tsx'
import { samplePayout } from '@/testing/samples.ts'
import { RejectedNotice } from './payouts-page.tsx'

const pending: ListedPayout = {
  ...samplePayout,
  createdAt: '2026-03-01T10:00:00Z',
  stamps: { requested: { number: 4, at: '2026-03-01T10:00:00Z', by: 'trader', name: null }, decided: null },
}
const rejected: ListedPayout = {
  ...pending,
  status: 'rejected',
  adminNotes: 'Proof of address missing',
  decidedAt: '2026-03-02T10:00:00Z',
  stamps: { ...pending.stamps, decided: { number: 5, at: '2026-03-02T10:00:00Z', by: 'admin', name: null } },
}

describe('the life of a payout', () => {
  it('says that it waits', () => {
    render(<PayoutLife payout={pending} />)
    expect(screen.getByText('Requested')).toBeTruthy()
    expect(screen.getByText('Waiting for a decision')).toBeTruthy()
    expect(screen.getByText(/^#4 · /)).toBeTruthy()
  })

  it('shows the decision with the full notes', () => {
    render(<PayoutLife payout={rejected} />)
    expect(screen.getAllByText('Rejected')).toHaveLength(2)
    expect(screen.getByText('Proof of address missing')).toBeTruthy()
    expect(screen.getByText(/^#5 · /)).toBeTruthy()
  })

  it('says so where no notes were given', () => {
    render(<PayoutLife payout={{ ...rejected, status: 'approved', adminNotes: '' }} />)
    expect(screen.getByText('No notes')).toBeTruthy()
  })
})

describe('the payment of a payout', () => {
  const stamp = { number: 6, at: '2026-03-03T10:00:00Z', by: 'admin', name: null } as const
  const approved: ListedPayout = {
    ...rejected,
    status: 'approved',
    traderReceives: '200.00',
    firmKeeps: '50.00',
    payment: { state: 'open', reference: null, batch: null, reason: null, at: '2026-03-02T10:00:00Z' },
  }

  it('comes next after an approval', () => {
    render(<PayoutLife payout={approved} />)
    expect(screen.getByText('To be paid')).toBeTruthy()
    expect(screen.getByText(/^The payment is made next/)).toBeTruthy()
    expect(screen.queryByText('Receipt to print')).toBeNull()
  })

  it('is told with its reference and reason, and what comes next', () => {
    const failed = { state: 'failed', reference: 'p1-1', reason: 'AC01' } as const
    render(
      <PayoutLife
        payout={{
          ...approved,
          payment: { ...failed, batch: null, at: stamp.at },
          paymentSteps: [{ ...failed, stamp }],
        }}
      />,
    )
    expect(screen.getByText('Payment failed')).toBeTruthy()
    expect(screen.getByText('AC01')).toBeTruthy()
    expect(screen.getByText(/^The money is still yours.*give a new destination here/)).toBeTruthy()
  })

  it('names the destination before the one that was given', () => {
    const change = { from: 'ada@exampel.com', to: 'ada@example.com', reason: 'By phone', stamp }
    render(<PayoutLife payout={{ ...approved, destinationChanges: [change] }} />)
    expect(screen.getByText('ada@example.com, before that ada@exampel.com')).toBeTruthy()
    expect(screen.getByText('By phone')).toBeTruthy()
  })
})

describe('the notice of a rejection', () => {
  it('says why the newest request was rejected', () => {
    render(<RejectedNotice payouts={[rejected, pending]} />)
    expect(screen.getByRole('region', { name: 'Your last request' }).textContent).toContain('Proof of address missing')
  })

  it('is not there once something newer was requested, or nothing was', () => {
    const { container } = render(
      <>
        <RejectedNotice payouts={[pending, rejected]} />
        <RejectedNotice payouts={[]} />
        <RejectedNotice payouts={undefined} />
      </>,
    )
    expect(container.textContent).toBe('')
  })
})

describe('the payout history', () => {
  const closed = { openId: undefined, onOpen: () => {} }

  it('has five columns, with fallbacks for empty values', () => {
    render(
      <HistoryTable
        namesAccount={false}
        payouts={[{ ...pending, createdAt: 'no date' }]}
        failed={false}
        onRetry={() => {}}
        {...closed}
      />,
    )
    expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
      'Request ID',
      'Date',
      'Amount',
      'Status',
      'Admin Notes',
    ])
    expect(screen.getByText('No notes')).toBeTruthy()
    expect(screen.getByText('N/A')).toBeTruthy()
  })

  it('says that there is none, that it loads, and that it failed', () => {
    const { rerender } = render(
      <HistoryTable namesAccount={false} payouts={[]} failed={false} onRetry={() => {}} {...closed} />,
    )
    expect(screen.getByText('No payout requests found')).toBeTruthy()
    rerender(<HistoryTable namesAccount={false} payouts={undefined} failed={false} onRetry={() => {}} {...closed} />)
    expect(screen.getByRole('status').textContent).toBe('Loading Payout history')
    rerender(<HistoryTable namesAccount={false} payouts={undefined} failed onRetry={() => {}} {...closed} />)
    expect(screen.getByRole('alert').textContent).toContain('Failed to load payout requests.')
  })
})
