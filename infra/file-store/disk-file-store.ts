import { mkdirSync } from 'node:fs'
import { access, constants, open, rm, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { Unavailable } from '../failures.ts'
import { isMissing, makeFolder, syncFolder, writeDurably } from './durable-file.ts'
import { checkKey, checkPrefix, type FileStore, type StoredFile } from './file-store.ts'

/** A folder that another file came into while it was emptied is emptied again: ms between tries, each longer than the one before. */
const WHILE_OTHERS_PUT = { maxRetries: 20, retryDelay: 20 }

/**
 * Files in a folder, under their keys. A draft's name begins with a dot, which no key does.
 *
 * @throws {Unavailable} when the folder can't be made.
 */
export function createDiskFileStore(folder: string): FileStore {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unavailable(error)
  }

  /** Made once, at the start: a folder that is gone later (a disk not mounted) must not be taken for an empty one. */
  const present = async () => {
    if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is no folder`)
  }

  return {
    async put(key, bytes) {
      checkKey(key)
      await withUnavailable(async () => {
        await present()
        const path = join(folder, key)
        await makeFolder(dirname(path))
        // Within the folder, so that what a kill leaves goes with it.
        await writeDurably(path, bytes, `${dirname(path)}${sep}.`)
      })
    },

    async get(key) {
      checkKey(key)
      return withUnavailable(async () => {
        await present()
        return read(join(folder, key))
      })
    },

    async removeAll(prefix) {
      checkPrefix(prefix)
      await withUnavailable(async () => {
        await present()
        const removed = join(folder, prefix.slice(0, -1))
        const found = await stat(removed).catch(isAbsent)
        // A file of that name is another key: nothing starts with it and a '/'.
        if (!found?.isDirectory()) return
        await rm(removed, { recursive: true, force: true, ...WHILE_OTHERS_PUT })
        await syncFolder(dirname(removed))
      })
    },

    ready: () =>
      withUnavailable(async () => {
        await present()
        await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
      }),

    async close() {},
  }
}

async function read(path: string): Promise<StoredFile | undefined> {
  const file = await open(path, 'r').catch(isAbsent)
  if (!file) return undefined
  try {
    const found = await file.stat()
    // Size and content are of one open file, even if the key is put again meanwhile.
    if (found.isFile()) return { size: found.size, content: file.createReadStream() }
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
  return undefined
}

function isAbsent(error: unknown): undefined {
  if (!isMissing(error)) throw error
}

async function withUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw unavailable(error)
  }
}

const unavailable = (cause: unknown) => new Unavailable('file store', { cause })
