import type { Sqlite } from '../sqlite/sqlite.ts'

/** Does in one transaction what is asked for in the same turn of the event loop. */
export interface Together {
  /** Resolves once it is committed. Where one fails all is rolled back, and each is done `again`, alone. */
  run<Result>(work: (again: boolean) => Result): Promise<Result>
  /** Does at once what still waits. */
  flush(): void
}

/** All views write after the same batch, and a commit costs more than most of what they write. */
export function openTogether(database: Sqlite): Together {
  let waiting: Waiting[] = []

  const flush = (): void => {
    const works = waiting
    waiting = []
    try {
      const settles = database.transaction(() => works.map(({ attempt }) => attempt(false)))
      for (const settle of settles) settle()
    } catch {
      for (const { attempt, fail } of works) {
        try {
          database.transaction(() => attempt(true))()
        } catch (error) {
          fail(error)
        }
      }
    }
  }

  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush)
        const attempt = (again: boolean): (() => void) => {
          const result = work(again)
          return () => resolve(result)
        }
        waiting.push({ attempt, fail: reject })
      }),
    flush,
  }
}

interface Waiting {
  /** Does the work, and answers how to tell of it when it is committed. */
  attempt(again: boolean): () => void
  fail(error: unknown): void
}
