import { describe, expect, it } from 'vitest'
import { nextPending } from './next-pending.ts'

const payouts = (...statuses: readonly string[]) => statuses.map((status, index) => ({ id: `p${index}`, status }))

describe('after a payout was decided', () => {
  it('the next pending one below it is at hand, past those that are decided', () => {
    expect(nextPending(payouts('pending', 'pending', 'approved', 'pending'), 'p1')).toBe('p3')
  })

  it('from the last one it goes on at the top', () => {
    expect(nextPending(payouts('rejected', 'pending', 'pending'), 'p2')).toBe('p1')
  })

  it('there is none when it was the last one, also while the list still shows it as pending', () => {
    expect(nextPending(payouts('approved', 'pending', 'rejected'), 'p1')).toBeUndefined()
  })

  it('one that is not on the page any more leads to the first one', () => {
    expect(nextPending(payouts('approved', 'pending'), 'gone')).toBe('p1')
  })
})
