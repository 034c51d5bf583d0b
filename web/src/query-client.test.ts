import type { QueryMeta } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { createQueryClient, refetchSubjects } from './query-client.ts'

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
  ] as const)('for a %s of %j reads again %j', (session, changed, expected) => expect(readAgain(session, changed)).toEqual(expected))

  it('that was missed reads again what shows any subject', () => {
    expect(readAgain('trader')).toEqual(['account', 'notices'])
    expect(readAgain('admin')).toEqual(['users'])
  })
})
