import { expect, it } from 'vitest'
import { cell, line } from './csv.ts'

it.each(['=1+1', '+1', '-1+2', '@SUM(A1)', '\tx', '=HYPERLINK("http://evil.example")', '-2;rm'])('lets no spreadsheet work out %j', (formula) => {
  expect(cell(formula).replace(/^"/, '')).toMatch(/^'/)
})

it.each(['-12.50', '-3', '250.00', 'Ada', '5% / $500', 'a-b', '1=1'])('leaves %s as it is', (value) => {
  expect(cell(value)).toBe(value)
})

it('quotes what would break a row, and ends it as spreadsheets expect', () => {
  expect(line(['a,b', 'say "no"', 'two\nlines', 'plain', ''])).toBe('"a,b","say ""no""","two\nlines",plain,\r\n')
})
