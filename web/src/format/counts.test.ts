import { expect, it } from 'vitest'
import { counted, formatCount } from './counts.ts'

it.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [12_345, '12,345'],
  [1_000_000, '1,000,000'],
  [-1_234_567, '-1,234,567'],
])('writes %d as %s', (count, text) => expect(formatCount(count)).toBe(text))

it.each([
  [counted(0, 'row'), '0 rows'],
  [counted(1, 'row'), '1 row'],
  [counted(2_000, 'row'), '2,000 rows'],
  [counted(1, 'line differs', 'lines differ'), '1 line differs'],
  [counted(2, 'line differs', 'lines differ'), '2 lines differ'],
])('counts things: %s', (text, expected) => expect(text).toBe(expected))
