import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { anyText } from '#test-support/any-text.ts'
import { toPosition } from '#infra/event-store/event-store.ts'
import { ada, sampleData, sampleKey, storedSample } from '#test-support/sample-events.ts'
import { readRecordedSamples } from '#test-support/recorded-event-samples.ts'
import { definitions, eventRegistry } from '#services/oversight/event-catalogue.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import { userStreams } from '#services/identity/users/user.ts'
import { decodeEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { definitionOf } from '#services/event-sourcing/event-registry.ts'
import { disclosureOf, disclosuresOf, openDisclosure } from './disclosures.ts'

const disclosableFields = Object.entries(definitions).flatMap(([type, { disclosable }]) =>
  disclosable.size > 0 ? [[type, [...disclosable]] as const] : [],
)
const committed = z.object({ commitments: z.record(z.string(), z.string()) })
const commitmentsOf = (data: string) => committed.parse(JSON.parse(data)).commitments

/** An event as it is stored, and all its disclosures. */
function disclosed(type: string, data: unknown = sampleData(type)) {
  const stored = storedSample(type, data)
  const { disclosable } = definitionOf(eventRegistry, type)
  return { stored, disclosable, disclosures: disclosuresOf(decodeEvent(eventRegistry, stored, sampleKey), disclosable) }
}

describe('a disclosure', () => {
  it('exists for exactly these fields', () => {
    const identity = ['fullName', 'email', 'country', 'city', 'street', 'houseNumber']
    expect(Object.fromEntries(disclosableFields)).toEqual({
      UserRegistered: identity,
      UserCreated: identity,
      OrderNotTaken: ['orderNumber', 'email', 'fullName'],
      OrderNumberRecorded: ['orderNumber'],
      ProfileChanged: ['from', 'to'],
      EmailRevertOffered: ['email'],
      CaseOpened: ['text'],
      CaseMessageWritten: ['text'],
      CaseFileAdded: ['name', 'sha256'],
      CaseDecided: ['text'],
      CertificateIssued: ['name'],
      PayoutRequested: ['details', 'destination'],
      PayoutDestinationChanged: ['from', 'to'],
      PayoutDestinationProposed: ['to'],
      DestinationSaved: ['name', 'destination'],
      UserNoteWritten: ['text'],
      PasskeyAdded: ['name'],
      PasskeyRemoved: ['name'],
      PasskeyRenamed: ['from', 'to'],
      SignedInFromNewBrowser: ['browser', 'address'],
    })
  })

  it.each(disclosableFields)('proves each field of %s', async (type, fields) => {
    const { stored, disclosable, disclosures } = disclosed(type)
    const proven = await Promise.all(disclosures.map((each) => openDisclosure(stored.data, disclosable, each)))
    expect(proven).toEqual(fields.map((field) => ({ field, value: sampleData(type)[field] })))
  })

  it('proves any text', async () => {
    await fc.assert(
      fc.asyncProperty(anyText(), async (details) => {
        const { stored, disclosable, disclosures } = disclosed('PayoutRequested', {
          ...sampleData('PayoutRequested'),
          details,
        })
        const opened = await Promise.all(disclosures.map((each) => openDisclosure(stored.data, disclosable, each)))
        expect(opened).toContainEqual({ field: 'details', value: details })
      }),
    )
  })

  it('is listed only for the requested fields, in their order', () => {
    const { stored, disclosures } = disclosed('UserRegistered')
    const event = decodeEvent(eventRegistry, stored, sampleKey)
    expect(disclosuresOf(event, ['city', 'fullName'])).toEqual([disclosures[3], disclosures[0]])
    expect(disclosuresOf(event, [])).toEqual([])
  })

  it('never exists for a secret, an unknown field or a field in clear', () => {
    for (const type of Object.keys(definitions)) {
      const event = decodeEvent(eventRegistry, storedSample(type), sampleKey)
      const { disclosable } = definitionOf(eventRegistry, type)
      const others = [...Object.keys(sampleData(type)), 'salts', 'personal', 'constructor', '__proto__'].filter(
        (field) => !disclosable.has(field),
      )
      expect(disclosuresOf(event, others)).toEqual([])
    }
  })

  it('no longer exists once the person is erased', () => {
    for (const [type, fields] of disclosableFields) {
      const erased = decodeEvent(eventRegistry, storedSample(type), 'destroyed')
      expect(disclosuresOf(erased, fields)).toEqual([])
      expect(erased.personalFields).toBeNull()
    }
  })

  it('is the base64url of a JSON list, and its commitment the base64url of its SHA-256', () => {
    expect(disclosureOf('_26bc4LT-ac6q2KI6cBW5es', 'family_name', 'Möbius')).toBe(
      Buffer.from('["_26bc4LT-ac6q2KI6cBW5es","family_name","Möbius"]').toString('base64url'),
    )
    const { stored, disclosures } = disclosed('CertificateIssued')
    expect(commitmentsOf(stored.data)).toEqual({ name: hash('sha256', disclosures[0] ?? '', 'base64url') })
  })
})

describe('a commitment', () => {
  it("is computed as in RFC 9901: the standard's own example opens", async () => {
    const data = JSON.stringify({ commitments: { family_name: 'X9yH0Ajrdm1Oij4tWso9UzzKJvPoDxwmuEcO3XAdRC0' } })
    const disclosure = 'WyJfMjZiYzRMVC1hYzZxMktJNmNCVzVlcyIsICJmYW1pbHlfbmFtZSIsICJNw7ZiaXVzIl0'
    expect(await openDisclosure(data, new Set(['family_name']), disclosure)).toEqual({
      field: 'family_name',
      value: 'Möbius',
    })
  })

  it('is stored beside each disclosable field, and no other', () => {
    for (const type of Object.keys(definitions)) {
      const stored = Object(JSON.parse(storedSample(type).data))
      const { disclosable } = definitionOf(eventRegistry, type)
      expect(Object.keys(Object(stored['commitments']))).toEqual([...disclosable])
      expect(Object.hasOwn(stored, 'commitments')).toBe(disclosable.size > 0)
    }
  })

  it('reveals nothing: each has 128 random bits of its own', () => {
    const events = Array.from({ length: 20 }, () => disclosed('UserRegistered'))
    const salts = events.flatMap(({ disclosures }) =>
      disclosures.map((each) => String(JSON.parse(Buffer.from(each, 'base64url').toString())[0])),
    )
    expect(new Set(salts).size).toBe(20 * 6)
    for (const salt of salts) expect(Buffer.from(salt, 'base64url')).toHaveLength(16)
    expect(new Set(events.flatMap(({ stored }) => Object.values(commitmentsOf(stored.data)))).size).toBe(20 * 6)
    for (const { stored } of events) for (const salt of salts) expect(stored.data).not.toContain(salt)
  })

  it('is to no other text, altered in any character', async () => {
    const { stored, disclosable, disclosures } = disclosed('PayoutRequested')
    const [disclosure = ''] = disclosures
    for (let at = 0; at <= disclosure.length; at++)
      for (const by of ['', 'A', '=', ' ', 'é', '-'])
        for (const altered of new Set([
          disclosure.slice(0, at) + by + disclosure.slice(at + 1),
          disclosure.slice(0, at) + by + disclosure.slice(at),
        ]))
          if (altered !== disclosure)
            await expect(openDisclosure(stored.data, disclosable, altered)).rejects.toThrow('no commitment')
  })

  it("is not to another event's disclosure of the same value, nor to another salt, field or value", async () => {
    const [one, other] = [disclosed('PayoutRequested'), disclosed('PayoutRequested')]
    for (const each of other.disclosures)
      await expect(openDisclosure(one.stored.data, one.disclosable, each)).rejects.toThrow('no commitment')
    const [salt, field, value] = z
      .tuple([z.string(), z.string(), z.string()])
      .parse(JSON.parse(Buffer.from(one.disclosures[0] ?? '', 'base64url').toString()))
    for (const each of [
      disclosureOf(salt, field, `${value} `),
      disclosureOf(salt, 'method', value),
      disclosureOf(`${salt}A`, field, value),
    ])
      await expect(openDisclosure(one.stored.data, one.disclosable, each)).rejects.toThrow('no commitment')
    expect(await openDisclosure(one.stored.data, one.disclosable, disclosureOf(salt, field, value))).toEqual({
      field,
      value,
    })
  })

  it('counts only for a field that its event can disclose, under the same name', async () => {
    const data = (field: string, disclosure: string) =>
      JSON.stringify({ commitments: { [field]: hash('sha256', disclosure, 'base64url') } })
    const open = (field: string, disclosure: string) =>
      openDisclosure(data(field, disclosure), new Set(['details']), disclosure)
    await expect(open('amount', disclosureOf('salt', 'amount', '1.00'))).rejects.toThrow('no commitment')
    await expect(open('details', disclosureOf('salt', 'amount', '1.00'))).rejects.toThrow('of amount')
    await expect(open('details', Buffer.from('{}').toString('base64url'))).rejects.toThrow()
    await expect(open('details', '!')).rejects.toThrow()
    expect(await open('details', disclosureOf('salt', 'details', 'x'))).toEqual({ field: 'details', value: 'x' })
  })

  it('has no name in common with a field', () => {
    for (const { schema } of Object.values(definitions))
      for (const name of ['personal', 'commitments', 'salts']) expect(Object.keys(schema.shape)).not.toContain(name)
  })
})

describe('recorded events', () => {
  const recorded = readRecordedSamples().map((sample) => {
    const event = { ...sample, stream: streamName(userStreams, ada), revision: 0, position: toPosition('1') }
    const { disclosable } = definitionOf(eventRegistry, event.type)
    return {
      ...event,
      disclosable,
      disclosures: disclosuresOf(decodeEvent(eventRegistry, event, sampleKey), disclosable),
    }
  })

  it('without commitments have no disclosures', async () => {
    const secretOnly = recorded.filter(({ type, data }) => type === 'PasswordChanged' && data.includes('"personal"'))
    expect(secretOnly).toHaveLength(1)
    for (const { data, disclosable, disclosures } of secretOnly) {
      expect(disclosures).toEqual([])
      await expect(openDisclosure(data, disclosable, disclosureOf('salt', 'details', 'x'))).rejects.toThrow(
        'no commitments',
      )
    }
  })

  it('with commitments stay provable for good', async () => {
    const later = recorded.filter(({ data }) => data.includes('"commitments"'))
    expect(later.map(({ type }) => type).toSorted()).toEqual(disclosableFields.map(([type]) => type).toSorted())
    for (const { data, disclosable, disclosures, expected } of later) {
      const proven = await Promise.all(disclosures.map((each) => openDisclosure(data, disclosable, each)))
      expect(proven).toEqual([...disclosable].map((field) => ({ field, value: expected[field] })))
    }
  })
})
