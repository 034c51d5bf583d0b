import { mkdirSync } from 'node:fs'
import { access, constants, open, rm, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { Unavailable } from '../failures.ts'
import { isMissing, makeFolder, syncFolder, writeDurably } from './durable-file.ts'
import { checkKey, checkPrefix, type FileStore, type StoredFile } from './file-store.ts'

/** A folder that receives a file during its removal is removed again, after growing delays in ms. */
const WHILE_OTHERS_PUT = { maxRetries: 20, retryDelay: 20 }

/**
 * Files in a folder, under their keys. The names of drafts begin with a dot, which no key does.
 *
 * @throws {Unavailable} when the folder can't be created.
 */
export function createDiskFileStore(folder: string): FileStore {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unavailable(error)
  }

  /** The folder is created only at the start: one that disappears later (an unmounted disk) must not count as empty. */
  const ensureFolder = async () => {
    if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is no folder`)
  }

  return {
    async put(key, bytes) {
      checkKey(key)
      await withUnavailable(async () => {
        await ensureFolder()
        const path = join(folder, key)
        await makeFolder(dirname(path))
        // The draft is in the same folder, so that removing the folder removes what a kill left.
        await writeDurably(path, bytes, `${dirname(path)}${sep}.`)
      })
    },

    async get(key) {
      checkKey(key)
      return withUnavailable(async () => {
        await ensureFolder()
        return read(join(folder, key))
      })
    },

    async removeAll(prefix) {
      checkPrefix(prefix)
      await withUnavailable(async () => {
        await ensureFolder()
        const removed = join(folder, prefix.slice(0, -1))
        const found = await stat(removed).catch(isAbsent)
        // A file of that name is another key, with nothing below it.
        if (!found?.isDirectory()) return
        await rm(removed, { recursive: true, force: true, ...WHILE_OTHERS_PUT })
        await syncFolder(dirname(removed))
      })
    },

    ready: () =>
      withUnavailable(async () => {
        await ensureFolder()
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
    // Size and content come from one open file, even if the key is replaced meanwhile.
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
