import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider, useSearch } from '@tanstack/react-router'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ListedOwnAccount } from '#services/trading/accounts/account-api.ts'
import { createQueryClient } from '@/query-client.ts'
import { accountOf, parseSearch, scopeOf, type Search, stringifySearch } from '@/search.ts'
import { AccountScope, useRowsInScope } from './account-scope.tsx'
import { AccountSwitcher } from './account-switcher.tsx'

const first: ListedOwnAccount = {
  id: 'ada12345-a1',
  size: null,
  phase: 'Phase 1',
  status: 'breached',
  platform: null,
  login: '900100',
  server: 'Demo-1',
  balance: '9487.60',
  open: true,
  current: false,
  createdAt: '2026-01-01T10:00:00Z',
}
const funded: ListedOwnAccount = {
  ...first,
  id: 'ada12345-a2',
  size: '50000.00',
  phase: 'Funded',
  status: 'active',
  login: '900200',
  current: true,
}
const closed: ListedOwnAccount = { ...first, id: 'ada12345-a3', phase: null, login: null, open: false }

const rows = [first, funded, closed].map(({ id }) => ({ accountId: id }))

/** What a page is made of: the switcher, and a list of what belongs to accounts. */
function Page() {
  const { scope } = useSearch({ strict: false })
  const shown = useRowsInScope(rows, scope)
  return (
    <>
      <AccountSwitcher />
      <AccountScope scope={scope} />
      <ul>
        {shown?.map(({ accountId }) => (
          <li key={accountId}>{accountId}</li>
        ))}
      </ul>
    </>
  )
}

const route = createRootRoute({
  validateSearch: (search: Search) => ({ ...search, ...accountOf(search), ...scopeOf(search) }),
  component: Page,
})

afterEach(() => vi.unstubAllGlobals())

function show(accounts: readonly ListedOwnAccount[], address = '/') {
  vi.stubGlobal('fetch', async () => Response.json(accounts))
  const router = createRouter({
    routeTree: route,
    history: createMemoryHistory({ initialEntries: [address] }),
    parseSearch,
    stringifySearch,
  })
  render(
    <QueryClientProvider client={createQueryClient(vi.fn(), vi.fn())}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return router
}

const switcher = () => screen.findByRole<HTMLSelectElement>('combobox', { name: 'Account' })
const listed = () => screen.getAllByRole('listitem').map(({ textContent }) => textContent)

describe('the switcher of a trader’s accounts', () => {
  it('names each by number, size, phase, status and login', async () => {
    show([closed, funded, first])
    const options = [...(await switcher()).options].map(({ text }) => text)
    expect(options).toEqual([
      'Account 3 · Closed',
      'Account 2 · $50,000.00 · Funded · Active · 900200',
      'Account 1 · Phase 1 · Breached · 900100',
    ])
  })

  it('shows the current account where the address names none, else the named one', async () => {
    show([closed, funded, first])
    expect((await switcher()).value).toBe('ada12345-a2')
    expect(listed()).toEqual(['ada12345-a2'])
  })

  it('writes the choice to the address, without what belonged to the account before', async () => {
    const router = show([closed, funded, first], '/?tab=details&at=1042&why=status&scope=all')
    await userEvent.selectOptions(await switcher(), 'ada12345-a1')
    await waitFor(() => expect(router.state.location.search).toEqual({ tab: 'details', account: 'ada12345-a1' }))
    expect(listed()).toEqual(['ada12345-a1'])
  })

  it('is not there for a trader with one account, and nothing is left out', async () => {
    show([{ ...first, current: true }])
    await waitFor(() => expect(listed()).toHaveLength(3))
    expect(screen.queryByRole('combobox')).toBeNull()
    expect(screen.queryByText('All accounts')).toBeNull()
  })

  it('chooses nothing for the trader when the address names an unknown account', async () => {
    show([closed, funded, first], '/?account=bob12345-a1')
    expect((await switcher()).selectedOptions[0]?.text).toBe('Choose an account')
  })
})

describe('a list of one account', () => {
  it('leads to that of all accounts, and back', async () => {
    const router = show([closed, funded, first], '/?account=ada12345-a1')
    await userEvent.click(await screen.findByRole('link', { name: 'All accounts' }))
    await waitFor(() => expect(listed()).toHaveLength(3))
    expect(router.state.location.search).toEqual({ account: 'ada12345-a1', scope: 'all' })
    await userEvent.click(screen.getByRole('link', { name: 'Only Account 1' }))
    await waitFor(() => expect(listed()).toEqual(['ada12345-a1']))
  })
})
