import { expect, it } from 'vitest'
import { oneOf, parseSearch, stringifySearch, textOf } from './search.ts'

it.each([
  '?search=123',
  '?search=true',
  '?search=%22quoted%22',
  '?search=a%2Bb+c',
  '?search=null',
  '?search=%E2%82%AC&status=active',
])('reads %s and writes it back as it was, all values texts', (address) => {
  const search = parseSearch(address)
  expect(Object.values(search).every((value) => typeof value === 'string')).toBe(true)
  expect(stringifySearch(search)).toBe(address)
})

it('keeps a searched number as text', () => expect(parseSearch('?search=00123').search).toBe('00123'))

it('omits missing values', () => {
  expect(stringifySearch({ search: undefined, status: '', page: { of: 1 }, tab: 'users' })).toBe('?tab=users')
  expect(stringifySearch({ search: undefined })).toBe('')
})

it('takes only values that a page knows, so that no address breaks it', () => {
  expect(oneOf('active', ['active', 'pending'])).toBe('active')
  for (const value of ['Active', 'toString', '', undefined, ['active'], 1])
    expect(oneOf(value, ['active', 'pending'])).toBeUndefined()
})

it('takes a text up to a length; an empty one counts as left out', () => {
  expect(textOf('ada')).toBe('ada')
  expect(textOf('x'.repeat(1_000))).toHaveLength(500)
  for (const value of ['', undefined, null, 7, ['ada']]) expect(textOf(value)).toBeUndefined()
})
