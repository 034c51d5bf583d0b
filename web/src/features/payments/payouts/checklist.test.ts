import { describe, expect, it } from 'vitest'
import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { sampleAccount } from '@/testing/samples.ts'
import { requirements } from './checklist.tsx'

const account: OwnAccount = {
  ...sampleAccount,
  payoutEnabled: true,
  stamps: {
    ...sampleAccount.stamps,
    status: {
      number: 3,
      at: '2026-03-01T10:00:00Z',
      by: 'admin',
      name: null,
      reason: null,
      evidence: null,
      corrects: null,
    },
    payouts: { number: 4, at: '2026-03-01T10:00:00Z', by: 'admin', name: null },
  },
}

const missing = (given: Partial<OwnAccount>, banned = false) =>
  requirements({ ...account, ...given }, banned)
    .filter(({ fulfilled }) => !fulfilled)
    .map(({ name }) => name)

describe('what a payout needs', () => {
  it('is all fulfilled for an active, eligible account', () => {
    expect(missing({})).toEqual([])
  })

  it.each([
    ['pending', ['Account active']],
    ['under-review', ['Account active']],
    ['breached', ['Account active', 'No breach']],
  ] as const)('says what an account that is %s lacks', (status, lacks) => {
    expect(missing({ status })).toEqual(lacks)
  })

  it('does not deny a breach of an account under review', () => {
    const noBreach = (status: OwnAccount['status']) =>
      requirements({ ...account, status }, false).find(({ name }) => name === 'No breach')?.explanation
    expect(noBreach('under-review')).toBe('No breach is confirmed.')
    expect(noBreach('active')).toBe('Your account has no breach.')
  })

  it('says that payouts are not enabled, or that there is a ban', () => {
    expect(missing({ payoutEnabled: false })).toEqual(['Eligible for payouts'])
    expect(missing({}, true)).toEqual(['Not banned'])
  })

  it('carries the stamps of the decisions', () => {
    expect(requirements(account, false).map(({ stamp }) => stamp?.number)).toEqual([3, 4, undefined, undefined])
    expect(requirements({ ...account, status: 'breached' }, false).map(({ stamp }) => stamp?.number)).toEqual([
      3,
      4,
      undefined,
      3,
    ])
  })
})
