import { expect, it } from 'vitest'
import { cell, line } from './csv.ts'

it.each(['=1+1', '+1', '-1+2', '@SUM(A1)', '\tx', '=HYPERLINK("http://evil.example")', '-2;rm', '\0=1+1', '＝1+1'])(
  'disarms the formula %j',
  (formula) => {
    expect(cell(formula).replace(/^"/, '')).toMatch(/^'/)
  },
)

it.each([
  ['x;=1+1', "x;'=1+1"],
  ['x;\t@SUM(A1)', "x;\t'@SUM(A1)"],
  ["x; -2+3+cmd|' /C calc'!A0", "x; '-2+3+cmd|' /C calc'!A0"],
])('disarms a formula behind the separator of another locale: %j', (value, disarmed) => {
  expect(cell(value)).toBe(disarmed)
})

it.each(['-12.50', '-3', '250.00', 'Ada', '5% / $500', 'a-b', '1=1', 'from 1; -2.50; 3 =', 'Smith; Jones'])(
  'leaves %s unchanged',
  (value) => {
    expect(cell(value)).toBe(value)
  },
)

it('quotes special characters and ends rows with CRLF', () => {
  expect(line(['a,b', 'say "no"', 'two\nlines', 'plain', ''])).toBe('"a,b","say ""no""","two\nlines",plain,\r\n')
})
