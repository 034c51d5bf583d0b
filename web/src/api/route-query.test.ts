import { traderRoutes } from '#services/trading/traders/trader-api.ts'
import type { QueryMeta } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { payoutRoutes } from '#services/payments/payouts/payout-api.ts'
import { signInRoutes } from '#services/identity/sign-in/sign-in-api.ts'
import { createQueryClient } from '@/query-client.ts'
import { addressOf } from './api.ts'
import { pageQuery, refetchSubjects, routeQuery } from './route-query.ts'

const queries: Readonly<Record<string, QueryMeta>> = {
  account: { session: 'trader', subjects: ['accounts'] },
  notices: { session: 'trader', subjects: ['notices', 'accounts', 'payouts'] },
  users: { session: 'admin', subjects: ['users', 'accounts'] },
  'a past state': { session: 'admin', subjects: [] },
  'a challenge': { session: 'none' },
}

function readAgain(session: 'trader' | 'admin', changed?: readonly string[]): readonly unknown[] {
  const client = createQueryClient(
    () => {},
    () => {},
  )
  for (const [name, meta] of Object.entries(queries))
    client
      .getQueryCache()
      .build(client, { queryKey: [name], meta })
      .setData(name)
  refetchSubjects(client, session, changed)
  const all = client.getQueryCache().getAll()
  return all.filter(({ state }) => state.isInvalidated).map(({ state }) => state.data)
}

describe('a live change', () => {
  it.each([
    ['trader', ['payouts'], ['notices']],
    ['trader', ['accounts', 'payouts'], ['account', 'notices']],
    ['admin', ['accounts'], ['users']],
    ['admin', ['payouts', 'a newer subject'], []],
  ] as const)('for a %s of %j reads again %j', (session, changed, expected) =>
    expect(readAgain(session, changed)).toEqual(expected),
  )

  it('that was missed reads again what shows any subject', () => {
    expect(readAgain('trader')).toEqual(['account', 'notices'])
    expect(readAgain('admin')).toEqual(['users'])
  })
})

describe('a query of a route', () => {
  it('is kept by session, path, query and body', () => {
    const payouts = routeQuery(payoutRoutes.payouts, { query: { userId: 'ada', limit: 100 }, subjects: ['payouts'] })
    expect(payouts.queryKey).toEqual(['admin', '/api/admin/payouts', { userId: 'ada', limit: 100 }])
    expect(payouts.meta).toEqual({ session: 'admin', subjects: ['payouts'] })
    const page = pageQuery(payoutRoutes.payouts, { query: { userId: 'ada', limit: 100 }, subjects: ['payouts'] })
    expect(page.queryKey).not.toEqual(payouts.queryKey)
    const body = { payouts: ['p1', 'p2'] }
    expect(routeQuery(payoutRoutes.payoutTotals, { body, subjects: ['payouts'] }).queryKey).toEqual([
      'admin',
      '/api/admin/payouts/totals',
      body,
    ])
    expect(routeQuery(payoutRoutes.ownPayouts, { subjects: [] }).queryKey).toEqual(['trader', '/api/user/payouts'])
    expect(routeQuery(signInRoutes.signInChoice, { subjects: [] }).meta).toMatchObject({ session: 'none' })
    expect(routeQuery(signInRoutes.adminAuth, { session: 'admin', subjects: [] }).meta).toMatchObject({
      session: 'admin',
    })
  })

  it('encodes what is in its address', () => {
    expect(addressOf(traderRoutes.user, { params: { id: 'a/b ?' } })).toBe('/api/admin/user/a%2Fb%20%3F')
    expect(addressOf(payoutRoutes.payouts, { query: { search: 'a&b', status: undefined, cursor: '' } })).toBe(
      '/api/admin/payouts?search=a%26b',
    )
  })
})
