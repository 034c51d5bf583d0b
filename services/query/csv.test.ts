import { expect, it } from 'vitest'
import { cell, line } from './csv.ts'

it.each(['=1+1', '+1', '-1+2', '@SUM(A1)', '\tx', '=HYPERLINK("http://evil.example")', '-2;rm'])('disarms the formula %j', (formula) => {
  expect(cell(formula).replace(/^"/, '')).toMatch(/^'/)
})

it.each(['-12.50', '-3', '250.00', 'Ada', '5% / $500', 'a-b', '1=1'])('leaves %s unchanged', (value) => {
  expect(cell(value)).toBe(value)
})

it('quotes special characters and ends rows with CRLF', () => {
  expect(line(['a,b', 'say "no"', 'two\nlines', 'plain', ''])).toBe('"a,b","say ""no""","two\nlines",plain,\r\n')
})
