import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import type { LedgerEntry } from '#services/trading/accounts/ledger-api.ts'
import { LedgerTable } from './ledger-table.tsx'

const deposit: LedgerEntry = {
  kind: 'deposit',
  amount: '10000.00',
  currency: 'USD',
  at: '2026-03-03T14:00:00.000Z',
  payoutId: null,
  balance: '10000.00',
  reference: null,
  reason: null,
  event: 7,
  explained: null,
  unexplained: null,
}
const payout: LedgerEntry = {
  ...deposit,
  kind: 'payout',
  amount: '-250.00',
  balance: '9750.00',
  payoutId: 'ada12345-a1-p1',
  event: 9,
}
const typed: LedgerEntry = {
  ...deposit,
  kind: 'trade-result',
  amount: '250.00',
  event: 11,
  explained: '250.00',
  unexplained: '0.00',
}

const show = (entries: LedgerEntry[] | undefined, error: Error | null = null) =>
  render(
    <LedgerTable
      ledger={{ data: entries, isError: error !== null, error, refetch: () => Promise.reject(new Error()) }}
    />,
  )

it('shows what moved the money, the newest first, each entry with its event', () => {
  show([deposit, payout, typed])
  const [, newest, ...older] = screen.getAllByRole('row')
  expect(older.map((row) => within(row).getByText(/^#/).textContent)).toEqual(['#9', '#7'])
  if (!newest) throw new Error('The table has no rows')
  expect(within(newest).getByText('Trading result')).toBeTruthy()
  expect(within(newest).getByText(/^\$250\.00 may be a payout/)).toBeTruthy()
  expect(screen.getByText(/ada12345-a1-p1/)).toBeTruthy()
})

it('shows the newest 25 of many, and all of them on request', async () => {
  show(Array.from({ length: 30 }, (_, n) => ({ ...deposit, event: n + 1 })))
  const numbers = () => screen.getAllByText(/^#/).map(({ textContent }) => textContent)
  expect(numbers()).toEqual(Array.from({ length: 25 }, (_, n) => `#${30 - n}`))
  await userEvent.click(screen.getByRole('button', { name: 'Show all 30 entries' }))
  expect(numbers()).toHaveLength(30)
  expect(screen.queryByRole('button', { name: /^Show all/ })).toBeNull()
})

it('says that it is empty, or could not be loaded', () => {
  show([])
  expect(screen.getByText('Nothing has moved the balance yet.')).toBeTruthy()
  show(undefined, new Error('No answer'))
  expect(screen.getByText('The ledger could not be loaded')).toBeTruthy()
})
