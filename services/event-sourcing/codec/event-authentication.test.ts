import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '#test-support/any-text.ts'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { definitions } from '#services/oversight/event-catalogue.ts'
import { storedSample } from '#test-support/sample-events.ts'
import { checkMac, signEvent } from './event-authentication.ts'

const key = new Uint8Array(32).fill(5)
const plain = storedSample('BalanceChanged')
const signed: StoredEvent = { ...plain, ...signEvent(key, plain.stream, plain.revision, plain) }

describe('the MAC of an event', () => {
  it('is accepted as it was made, and missing where there is none', () => {
    expect(checkMac(key, signed)).toBe('authentic')
    expect(checkMac(key, plain)).toBe('unsigned')
    for (const type of Object.keys(definitions)) {
      const event = storedSample(type)
      expect(checkMac(key, { ...event, ...signEvent(key, event.stream, 7, event), revision: 7 })).toBe('authentic')
    }
  })

  it('changes nothing in the metadata but that it is there', () => {
    const { mac, ...rest }: Record<string, unknown> = JSON.parse(signed.metadata)
    expect(mac).toMatch(/^[\w-]{43}$/)
    expect(rest).toEqual(JSON.parse(plain.metadata))
    expect(Object.keys(JSON.parse(signed.metadata)).slice(-2)).toEqual(['mac', 'previous'])
  })

  it('is of one key', () => {
    for (const other of [new Uint8Array(32), new Uint8Array(32).fill(6)]) expect(checkMac(other, signed)).toBe('forged')
  })

  it('is of one stream, revision, id, type and text of data', () => {
    const altered = [
      { stream: `${signed.stream}0` },
      { revision: signed.revision + 1 },
      { id: crypto.randomUUID() },
      { type: 'ProfitLossChanged' },
      { data: signed.data.replace('}', ' }') },
    ]
    for (const change of altered) expect(checkMac(key, { ...signed, ...change })).toBe('forged')
  })

  it('does not survive any change of a single character', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('stream', 'id', 'type', 'data', 'metadata'),
        fc.nat(),
        anyText({ maxLength: 1 }),
        (part, at, by) => {
          const text = signed[part]
          const offset = at % text.length
          const altered = { ...signed, [part]: text.slice(0, offset) + by + text.slice(offset + 1) }
          fc.pre(altered[part] !== text)
          expect(checkMac(key, altered)).not.toBe('authentic')
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('is found only where it was put, not in the texts of others', () => {
    const mac = /"mac":"[^"]+"/.exec(signed.metadata)?.[0] ?? ''
    const elsewhere = plain.metadata.replace('"requestId":"r1"', `"requestId":"r1",${mac}`)
    expect(checkMac(key, { ...plain, metadata: elsewhere })).toBe('unsigned')
    expect(checkMac(key, { ...signed, metadata: signed.metadata.replace('}', ',"more":1}') })).not.toBe('authentic')
    expect(checkMac(key, { ...signed, metadata: signed.metadata.replace(mac, `${mac},${mac}`) })).not.toBe('authentic')
  })

  it('never changes between versions', () => {
    const event = {
      id: 'id',
      type: 'BalanceChanged',
      data: '{"from":"0.00","to":"1.00"}',
      metadata: '{"version":1,"previous":null}',
    }
    expect(signEvent(key, 'account-ada00000', 3, event).metadata).toBe(
      '{"version":1,"mac":"JqD3KU4M8aVUuEv-oBiRjgF6FzY0RBHwRTnB0g_uVLc","previous":null}',
    )
  })

  it('has no place in metadata of another form', () => {
    for (const metadata of ['{}', '{"previous":5}', '{"previous":null,"more":1}', ''])
      expect(() => signEvent(key, 's-1', 0, { ...plain, metadata })).toThrow('no place for a MAC')
  })
})
