import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DECISION_VERSION } from '#services/rules/decision-version.ts'
import { toCents } from '#services/rules/money.ts'
import { anyDataOf } from '#test-support/given-when-then.ts'
import { decodeEvent, encodeEvent, decryptPersonalFields, UnreadableEvent } from './event-codec.ts'
import { definitionOf } from '#services/event-sourcing/event-registry.ts'
import type { Metadata } from './metadata.ts'
import { eventRegistry, definitions } from '#services/oversight/event-catalogue.ts'
import { ada, sampleKey, sampleData, sampleMetadata, storedSample } from '#test-support/sample-events.ts'

const otherKey = new Uint8Array(32).fill(8)
const plain = (data: unknown): unknown => JSON.parse(JSON.stringify(data))
const personalTypes = Object.entries(definitions).flatMap(([type, { personal }]) => (personal.size > 0 ? [type] : []))

/** The traces a text leaves in another, plain or base64, wherever in the encoded text it begins. */
function tracesOf(text: string): string[] {
  const escaped = JSON.stringify(text).slice(1, -1)
  const bytes = Buffer.from(escaped)
  const inBase64 = [0, 1, 2].flatMap((offset) => {
    // Some bits of the first and last group belong to neighbouring bytes.
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes])
    return (['base64', 'base64url'] as const).map((encoding) =>
      shifted.toString(encoding).replace(/=+$/, '').slice(4, -4),
    )
  })
  return [
    text,
    escaped,
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    bytes.toString('utf16le'),
    ...inBase64,
  ]
}

/** The same data with every text, at any depth, replaced by a unique one. */
function marked(value: unknown): unknown {
  if (typeof value === 'string') return `MARK-${value}-äöü-"quoted"-MARK`
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, marked(part)]))
}

const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(Object(value)).flatMap((part) => textsIn(part))

describe('an event in the log', () => {
  it.each(Object.keys(definitions))('decodes to what was recorded: %s', (type) => {
    expect(plain(decodeEvent(eventRegistry, storedSample(type), sampleKey).data)).toEqual(sampleData(type))
  })

  it.each(Object.keys(definitions))('decodes to what was recorded, for any data: %s', (type) => {
    fc.assert(
      fc.property(anyDataOf(definitions, type), (data) => {
        const decoded = decodeEvent(eventRegistry, storedSample(type, data), sampleKey)
        expect(plain(decoded.data)).toEqual(plain(data))
      }),
      { numRuns: 40 },
    )
  })

  it('has position, time, person and actor', () => {
    const event = storedSample('PayoutRequested')
    const { id, stream, revision, position } = event
    const decoded = decodeEvent(eventRegistry, event, sampleKey)
    expect(decoded).toMatchObject({
      type: 'PayoutRequested',
      id,
      stream,
      revision,
      position,
      at: sampleMetadata.at,
      personId: ada,
    })
    expect(decoded.metadata).toEqual({ version: 1, ...sampleMetadata })
  })

  it('keeps only defined fields', () => {
    const event = storedSample('UserRegistered', {
      ...sampleData('UserRegistered'),
      password: 'in clear',
      confirmPassword: 'in clear',
    })
    const decoded = decodeEvent(eventRegistry, event, sampleKey)
    expect(event.data).not.toContain('assword')
    expect(plain(decoded.data)).toEqual(plain(sampleData('UserRegistered')))
  })

  it('cannot be created from invalid data', () => {
    expect(() => storedSample('PayoutRequested', { ...sampleData('PayoutRequested'), amount: 0.5 })).toThrow()
    expect(() => storedSample('PayoutRequested', { ...sampleData('PayoutRequested'), method: 'cash' })).toThrow()
    expect(() => storedSample('PayoutRequested', {})).toThrow()
    expect(() => storedSample('PayoutForgotten', {})).toThrow('unknown event type PayoutForgotten')
    expect(() => storedSample('toString', {})).toThrow('unknown event type toString')
  })

  it.each(personalTypes)("cannot be created without the person's key: %s", (type) => {
    expect(() =>
      encodeEvent(eventRegistry, randomUUID(), { type, data: sampleData(type) }, sampleMetadata, undefined),
    ).toThrow(`${type} needs its person's key`)
  })

  it('needs no key without personal fields', () => {
    const event = encodeEvent(
      eventRegistry,
      randomUUID(),
      { type: 'PhaseChanged', data: sampleData('PhaseChanged') },
      sampleMetadata,
      undefined,
    )
    expect(decodeEvent(eventRegistry, { ...storedSample('PhaseChanged'), ...event }, undefined).data).toEqual(
      sampleData('PhaseChanged'),
    )
  })

  it('does not tell the length of what is encrypted', () => {
    const lengthFor = (masterPassword: string) => {
      const data = { ...sampleData('PlatformLoginAssigned'), masterPassword }
      return storedSample('PlatformLoginAssigned', data).data.length
    }
    expect(new Set(['a', 'eight888', 'x'.repeat(60)].map(lengthFor)).size).toBe(1)
  })

  it('is encrypted differently each time', () => {
    const id = randomUUID()
    const [one, two] = [0, 1].map(() => storedSample('PayoutRequested', undefined, sampleKey, id).data)
    expect(one).not.toBe(two)
  })

  it('stores any amount of money as a decimal string', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e14, max: 1e14 }), fc.integer({ min: -1e14, max: 1e14 }), (from, to) => {
        const event = storedSample('BalanceChanged', { from: toCents(from), to: toCents(to), kind: 'deposit' })
        expect(JSON.parse(event.data)).toEqual({
          from: expect.stringMatching(/^-?\d+\.\d\d$/),
          to: expect.stringMatching(/^-?\d+\.\d\d$/),
          kind: 'deposit',
          decisions: DECISION_VERSION,
        })
        expect(decodeEvent(eventRegistry, event, undefined).data).toEqual({ from, to, kind: 'deposit' })
      }),
    )
  })

  it.each(personalTypes)('stores nothing personal readably: %s', (type) => {
    const data = sampleData(type)
    const personal = Object.fromEntries(
      [...definitionOf(eventRegistry, type).personal.keys()].map((field) => [field, marked(data[field])]),
    )
    const event = storedSample(type, { ...data, ...personal })
    expect(textsIn(personal).length).toBeGreaterThan(0)
    for (const text of textsIn(personal))
      for (const trace of tracesOf(text))
        expect(`${event.id}${event.type}${event.data}${event.metadata}`).not.toContain(trace)
  })

  it('is detected if it stores something personal readably', () => {
    const text = 'MARK-Ada Lovelace-MARK'
    for (const before of ['', 'a', 'ab', 'abc'])
      for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const) {
        const leaking = Buffer.from(`${before}${text}, and more`).toString(encoding)
        expect(tracesOf(text).some((trace) => leaking.includes(trace))).toBe(true)
      }
  })

  it('decrypts personal texts of every kind', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (details) => {
        const event = storedSample('PayoutRequested', { ...sampleData('PayoutRequested'), details })
        expect(decodeEvent(eventRegistry, event, sampleKey).data).toHaveProperty('details', details)
      }),
    )
  })
})

