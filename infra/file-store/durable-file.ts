import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/**
 * Writes a file so that its path shows, after any crash, either all of the new bytes or what was there before. When it
 * fails, nothing is left behind. Files are for the owner only.
 *
 * @param temporary begins the path of the file while it is being written, in the same folder
 */
export async function writeDurably(path: string, bytes: Uint8Array, temporary: string): Promise<void> {
  // Random, so that two writers of one path don't write into each other's file.
  const draft = `${temporary}${randomUUID()}.tmp`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    // What went wrong first is what the caller must hear of; a draft that can't be removed is no file of anybody's.
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
  await syncFolder(dirname(path))
}

/** Makes a folder and those above it, for the owner only, so that they are still there after power loss. */
export async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path)
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  // A new folder is an entry in the one above it.
  for (let made = folder; ; made = dirname(made)) {
    await syncFolder(dirname(made))
    if (made === first || made === dirname(made)) return
  }
}

/** Makes sure that what was added to a folder, or removed from it, survives power loss. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Whether an error says that a path leads nowhere. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
