import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing, syncFolder, writeDurably } from '../../infra/file-store/durable-file.ts'
import { BadConfiguration, type Config } from '../config.ts'
import { Refused } from '../event-sourcing/refusal.ts'
import type { MasterKeySource } from './master-key-rotation.ts'

const FILE = 'master.key'
/**
 * What `master.key` is exchanged for, until it is. Each has a name of its own, so that one that is done for may be renamed by
 * whoever finds it, and never another than the one that was looked at.
 */
const NEXT = /^master\.key\.new-[0-9a-f-]{36}$/

/** Where the master key lies in a folder that holds one. */
export const masterKeyPathIn = (folder: string): string => join(folder, FILE)

/**
 * Where the master key is: in its variable, or in the data folder, where it is made at the first start (mode 0600).
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
    if (hasLog) throw new BadConfiguration(`MASTER_KEY: ${dataDir} holds a log, but neither master.key nor this variable its key`)
    createKeyFile(path, dataDir)
  })
  return sourceInFolder(dataDir, newMasterKey)
}

/** Whoever is given both keys starts with whichever it is, so that processes may start at any moment of an exchange. */
function sourceFromConfig(masterKey: string, newMasterKey: string | undefined): MasterKeySource {
  return {
    candidates: () => (newMasterKey === undefined ? [masterKey] : [masterKey, newMasterKey]),
    async next() {
      if (newMasterKey === undefined) throw new Refused('invalid', 'NEW_MASTER_KEY: has to be set, as MASTER_KEY is: it is the key that takes its place')
      if (newMasterKey === masterKey) throw new Refused('invalid', 'NEW_MASTER_KEY: is the same as MASTER_KEY')
      return newMasterKey
    },
    confirm: async () => {},
  }
}

function sourceInFolder(dataDir: string, newMasterKey: string | undefined): MasterKeySource {
  const path = masterKeyPathIn(dataDir)
  return {
    // Read in this order, one that is renamed meanwhile is found.
    candidates: () =>
      withDataDir(dataDir, () => {
        const next = pendingKeysIn(dataDir).map(({ key }) => key)
        return [readKey(path), ...next]
      }),
    async next(current) {
      if (newMasterKey === current) throw new Refused('invalid', 'NEW_MASTER_KEY: is the master key already')
      // One that was left behind may be what somebody else is just exchanging it for: the same then, or the store refuses one.
      const left = pendingKeysIn(dataDir).find(({ key }) => key !== current && (newMasterKey === undefined || key === newMasterKey))
      if (left) return left.key
      const key = newMasterKey ?? newKey()
      const file = join(dataDir, `${FILE}.new-${randomUUID()}`)
      await writeDurably(file, Buffer.from(`${key}\n`), `${file}.`)
      return key
    },
    async confirm(masterKey) {
      const found = pendingKeysIn(dataDir).filter(({ key }) => key === masterKey)
      for (const { file } of found) {
        // Somebody else was told to exchange it for the same key.
        if (readKey(path) === masterKey) await rm(file, { force: true })
        else await rename(file, path).catch(ignoreMissing)
      }
      if (found.length > 0) await syncFolder(dataDir)
    },
  }
}

/** Another process has seen to it. */
function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error
}

/** The keys that `master.key` may have to be exchanged for. */
function pendingKeysIn(dataDir: string): { readonly file: string; readonly key: string }[] {
  return readdirSync(dataDir)
    .filter((name) => NEXT.test(name))
    .flatMap((name) => {
      const file = join(dataDir, name)
      try {
        return [{ file, key: readKey(file) }]
      } catch (error) {
        // It is master.key by now.
        if (isMissing(error)) return []
        throw error
      }
    })
}

const readKey = (path: string): string => readFileSync(path, 'utf8').trim()

const newKey = (): string => randomBytes(32).toString('base64url')

/** Whole or not at all, and once: of two processes that start together one makes it and both read it. */
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
    throw new BadConfiguration(`DATA_DIR: ${dataDir} can't be used: ${error instanceof Error ? error.message : String(error)}`)
  }
}
