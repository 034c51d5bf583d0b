import { expect, it } from 'vitest'
import { plainCharacters } from './plain-characters.ts'

it('reads the digits of every script that Intl writes', () => {
  const read = Intl.supportedValuesOf('numberingSystem').flatMap((numberingSystem) => {
    const written = new Intl.NumberFormat('en', { numberingSystem, useGrouping: false }).format(9_876_543_210)
    // Chinese numerals, for example, are letters.
    return /^\p{Nd}+$/u.test(written) ? [plainCharacters(written)] : []
  })
  expect(read.length).toBeGreaterThan(50)
  expect(new Set(read)).toEqual(new Set(['9876543210']))
})

it.each([
  ['ｋ７ｄｍ２－ｘ９ｑ４ｒ', 'k7dm2-x9q4r'],
  ['＄１，０００．５０', '$1,000.50'],
  ['10² ½ ① Ⅳ é', '10² ½ ① Ⅳ é'],
  ['', ''],
])('reads %j as %j', (text, plain) => expect(plainCharacters(text)).toBe(plain))
