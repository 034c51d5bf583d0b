import { expect, it } from 'vitest'
import { profitWarning } from './profit-and-requests.tsx'

it.each([
  ['', '600.00', 0, undefined],
  ['600', '600.00', 0, undefined],
  ['abc', '600.00', 0, undefined],
  ['600.01', '600.00', 0, 'This is $0.01 above your profit of $600.00. '],
  ['999999', '6946.00', 0, 'This is $993,053.00 above your profit of $6,946.00. '],
  [
    '400',
    '600.00',
    25_000,
    'Together with your open requests of $250.00 this is $50.00 above your profit of $600.00. ',
  ],
  ['1', '-20.00', 0, 'Your account has no profit now. '],
])('warns about %s of a profit of %s with %i cents asked already', (amount, profit, open, warning) => {
  expect(profitWarning(amount, profit, open)).toBe(
    warning && `${warning}You can still send this request; an administrator decides.`,
  )
})
