import { writeFileSync } from 'node:fs'
import { definitionOf } from '#services/event-sourcing/event-registry.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { sampleFile } from './recorded-event-samples.ts'
import { storedSample } from './sample-events.ts'

/**
 * Records a sample of an event type at its current version: `npx tsx test-support/record-event-samples.ts TYPE DATA`,
 * with the data as JSON. A recorded one is never written again: it is what logs hold already.
 */
const [type = '', text = ''] = process.argv.slice(2)
const expected: unknown = JSON.parse(text)
const { version } = definitionOf(eventRegistry, type)
const { id, data, metadata } = storedSample(type, expected)
writeFileSync(sampleFile(type, version), `${JSON.stringify({ id, type, data, metadata, expected }, null, 2)}\n`, {
  flag: 'wx',
})
process.stdout.write(`recorded ${type} version ${version}\n`)
