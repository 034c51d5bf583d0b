import { existsSync, writeFileSync } from 'node:fs'
import { definitionOf } from '../services/event-sourcing/event-registry.ts'
import { eventRegistry } from '../services/domain/streams.ts'
import { sampleFile, readRecordedSamples } from './recorded-event-samples.ts'
import { samples, storedSample } from './sample-events.ts'

/**
 * Records a sample of each event type at its current version, where there is none yet: `npx tsx
 * test-support/record-event-samples.ts`. A recorded one is never written again: it is what logs hold already.
 */
for (const [type, data] of Object.entries(samples)) {
  const version = definitionOf(eventRegistry, type).version
  const file = sampleFile(type, version)
  if (existsSync(file)) continue
  const { id, data: storedData, metadata } = storedSample(type, data)
  writeFileSync(file, `${JSON.stringify({ id, type, data: storedData, metadata, expected: data }, null, 2)}\n`)
  process.stdout.write(`recorded ${type} version ${version}\n`)
}
process.stdout.write(`${readRecordedSamples().length} samples\n`)
