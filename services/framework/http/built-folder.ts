import { join } from 'node:path'

/** The folder of all builds: this file is in one of them, or runs from source. */
export const BUILT_FOLDER = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../../../dist' : '..')
