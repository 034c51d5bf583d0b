import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { access, constants, link, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Unavailable } from '#infra/failures.ts'

/**
 * Writes a file atomically: after any crash its path has either all of the new bytes or the previous content. A failure
 * leaves nothing behind. Only the owner can read the file.
 *
 * @param temporary The beginning of the draft's path, in the same folder.
 */
export function writeDurably(path: string, bytes: Uint8Array, temporary: string): Promise<void> {
  return placeDraft(path, bytes, temporary, (draft) => rename(draft, path))
}

/** The same for a file that nothing may replace: if there is one, also of a process that was faster, it stays. */
export function createDurably(path: string, bytes: Uint8Array, temporary: string): Promise<void> {
  return placeDraft(path, bytes, temporary, async (draft) => {
    await link(draft, path).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    })
    await rm(draft)
  })
}

async function placeDraft(
  path: string,
  bytes: Uint8Array,
  temporary: string,
  place: (draft: string) => Promise<void>,
): Promise<void> {
  // Random, so that concurrent writers of one path use different drafts.
  const draft = `${temporary}${randomUUID()}.tmp`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await place(draft)
  } catch (error) {
    // Report the first error; a draft that can't be removed does no harm.
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
  await syncFolder(dirname(path))
}

/** Creates a folder and its parents durably, for the owner only. */
export async function makeFolder(path: string): Promise<void> {
  const folder = resolve(path)
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  // A new folder is an entry in the one above it.
  for (let path = folder; ; path = dirname(path)) {
    await syncFolder(dirname(path))
    if (path === first || path === dirname(path)) return
  }
}

/** Makes additions to a folder, and removals from it, survive power loss. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Whether an error means that a path does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

/**
 * Opens a folder that a store keeps its files in, and creates a missing one for the owner only.
 *
 * @param part The part whose folder it is, in an operator's words.
 * @throws {Unavailable} when it can't be created.
 */
export function openStoreFolder(path: string, part: string) {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new Unavailable(part, { cause: error })
  }
  /**
   * Works in the folder. It is created only at the start: one that disappears later (an unmounted disk) must not count
   * as empty.
   */
  const use = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      if (!(await stat(path)).isDirectory()) throw new Error(`${path} is no folder`)
      return await work()
    } catch (error) {
      throw new Unavailable(part, { cause: error })
    }
  }
  /** Whether files can be read and written. @throws {Unavailable} */
  const ready = () => use(() => access(path, constants.R_OK | constants.W_OK | constants.X_OK))
  return { use, ready }
}
