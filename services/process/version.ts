import { readFileSync } from 'node:fs'
import { z } from 'zod'

const packageSchema = z.object({ version: z.string() })

/** The version of the program, as its package.json names it. */
export const version = readVersion()

function readVersion(): string {
  try {
    // Two folders above the sources of this file, and above the build of it.
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    return packageSchema.parse(JSON.parse(text)).version
  } catch {
    return 'unknown'
  }
}
