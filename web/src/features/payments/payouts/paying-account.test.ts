import { expect, it } from 'vitest'
import { samplePayout } from '@/testing/samples.ts'
import { payingAccount } from './paying-account.ts'

it('names the account of a payout where its trader has several', () => {
  expect(payingAccount({ ...samplePayout, accountCount: 2 })).toBe('Account 1 · Funded · 900100')
  expect(payingAccount({ ...samplePayout, accountCount: 1 })).toBeUndefined()
})
