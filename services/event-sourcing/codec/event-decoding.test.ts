import { describe, expect, it } from 'vitest'
import { toPosition } from '#infra/event-store/event-store.ts'
import { readRecordedSamples } from '#test-support/recorded-event-samples.ts'
import { ada, sampleKey } from '#test-support/sample-events.ts'
import { definitions, eventRegistry } from '#services/oversight/event-catalogue.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import { userStreams } from '#services/identity/users/user.ts'
import { decodeEvent } from './event-codec.ts'
import { decodeClearData } from './event-decoding.ts'

describe('stored events', () => {
  const samples = readRecordedSamples()

  it.each(samples)('read as they were recorded: $type', ({ id, type, data, metadata, expected }) => {
    const event = {
      id,
      type,
      data,
      metadata,
      stream: streamName(userStreams, ada),
      revision: 0,
      position: toPosition('1'),
    }
    expect(decodeEvent(eventRegistry, event, sampleKey).data).toEqual(expected)
  })

  it('have a recorded sample of each type: npx tsx test-support/record-event-samples.ts TYPE DATA', () => {
    expect(samples.map(({ type }) => type).toSorted()).toEqual(Object.keys(definitions).toSorted())
  })

  it('of an unknown version are refused', () => {
    const { BalanceChanged } = definitions
    for (const version of [0, 2])
      expect(() => decodeClearData('BalanceChanged', BalanceChanged, '{"from":"1.00","to":"5.00"}', version)).toThrow(
        `BalanceChanged has version ${version}; this program reads version 1`,
      )
  })

  it('of another shape are refused', () => {
    for (const data of ['{"to":"5.00"}', '[]'])
      expect(() => decodeClearData('BalanceChanged', definitions.BalanceChanged, data, 1)).toThrow()
  })
})
