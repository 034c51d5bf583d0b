import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const folder = fileURLToPath(new URL('event-samples', import.meta.url))

const recordedSample = z.object({
  id: z.string(),
  type: z.string(),
  data: z.string(),
  metadata: z.string(),
  expected: z.looseObject({}),
})

export function sampleFile(type: string, version: number): string {
  return join(folder, `${type}.v${version}.json`)
}

/** A recorded sample. @throws {Error} when there is no such file. */
export function readSample(file: string) {
  return recordedSample.parse(JSON.parse(readFileSync(file, 'utf8')))
}

/** The samples of all types: stored bytes, and what they mean. */
export function readRecordedSamples() {
  return readdirSync(folder).map((name) => readSample(join(folder, name)))
}
