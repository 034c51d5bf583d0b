import { expect, it } from 'vitest'
import { eventRegistry } from '../../domain/streams.ts'
import { readRecordedSamples } from '../../../test-support/recorded-event-samples.ts'
import { definitionOf } from '../event-registry.ts'
import { versionOf } from './event-decoding.ts'
import { metadata } from './metadata.ts'

it.each(readRecordedSamples())('the version of stored data is known from its shape: $name', ({ type, data, metadata: stored }) => {
  expect(versionOf(type, definitionOf(eventRegistry, type), data)).toBe(metadata.parse(JSON.parse(stored)).version)
})

it('data of no version has none', () => {
  expect(() => versionOf('BalanceChanged', definitionOf(eventRegistry, 'BalanceChanged'), '{"to":"5.00"}')).toThrow()
  expect(() => versionOf('BalanceChanged', definitionOf(eventRegistry, 'BalanceChanged'), '[]')).toThrow()
})
