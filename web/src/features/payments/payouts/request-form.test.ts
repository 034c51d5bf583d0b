import { expect, it } from 'vitest'
import { PayoutIntent } from './request-form.tsx'

const wish = {
  amount: '250',
  paymentMethod: 'paypal',
  paymentDetails: '',
  destination: { email: 'ada@example.com' },
} as const

it('keeps the key of a payout that is tried again', () => {
  const intent = new PayoutIntent()
  expect(intent.keyOf(wish)).toBe(intent.keyOf({ ...wish }))
})

it('gives another wish another key', () => {
  const intent = new PayoutIntent()
  const first = intent.keyOf(wish)
  expect(intent.keyOf({ ...wish, amount: '251' })).not.toBe(first)
  expect(intent.keyOf({ ...wish, destination: { email: 'eve@example.com' } })).not.toBe(first)
})

it('gives the same wish another key once the first payout was made', () => {
  const intent = new PayoutIntent()
  const first = intent.keyOf(wish)
  intent.done()
  expect(intent.keyOf(wish)).not.toBe(first)
})
