import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toCents } from '../domain/money.ts'
import { decode, UnreadableEvent } from './codec.ts'
import { definitions } from './streams.ts'
import { sampleKey, samples, stored } from './testing.ts'

const otherKey = new Uint8Array(32).fill(8)
const plain = (data: unknown): unknown => JSON.parse(JSON.stringify(data))
const personalTypes = Object.entries(definitions).flatMap(([type, { personal }]) => (personal.size > 0 ? [type] : []))
const dataOf = new Map<string, unknown>(Object.entries(samples))

describe('an event in the log', () => {
  it.each(Object.entries(samples))('means what was recorded: %s', (type, data) => {
    expect(plain(decode(stored(type, data), sampleKey).data)).toEqual(plain(data))
  })

  it('keeps money as a decimal string, whatever the amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e14, max: 1e14 }), fc.integer({ min: -1e14, max: 1e14 }), (from, to) => {
        const event = stored('BalanceChanged', { from: toCents(from), to: toCents(to) })
        expect(JSON.parse(event.data)).toEqual({ from: expect.stringMatching(/^-?\d+\.\d\d$/), to: expect.stringMatching(/^-?\d+\.\d\d$/) })
        expect(decode(event, undefined).data).toEqual({ from, to })
      }),
    )
  })

  it.each(personalTypes)('holds nothing personal in a form that can be read: %s', (type) => {
    const event = stored(type, dataOf.get(type))
    for (const field of definitions[type]?.personal.keys() ?? []) {
      const secret = JSON.stringify(Reflect.get(Object(dataOf.get(type)), field)).slice(1, -1)
      for (const encoding of ['utf8', 'base64', 'hex', 'utf16le', 'base64url'] as const)
        expect(event.data + event.metadata).not.toContain(Buffer.from(secret).toString(encoding))
    }
  })

  it('decrypts personal texts of every kind', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (details) => {
        const event = stored('PayoutRequested', { ...samples.PayoutRequested, details })
        expect(decode(event, sampleKey).data).toHaveProperty('details', details)
      }),
    )
  })
})

describe('an erased person', () => {
  it.each(personalTypes.filter((type) => type !== 'ProfileChanged'))("reads 'erased' in %s", (type) => {
    const { data } = decode(stored(type, dataOf.get(type)), 'destroyed')
    for (const field of definitions[type]?.personal.keys() ?? []) expect(data).toHaveProperty(field, 'erased')
  })

  it('leaves which fields of a profile changed, not what they were', () => {
    const { data } = decode(stored('ProfileChanged', samples.ProfileChanged), 'destroyed')
    expect(data).toMatchObject({ fields: ['email', 'city'], from: {}, to: {} })
    expect(JSON.stringify(data)).not.toContain('example.com')
  })

  it('leaves amounts and decisions', () => {
    expect(decode(stored('PayoutRequested', samples.PayoutRequested), 'destroyed').data).toMatchObject({ amount: 25_000, method: 'paypal' })
  })
})

describe('an event that can not be read', () => {
  const event = stored('PayoutRequested', samples.PayoutRequested)
  const look = (given: typeof event, key: Uint8Array | undefined) => () => JSON.stringify(decode(given, key).data)

  it('is refused with a wrong key, without one, or with the box of another event', () => {
    expect(look(event, otherKey)).toThrow()
    expect(look(event, undefined)).toThrow()
    expect(look({ ...event, id: randomUUID() }, sampleKey)).toThrow()
  })

  it('is refused when any byte of the box was changed', () => {
    const { personal, ...rest } = JSON.parse(event.data)
    const box = Buffer.from(String(personal), 'base64')
    fc.assert(
      fc.property(fc.nat(box.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(box)
        changed[at] = (changed[at] ?? 0) ^ by
        expect(look({ ...event, data: JSON.stringify({ ...rest, personal: changed.toString('base64') }) }, sampleKey)).toThrow()
      }),
    )
  })

  it('is refused when its type or version is unknown, its JSON broken or its shape another', () => {
    const refused = [
      { ...event, type: 'PayoutForgotten' },
      { ...event, type: 'constructor' },
      { ...event, metadata: event.metadata.replace('"version":1', '"version":99') },
      { ...event, data: '{' },
      { ...event, metadata: '' },
      { ...event, data: event.data.replace('"250.00"', '"a lot"') },
      { ...event, data: event.data.replace('"250.00"', '250') },
    ]
    for (const each of refused) expect(() => decode(each, sampleKey)).toThrow(UnreadableEvent)
  })
})