describe('an erased person', () => {
  it.each(personalTypes.filter((type) => type !== 'ProfileChanged'))("reads 'erased' in %s", (type) => {
    const { data } = decodeEvent(eventRegistry, storedSample(type), 'destroyed')
    for (const field of definitionOf(eventRegistry, type).personal.keys())
      expect(data).toHaveProperty(
        field,
        field === 'destination'
          ? null
          : type.startsWith('PayoutDestination')
            ? { details: 'erased', destination: null }
            : 'erased',
      )
  })

  it('leaves the names of changed profile fields, not their values', () => {
    const { data } = decodeEvent(eventRegistry, storedSample('ProfileChanged'), 'destroyed')
    expect(data).toMatchObject({ fields: ['email', 'city'], from: {}, to: {} })
    expect(JSON.stringify(data)).not.toContain('example.com')
  })

  it('leaves amounts and decisions', () => {
    expect(decodeEvent(eventRegistry, storedSample('PayoutRequested'), 'destroyed').data).toMatchObject({
      amount: 25_000,
      method: 'paypal',
    })
  })
})

describe('an unreadable event', () => {
  const event = storedSample('PayoutRequested')
  const look = (stored: typeof event, key: Uint8Array | undefined) => () => decodeEvent(eventRegistry, stored, key)

  it("is refused with a wrong key or another event's ciphertext", () => {
    expect(look(event, otherKey)).toThrow(UnreadableEvent)
    expect(look(event, undefined)).toThrow(UnreadableEvent)
    expect(look({ ...event, id: randomUUID() }, sampleKey)).toThrow(UnreadableEvent)
  })

  it('is refused when its ciphertext is missing or holds other data', () => {
    const { personal: _, ...rest } = JSON.parse(event.data)
    expect(look({ ...event, data: JSON.stringify(rest) }, sampleKey)).toThrow(UnreadableEvent)
    expect(look({ ...event, data: JSON.stringify({ ...rest, personal: 5 }) }, sampleKey)).toThrow(UnreadableEvent)
    const another = storedSample('PasswordChanged', undefined, sampleKey, event.id)
    const { personal } = JSON.parse(another.data)
    expect(look({ ...event, data: JSON.stringify({ ...rest, personal }) }, sampleKey)).toThrow(UnreadableEvent)
  })

  it('is named in the error without its content', () => {
    expect(look(event, otherKey)).toThrow(/^PayoutRequested at user-ada00000#0: /)
  })

  it('is refused when any byte of its ciphertext changes', () => {
    const { personal, ...rest } = JSON.parse(event.data)
    const box = Buffer.from(String(personal), 'base64')
    fc.assert(
      fc.property(fc.nat(box.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(box)
        changed[at] = (changed[at] ?? 0) ^ by
        expect(
          look({ ...event, data: JSON.stringify({ ...rest, personal: changed.toString('base64') }) }, sampleKey),
        ).toThrow(UnreadableEvent)
      }),
    )
  })

  it('is refused for an unknown type, version or shape', () => {
    const refused = [
      { ...event, type: 'PayoutForgotten' },
      { ...event, type: 'constructor' },
      { ...event, type: '__proto__' },
      { ...event, metadata: event.metadata.replace('"version":1', '"version":0') },
      { ...event, metadata: event.metadata.replace('"version":1', '"version":"1"') },
      { ...event, metadata: event.metadata.replace('"version":1', '"version":1.5') },
      { ...event, metadata: event.metadata.replace(/"at":\d+/, '"at":null') },
      { ...event, data: '[]' },
      { ...event, data: 'null' },
      { ...event, data: '"text"' },
      { ...event, data: event.data.replace('"paypal"', '"cash"') },
      { ...event, data: event.data.replace('-p1"', '-p0"') },
      { ...event, metadata: event.metadata.replace('"version":1', '"version":99') },
      { ...event, data: '{' },
      { ...event, metadata: '' },
      { ...event, data: event.data.replace('"250.00"', '"a lot"') },
      { ...event, data: event.data.replace('"250.00"', '250') },
    ]
    for (const each of refused) expect(() => decodeEvent(eventRegistry, each, sampleKey)).toThrow(UnreadableEvent)
  })
})

describe('personal fields', () => {
  const event = storedSample('PayoutRequested')

  it('can be stored encrypted and decrypted later', () => {
    const { id, ciphertext } = decodeEvent(eventRegistry, event, sampleKey)
    expect(event.data).toContain(ciphertext)
    expect(decryptPersonalFields(definitions.PayoutRequested, id, ciphertext, sampleKey)).toEqual({
      details: sampleData('PayoutRequested')['details'],
      destination: sampleData('PayoutRequested')['destination'],
    })
    expect(decryptPersonalFields(definitions.PayoutRequested, id, ciphertext, 'destroyed')).toEqual({
      details: 'erased',
      destination: null,
    })
    expect(() => decryptPersonalFields(definitions.PayoutRequested, id, ciphertext, otherKey)).toThrow()
    expect(() => decryptPersonalFields(definitions.PayoutRequested, id, ciphertext, undefined)).toThrow(
      'its person has no key',
    )
    expect(() => decryptPersonalFields(definitions.PayoutRequested, id, null, sampleKey)).toThrow(
      'its personal fields are missing',
    )
  })

  it('are absent from an event without them', () => {
    expect(decodeEvent(eventRegistry, storedSample('PhaseChanged'), sampleKey).ciphertext).toBeNull()
  })
})

describe('metadata', () => {
  const event = storedSample('PayoutRequested')
  const metadataOf = (metadata: string) => () => decodeEvent(eventRegistry, { ...event, metadata }, sampleKey).metadata

  it('is refused when incomplete', () => {
    const whole: Metadata = { version: 1, ...sampleMetadata }
    const wrong = [
      { ...whole, actor: undefined },
      { ...whole, actor: { id: 'a1' } },
      { ...whole, actor: { kind: 'admin', id: 'a1', label: 5 } },
      { ...whole, requestId: undefined },
      { ...whole, previous: 5 },
    ]
    for (const each of wrong) expect(metadataOf(JSON.stringify(each))).toThrow(UnreadableEvent)
    expect(metadataOf(JSON.stringify(whole).slice(0, -1))).toThrow(UnreadableEvent)
    expect(metadataOf(JSON.stringify(whole))()).toEqual(whole)
  })

  it('is parsed in any order and layout', () => {
    const { version, ...rest }: Metadata = { version: 1, ...sampleMetadata }
    const another = { ...event, metadata: JSON.stringify({ ...rest, version }, null, 2) }
    const decoded = decodeEvent(eventRegistry, another, sampleKey)
    expect(decoded).toMatchObject({ at: sampleMetadata.at, type: 'PayoutRequested' })
    expect(decoded.metadata).toEqual({ version, ...rest })
  })
})
