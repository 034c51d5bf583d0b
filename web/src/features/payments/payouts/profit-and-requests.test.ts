import { expect, it } from 'vitest'
import { profitWarning } from './profit-and-requests.tsx'

const nothing = { count: 0, total: '0.00' }
const open = { count: 2, total: '250.00' }

it.each([
  ['', '600.00', nothing, '600.00', undefined],
  ['600', '600.00', nothing, '600.00', undefined],
  ['abc', '600.00', nothing, '600.00', undefined],
  ['600.01', '600.00', nothing, '600.00', 'This is above your profit of $600.00. '],
  ['999999', '6946.00', nothing, '6946.00', 'This is above your profit of $6,946.00. '],
  ['350', '600.00', open, '350.00', undefined],
  ['400', '600.00', open, '350.00', 'Your open requests of $250.00 leave $350.00 of your profit. '],
  ['1', '-20.00', nothing, '0.00', 'Your account has no profit now. '],
])('warns about %s of a profit of %s with requests of %o', (amount, profitLoss, request, covered, warning) => {
  expect(profitWarning(amount, { profitLoss, open: request, covered })).toBe(
    warning && `${warning}You can still send this request; an administrator decides.`,
  )
})
