import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { toPosition } from '../../../infra/event-store/event-store.ts'
import { decodeEvent } from './event-codec.ts'
import { sampleFile, readRecordedSamples } from '../../../test-support/recorded-event-samples.ts'
import { eventRegistry, definitions, streamName, users } from '../../domain/streams.ts'
import { ada, sampleKey } from '../../../test-support/sample-events.ts'
import { type Upcaster, upcast } from './upcasters.ts'

/** The fields that later upcasters add to an old sample; the sample itself never changes. */
const added: Readonly<Record<string, object>> = {
  'AccountStatusChanged.v1.json': { reason: null, evidence: null, corrects: null },
  'AdminKeyIssued.v1.json': { expiresAt: null },
  'PasswordChanged.v1.json': { mailed: false },
  'PasswordReset.v1.json': { mailed: false },
  'RiskLimitsChanged.v1.json': { reason: null },
}

describe('old events', () => {
  it.each(readRecordedSamples())('stay readable for good: $name', ({ name, id, type, data, metadata, expected }) => {
    const event = { id, type, data, metadata, stream: streamName(users, ada), revision: 0, position: toPosition('1') }
    expect(decodeEvent(eventRegistry, event, sampleKey).data).toEqual({ ...expected, ...added[name] })
  })

  it.each(Object.entries(definitions))('have a recorded sample of each version: %s', (type, { version }) => {
    for (let each = 1; each <= version; each++)
      expect(existsSync(sampleFile(type, each)), `run: npx tsx test-support/record-event-samples.ts ${type} '{ its data }'`).toBe(true)
  })
})

describe('upcasting', () => {
  const steps: readonly Upcaster[] = [({ name, ...rest }) => ({ ...rest, fullName: name }), (data) => ({ ...data, country: 'us' })]

  it('lifts data through every version up to the current one', () => {
    expect(upcast('Moved', { name: 'Ada' }, 1, steps)).toEqual({ fullName: 'Ada', country: 'us' })
    expect(upcast('Moved', { fullName: 'Ada' }, 2, steps)).toEqual({ fullName: 'Ada', country: 'us' })
  })

  it('leaves data of the current version unchanged', () => {
    const data = { fullName: 'Ada', country: 'fr' }
    expect(upcast('Moved', data, 3, steps)).toBe(data)
  })

  it('refuses unknown and newer versions', () => {
    for (const version of [0, 4]) expect(() => upcast('Moved', {}, version, steps)).toThrow(/this program reads 1 to 3/)
  })
})
