import { expect, it } from 'vitest'
import { euroForDollar } from './typed-rate.ts'

it.each<readonly [string, string | undefined]>([
  ['1.0850', '0.921659'],
  ['1,0850', '0.921659'],
  ['1.086957', '0.92'],
  ['1', '1'],
  ['0.5', '2'],
  [' 10 ', '0.1'],
  ['0.0001', undefined],
  ['9999', '0.0001'],
  ...['', '0', 'x', '1.0.5', '1,085.0', '-1', '1e3', '1.0850001'].map((typed): [string, undefined] => [
    typed,
    undefined,
  ]),
])('%j dollars for a euro are %s euro for a dollar', (typed, rate) => expect(euroForDollar(typed)).toBe(rate))
