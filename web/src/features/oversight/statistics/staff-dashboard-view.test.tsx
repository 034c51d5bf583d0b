import type { ListedUser } from '#services/trading/traders/trader-api.ts'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import type { FirmWeeks, Stats } from '#services/oversight/statistics/statistics-api.ts'
import { DashboardView } from './staff-dashboard-page.tsx'

const ada: ListedUser = {
  id: 'ada12345',
  fullName: 'Ada Lovelace',
  email: 'ada@example.com',
  emailConfirmed: true,
  country: 'uk',
  city: 'London',
  street: 'St James Square',
  houseNumber: '12',
  privacyPolicyAgreed: true,
  banned: true,
  banReason: 'Account sharing',
  banStamp: null,
  createdAt: '2026-03-03T14:07:00Z',
  tradingAccount: null,
  accountCount: 1,
}
const nothing: Stats = {
  users: { total: 0, active: 0, pending: 0, underReview: 0, breached: 0, banned: 0 },
  shares: { active: 0, pending: 0, underReview: 0, breached: 0 },
  accounts: 0,
  payouts: {
    total: 0,
    pending: 0,
    approved: 0,
    rejected: 0,
    withdrawn: 0,
    pendingAmount: '0.00',
    approvedAmount: '0.00',
    rejectedAmount: '0.00',
    withdrawnAmount: '0.00',
    totalAmount: '0.00',
    unpaid: 0,
    unpaidAmount: '0.00',
    oldestUnpaidAt: null,
  },
  recentUsers: [],
}
const firm: Stats = {
  users: { total: 1_600, active: 200, pending: 1_000, underReview: 0, breached: 400, banned: 7 },
  shares: { active: 12.5, pending: 62.5, underReview: 0, breached: 25 },
  accounts: 2_100,
  payouts: {
    total: 12,
    pending: 3,
    approved: 8,
    rejected: 1,
    withdrawn: 1,
    pendingAmount: '0.10',
    approvedAmount: '99999999.90',
    rejectedAmount: '0.20',
    withdrawnAmount: '7.00',
    totalAmount: '100000007.20',
    unpaid: 0,
    unpaidAmount: '0.00',
    oldestUnpaidAt: null,
  },
  recentUsers: [ada],
}

const weeks: FirmWeeks = {
  weeks: [
    { from: '2026-03-01', to: '2026-03-07', newAccounts: 7, approvedPayouts: 0, approvedAmount: '0.00' },
    { from: '2026-03-08', to: '2026-03-14', newAccounts: 14, approvedPayouts: 2, approvedAmount: '1250.50' },
  ],
  total: { newAccounts: 21, approvedPayouts: 2, approvedAmount: '1250.50' },
}

async function show(stats: Stats | undefined, onOpen: (user: ListedUser) => void = () => {}) {
  const routeTree = createRootRoute({
    component: () => <DashboardView stats={stats} weeks={stats && weeks} onOpen={onOpen} />,
  })
  render(<RouterProvider router={createRouter({ routeTree, history: createMemoryHistory() })} />)
  await screen.findByRole('heading', { name: 'Recent Users' })
}

describe('the dashboard of administrators', () => {
  it('keeps the place of everything while it loads', async () => {
    await show(undefined)
    expect(screen.getByRole('group', { name: 'Users in figures' }).getAttribute('aria-busy')).toBe('true')
    expect(screen.getAllByRole('status').length).toBeGreaterThanOrEqual(3)
    expect(screen.queryByText('No users yet')).toBeNull()
  })

  it('shows a new firm as empty, without dividing by zero', async () => {
    await show(nothing)
    expect(screen.getByText('No users yet')).toBeTruthy()
    expect(screen.getAllByText('0.0% of all users').length).toBeGreaterThan(0)
    expect(document.body.textContent).not.toContain('NaN')
  })

  it('shows each share of all users in words and as a bar', async () => {
    await show(firm)
    expect(screen.getByRole('meter', { name: 'Breached accounts' }).getAttribute('aria-valuetext')).toBe(
      '25.0% of all users',
    )
    expect(screen.getByRole('meter', { name: 'Active accounts' }).getAttribute('aria-valuenow')).toBe('12.5')
    expect(within(screen.getByRole('group', { name: 'Users in figures' })).getByText('7 banned')).toBeTruthy()
  })

  it('shows the sum of requests in every state, of withdrawn ones too', async () => {
    await show(firm)
    expect(screen.getByText('$100,000,007.20')).toBeTruthy()
    expect(screen.getByText('$7.00')).toBeTruthy()
    expect(screen.getByText('from 12 requests')).toBeTruthy()
  })

  it('shows what each week brought, in words too', async () => {
    await show(firm)
    const accounts = within(screen.getByRole('list', { name: 'New accounts by week' }))
    expect(accounts.getAllByRole('listitem').map((week) => week.textContent)).toEqual([
      '1 Mar to 7 Mar: 7',
      '8 Mar to 14 Mar: 14',
    ])
    expect(
      within(screen.getByRole('list', { name: 'Approved payouts by week' })).getByText(
        '8 Mar to 14 Mar: $1,250.50, 2 approved',
      ),
    ).toBeTruthy()
    expect(screen.getByText('21')).toBeTruthy()
  })

  it('says each share and each amount once', async () => {
    await show(firm)
    expect(screen.getAllByText('25.0% of all users')).toHaveLength(1)
    expect(screen.getAllByText(/\$0\.10/)).toHaveLength(1)
  })

  it('leads from each status to its users, and to the payouts that wait', async () => {
    await show(firm)
    const links = screen.getAllByRole('link', { name: 'Under Review' })
    expect(links.map((link) => link.getAttribute('href'))).toEqual(Array(2).fill('/admin/users?status=under-review'))
    expect(screen.getByRole('link', { name: 'Manage payouts' }).getAttribute('href')).toMatch(
      /^\/admin\/payouts\?.*pending/,
    )
  })

  it('opens a recent user by Enter on the row, and says who is banned', async () => {
    const onOpen = vi.fn<(user: ListedUser) => void>()
    await show(firm, onOpen)
    const row = (await screen.findByText('Ada Lovelace')).closest('tr')
    expect(row?.textContent).toContain('Banned')
    row?.focus()
    await userEvent.keyboard('{Enter}')
    expect(onOpen.mock.calls).toEqual([[ada]])
  })
})
