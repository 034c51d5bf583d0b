import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AmbiguousJson, canonicalJson, type JsonValue, parseStrictly } from './canonical-json.ts'

const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(fc.string(), tie('value')),
  ),
})).value

/** The same with the members of each object in another order. */
function reordered(of: JsonValue): JsonValue {
  if (Array.isArray(of)) return of.map(reordered)
  if (typeof of !== 'object' || of === null) return of
  return Object.fromEntries(
    Object.entries(of)
      .toReversed()
      .map(([name, each]) => [name, reordered(each)]),
  )
}

describe('canonical JSON', () => {
  it('is one text per value, whatever the order of names, and reads back', () => {
    fc.assert(
      fc.property(value, (each) => {
        const text = canonicalJson(each)
        expect(canonicalJson(reordered(each))).toBe(text)
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
    )
  })

  it('sorts names by UTF-16 code units, as RFC 8785 does in its example', () => {
    const names = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji',
      '\u0080': 'Control',
      ö: 'Latin',
    }
    expect(canonicalJson(names)).toBe(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin","\u20ac":"Euro Sign","\ud83d\ude00":"Emoji","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    )
  })

  it('has no text for half a surrogate pair, nor for numbers that are not whole', () => {
    for (const none of ['\ud800', { '\udc00': 1 }, 0.5, 2 ** 53, Number.NaN])
      expect(() => canonicalJson(none)).toThrow(TypeError)
  })
})

describe('strict parsing', () => {
  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '[1.0]',
    '[1e1]',
    '[-0]',
    '["\\u0061"]',
    '{"a":{"b":1,"b":2}}',
    '{"2":1,"1":2}',
  ])('refuses %s', (text) => expect(() => parseStrictly(text)).toThrow(AmbiguousJson))

  it.each(['{"a":1} {}', '{"a":1', '', "{'a':1}", '[1,]'])('refuses %j, which is no JSON', (text) =>
    expect(() => parseStrictly(text)).toThrow(SyntaxError),
  )

  it('does not mind white space outside of texts', () => {
    fc.assert(
      fc.property(value, (each) => {
        expect(parseStrictly(` ${JSON.stringify(each, null, '\t')}\n`)).toEqual(JSON.parse(JSON.stringify(each)))
      }),
    )
  })
})
