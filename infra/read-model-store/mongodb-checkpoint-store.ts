import { setTimeout as delay } from 'node:timers/promises'
import type { Progress } from './read-model-store.ts'

/** Wakes those who wait for progress. */
export interface Wakes {
  /** What is known of a reader's progress now; undefined where it has made none. */
  note(reader: string, progress: Progress | undefined): void
  /** This process has saved some. */
  saved(reader: string, progress: Progress): void
  wait(ms: number): Promise<void>
  close(): void
}

/** How often another process's progress is looked for while somebody waits, in ms: the longer in vain, the less often. */
const LOOK_AFTER = { first: 4, factor: 1.25, longest: 50 }

/** The stores open in this process, by the addresses of their servers. */
const neighbours = new Map<string, Set<Pick<Wakes, 'note'> & { wakeAll(): void }>>()

/**
 * A server tells nobody that something was written, unless it is a replica set. But asking how far the few readers are
 * costs little, and only while somebody waits is it asked at all. What this process was told last is what is compared
 * with, so nothing is missed between an answer and the wait that follows it.
 */
export function openWakes(url: string, readers: () => Promise<ReadonlyMap<string, Progress>>): Wakes {
  const known = new Map<string, string | undefined>()
  const waiting = new Set<{ wake(): void; fail(error: unknown): void }>()
  let wait = LOOK_AFTER.first
  let looking = false
  let isClosed = false

  const wakeAll = (): void => {
    for (const { wake } of waiting) wake()
    waiting.clear()
  }

  const note = (reader: string, progress: Progress | undefined): void => void known.set(reader, progress && `${progress.position} ${progress.checkpoint}`)

  const look = async (): Promise<void> => {
    if (looking) return
    looking = true
    try {
      for (let isFirst = true; waiting.size > 0 && !isClosed; isFirst = false) {
        const found = await readers()
        let news = false
        for (const [reader, progress] of found) {
          const before = known.get(reader)
          // Whoever nobody has asked for may have come this far long ago.
          const isNew = isFirst && !known.has(reader)
          note(reader, progress)
          if (!isNew && known.get(reader) !== before) news = true
        }
        if (news) wakeAll()
        await delay(wait, undefined, { ref: false })
        wait = Math.min(wait * LOOK_AFTER.factor, LOOK_AFTER.longest)
      }
    } catch (error) {
      for (const { fail } of waiting) fail(error)
      waiting.clear()
    } finally {
      looking = false
    }
    if (waiting.size > 0 && !isClosed) void look()
  }

  const here = { note, wakeAll }
  const near = neighbours.get(url) ?? new Set()
  neighbours.set(url, near)
  near.add(here)

  return {
    note,
    saved(reader, progress) {
      for (const each of near) {
        each.note(reader, progress)
        each.wakeAll()
      }
    },

    wait(ms) {
      wait = LOOK_AFTER.first
      return new Promise((resolve, reject) => {
        const end = (settle: () => void) => (): void => {
          clearTimeout(late)
          waiting.delete(waiter)
          settle()
        }
        const waiter = { wake: end(resolve), fail: (error: unknown) => end(() => reject(error))() }
        const late = setTimeout(waiter.wake, ms)
        waiting.add(waiter)
        void look()
      })
    },

    close() {
      isClosed = true
      near.delete(here)
      if (near.size === 0) neighbours.delete(url)
      wakeAll()
    },
  }
}
