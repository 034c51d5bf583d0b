import { QueryClient } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter } from '@tanstack/react-router'
import { expect, it } from 'vitest'
import type { ListedOwnAccount } from '#services/trading/accounts/account-api.ts'
import { ownAccountsQuery } from '@/features/trading/accounts/account-queries.ts'
import { traderAccounts } from './trader-commands.ts'

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
const funded: ListedOwnAccount = { ...first, id: 'ada12345-a2', phase: 'Funded', status: 'active', login: '900200' }

async function found(typed: string, accounts: ListedOwnAccount[]) {
  const queryClient = new QueryClient()
  queryClient.setQueryData(ownAccountsQuery.queryKey, accounts)
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
  const commands = await traderAccounts.find(typed, { router, queryClient, signal: new AbortController().signal })
  return { router, commands }
}

it.each([
  ['funded', 'ada12345-a2'],
  ['900100', 'ada12345-a1'],
  ['breached', 'ada12345-a1'],
  ['account 2', 'ada12345-a2'],
])('finds an account by %s and shows it', async (typed, id) => {
  const { router, commands } = await found(typed, [funded, first])
  expect(commands.map((command) => command.id)).toEqual([id])
  commands[0]?.run?.()
  await expect.poll(() => router.state.location.search).toEqual({ account: id })
})

it('offers no account where there is only one', async () => {
  expect((await found('', [first])).commands).toEqual([])
})
