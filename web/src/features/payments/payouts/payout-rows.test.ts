import { describe, expect, it } from 'vitest'
import { samplePayout } from '@/testing/samples.ts'
import { nextPending, payingAccount } from './payout-rows.ts'

const payouts = (...statuses: readonly ('pending' | 'approved' | 'rejected' | 'mine' | "another's")[]) =>
  statuses.map((status, index) => ({
    id: `p${index}`,
    status: status === 'mine' || status === "another's" ? ('pending' as const) : status,
    firstForfeit: null,
    firstApproval: status === 'mine' ? { member: 'me' } : status === "another's" ? { member: 'another' } : null,
  }))

describe('after a payout was decided', () => {
  it('the next pending one below it is at hand, past those that are decided', () => {
    expect(nextPending(payouts('pending', 'pending', 'approved', 'pending'), 'p1', 'me')).toBe('p3')
  })

  it('from the last one it goes on at the top', () => {
    expect(nextPending(payouts('rejected', 'pending', 'pending'), 'p2', 'me')).toBe('p1')
  })

  it('there is none when it was the last one, also while the list still shows it as pending', () => {
    expect(nextPending(payouts('approved', 'pending', 'rejected'), 'p1', 'me')).toBeUndefined()
  })

  it('one that is not on the page any more leads to the first one', () => {
    expect(nextPending(payouts('approved', 'pending'), 'gone', 'me')).toBe('p1')
  })

  it('one that the member approved first waits for somebody else, and is passed over', () => {
    expect(nextPending(payouts('pending', 'mine', "another's"), 'p0', 'me')).toBe('p2')
    expect(nextPending(payouts('mine', 'pending'), 'p1', 'me')).toBeUndefined()
  })
})

it('names the account of a payout where its trader has several', () => {
  expect(payingAccount({ ...samplePayout, accountCount: 2 })).toBe('Account 1 · Funded · 900100')
  expect(payingAccount({ ...samplePayout, accountCount: 1 })).toBeUndefined()
})
