import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '#infra/failures.ts'
import { isMissing, syncFolder, writeDurably } from '#infra/file-store/durable-file.ts'
import { BadConfiguration, type Config } from '#services/process/config.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { assertStrongKey } from './key-strength.ts'
import type { MasterKeySource } from './master-key-candidates.ts'

const FILE = 'master.key'
/**
 * A key that is to replace `master.key`. Each file has a unique name, so that any process may complete the rotation by
 * renaming exactly the file that it read.
 */
const NEXT = /^master\.key\.new-[0-9a-f-]{36}$/

/** The path of the master key in a data folder or backup. */
export const masterKeyPathIn = (folder: string): string => join(folder, FILE)

/**
 * Where the first access key of an installation is kept until someone has read it, if the program's output goes to no
 * terminal.
 */
export const firstAdminKeyPathIn = (dataDir: string): string => join(dataDir, 'first-admin-key')

/**
 * The master key from its variable, or from the data folder, where it is created at the first start (mode 0600).
 *
 * @param hasLog Whether the folder already holds a log: a new key could not read it.
 * @throws {BadConfiguration} when the key of an existing log is missing, or the folder can't be written.
 */
export function createMasterKeySource(
  { dataDir, masterKey, newMasterKey }: Pick<Config, 'dataDir' | 'masterKey' | 'newMasterKey'>,
  hasLog: boolean,
): MasterKeySource {
  if (masterKey !== undefined) return sourceFromConfig(masterKey, newMasterKey)
  withDataDir(dataDir, () => {
    const path = masterKeyPathIn(dataDir)
    if (existsSync(path)) return
    if (hasLog)
      throw new BadConfiguration(`MASTER_KEY: ${dataDir} holds a log, but neither master.key nor this variable its key`)
    createKeyFile(path, dataDir)
  })
  return sourceInFolder(dataDir, newMasterKey)
}

/** The configured keys, or those in the data folder; none where there are none. It creates no key. */
export function existingMasterKeys({
  dataDir,
  masterKey,
  newMasterKey,
}: Pick<Config, 'dataDir' | 'masterKey' | 'newMasterKey'>): readonly string[] {
  if (masterKey === undefined && !existsSync(masterKeyPathIn(dataDir))) return []
  return createMasterKeySource({ dataDir, masterKey, newMasterKey }, false).candidates()
}

/** A process with both keys uses the valid one, so it may start at any moment of a rotation. */
function sourceFromConfig(masterKey: string, newMasterKey: string | undefined): MasterKeySource {
  return {
    candidates: () => (newMasterKey === undefined ? [masterKey] : [masterKey, newMasterKey]),
    async next() {
      if (newMasterKey === undefined)
        throw new Refused(
          'invalid',
          'NEW_MASTER_KEY: has to be set, because MASTER_KEY is: it is the key that replaces it',
        )
      if (newMasterKey === masterKey) throw new Refused('invalid', 'NEW_MASTER_KEY: is the same as MASTER_KEY')
      await assertStrongKey('NEW_MASTER_KEY', newMasterKey)
      return newMasterKey
    },
    confirm: async () => {},
  }
}

function sourceInFolder(dataDir: string, newMasterKey: string | undefined): MasterKeySource {
  const path = masterKeyPathIn(dataDir)
  return {
    // The new keys first: one that is renamed in between is then found as master.key.
    candidates: () =>
      withDataDir(dataDir, () => {
        const next = pendingKeysIn(dataDir).map(({ key }) => key)
        return [readKey(path), ...next]
      }),
    async next(current) {
      if (newMasterKey === current) throw new Refused('invalid', 'NEW_MASTER_KEY: is the master key already')
      if (newMasterKey !== undefined) await assertStrongKey('NEW_MASTER_KEY', newMasterKey)
      // A pending key may belong to a concurrent rotation: then both use the same key, or the store refuses one of
      // them.
      const pending = pendingKeysIn(dataDir).find(
        ({ key }) => key !== current && (newMasterKey === undefined || key === newMasterKey),
      )
      if (pending) return pending.key
      const key = newMasterKey ?? newKey()
      const file = join(dataDir, `${FILE}.new-${randomUUID()}`)
      await writeDurably(file, Buffer.from(`${key}\n`), `${file}.`)
      return key
    },
    async confirm(masterKey) {
      const pending = pendingKeysIn(dataDir).filter(({ key }) => key === masterKey)
      for (const { file } of pending) {
        // A concurrent rotation to the same key has finished.
        if (readKey(path) === masterKey) await rm(file, { force: true })
        else await rename(file, path).catch(ignoreMissing)
      }
      if (pending.length > 0) await syncFolder(dataDir)
    },
  }
}

/** Another process has renamed it. */
function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error
}

/** The keys of rotations that are not completed. */
function pendingKeysIn(dataDir: string): { readonly file: string; readonly key: string }[] {
  return readdirSync(dataDir)
    .filter((name) => NEXT.test(name))
    .flatMap((name) => {
      const file = join(dataDir, name)
      try {
        return [{ file, key: readKey(file) }]
      } catch (error) {
        // It was renamed to master.key.
        if (isMissing(error)) return []
        throw error
      }
    })
}

const readKey = (path: string): string => readFileSync(path, 'utf8').trim()

const newKey = (): string => randomBytes(32).toString('base64url')

/** Creates the key atomically and once: of two processes that start together, one creates it and both read it. */
function createKeyFile(path: string, dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${newKey()}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(draft, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    rmSync(draft)
  }
}

/** @throws {BadConfiguration} when the folder can't be read or written. */
function withDataDir<Result>(dataDir: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof BadConfiguration) throw error
    throw new BadConfiguration(`DATA_DIR: ${dataDir} can't be used: ${messageOf(error)}`)
  }
}
