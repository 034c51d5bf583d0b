import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BadConfiguration } from './config.ts'

/**
 * The master key: the configured one, or the one in the data folder, which is made at the first start (mode 0600).
 *
 * @param hasLog Whether the folder already holds a log: a new key could not read it.
 * @throws {BadConfiguration} when the key of an existing log is missing, or the folder can't be written.
 */
export function masterKeyOf(dataDir: string, configured: string | undefined, hasLog: boolean): string {
  if (configured !== undefined) return configured
  const path = join(dataDir, 'master.key')
  try {
    if (!existsSync(path)) {
      if (hasLog) throw new BadConfiguration(`MASTER_KEY: ${dataDir} holds a log, but neither master.key nor this variable its key`)
      make(path, dataDir)
    }
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (error instanceof BadConfiguration) throw error
    throw new BadConfiguration(`DATA_DIR: ${dataDir} can't be used: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Whole or not at all, and once: of two processes that start together one makes it and both read it. */
function make(path: string, dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(draft, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    rmSync(draft)
  }
}
