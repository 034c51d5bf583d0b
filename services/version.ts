import { readFileSync } from 'node:fs'
import { z } from 'zod'

const packageSchema = z.object({ version: z.string() })

/** The version of the program, as its package.json names it. */
export const version = readVersion()

function readVersion(): string {
  // Beside the sources, or above dist.
  for (const path of ['../package.json', '../../package.json']) {
    try {
      return packageSchema.parse(JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))).version
    } catch {
      // It is in the other place.
    }
  }
  return 'unknown'
}
