import { open, rm, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { isMissing, makeFolder, openStoreFolder, syncFolder, writeDurably } from './durable-file.ts'
import { checkKey, checkPrefix, type FileStore, type StoredFile } from './file-store.ts'

/** A folder that receives a file during its removal is removed again, after growing delays in ms. */
const WHILE_OTHERS_PUT = { maxRetries: 20, retryDelay: 20 }

/**
 * Files in a folder, under their keys. The names of drafts begin with a dot, which no key does.
 *
 * @throws {Unavailable} when the folder can't be created.
 */
export function createDiskFileStore(folder: string): FileStore {
  const { use, ready } = openStoreFolder(folder, 'file store')

  return {
    async put(key, bytes) {
      checkKey(key)
      await use(async () => {
        const path = join(folder, key)
        await makeFolder(dirname(path))
        // The draft is in the same folder, so that removing the folder removes what a kill left.
        await writeDurably(path, bytes, `${dirname(path)}${sep}.`)
      })
    },

    async get(key) {
      checkKey(key)
      return use(() => read(join(folder, key)))
    },

    async removeAll(prefix) {
      checkPrefix(prefix)
      await use(async () => {
        const removed = join(folder, prefix.slice(0, -1))
        const found = await stat(removed).catch(isAbsent)
        // A file of that name is another key, with nothing below it.
        if (!found?.isDirectory()) return
        await rm(removed, { recursive: true, force: true, ...WHILE_OTHERS_PUT })
        await syncFolder(dirname(removed))
      })
    },

    ready,

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
