import type { Sqlite } from '../sqlite/sqlite.ts'

/** Wakes those who wait for progress. */
export interface Wakes {
  /** Says that progress was saved, to all who wait in this process. */
  saved(): void
  wait(ms: number): Promise<void>
  close(): void
}

/** How often another process's progress is looked for while somebody waits, in ms. */
const LOOK_EVERY = 4

/** The stores open in this process, by their files. */
const neighbours = new Map<string, Set<() => void>>()

/**
 * SQLite tells nobody that a file was changed. But asking whether it was is cheap, and only while somebody waits is it
 * asked at all.
 *
 * @param file The file's true path.
 * @param progress How far everybody is, in words.
 */
export function openWakes(database: Sqlite, file: string, progress: () => string): Wakes {
  const dataVersion = database.statement('PRAGMA data_version')
  const waiting = new Set<{ wake(): void; fail(error: unknown): void }>()
  let looking: NodeJS.Timeout | undefined
  let seen = { version: 0, progress: '' }

  const wakeAll = (): void => {
    clearInterval(looking)
    looking = undefined
    for (const { wake } of waiting) wake()
    waiting.clear()
  }

  const fileVersion = (): number => Number(dataVersion.get()?.['data_version'])

  /** What this connection writes itself makes no new version: that is said. */
  const look = (): void => {
    const version = fileVersion()
    if (version === seen.version) return
    const before = seen.progress
    seen = { version, progress: progress() }
    if (seen.progress !== before) wakeAll()
  }

  const lookOrFail = (): void => {
    try {
      look()
    } catch (error) {
      for (const { fail } of waiting) fail(error)
      waiting.clear()
      wakeAll()
    }
  }

  const near = neighbours.get(file) ?? new Set()
  neighbours.set(file, near)
  near.add(wakeAll)

  return {
    saved() {
      for (const wake of near) wake()
    },

    wait(ms) {
      // Those who wait already may be woken by this look, and then it starts afresh.
      if (looking) look()
      looking ??= (() => {
        seen = { version: fileVersion(), progress: progress() }
        return setInterval(lookOrFail, LOOK_EVERY)
      })()
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(waiter)
          if (waiting.size === 0) wakeAll()
          resolve()
        }, ms)
        const waiter = {
          wake: () => {
            clearTimeout(late)
            resolve()
          },
          fail: (error: unknown) => {
            clearTimeout(late)
            reject(error)
          },
        }
        waiting.add(waiter)
      })
    },

    close() {
      near.delete(wakeAll)
      if (near.size === 0) neighbours.delete(file)
      wakeAll()
    },
  }
}
