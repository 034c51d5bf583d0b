import { hostname } from 'node:os'
import type { Sqlite } from '../sqlite/sqlite.ts'

/** Leases: a name that one holder has until a time. */
export interface Leases {
  take(name: string, holder: string, ms: number): boolean
  release(name: string, holder: string): void
}

/** Who asked for leases from this process. Another holder that says it is this process was one before it with the same number. */
const holdersHere = new Set<string>()

export function openLeases(database: Sqlite): Leases {
  database.exec('CREATE TABLE IF NOT EXISTS leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL) STRICT')
  const select = database.statement('SELECT holder, until FROM leases WHERE name = ?')
  const upsert = database.statement(`
    INSERT INTO leases (name, holder, until) VALUES (?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until`)
  const remove = database.statement('DELETE FROM leases WHERE name = ? AND holder = ?')

  return {
    take(name, holder, ms) {
      holdersHere.add(holder)
      return database.transaction(() => {
        const row = select.get(name)
        const other = row && row['holder'] !== holder ? String(row['holder']) : undefined
        if (other !== undefined && Number(row?.['until']) > Date.now() && !isGone(other)) return false
        upsert.run(name, holder, Date.now() + ms)
        return true
      })
    },
    release(name, holder) {
      remove.run(name, holder)
    },
  }
}

/** Whether a holder is known to be gone: its name begins with '<hostname>:<pid>:', and that process is no more. */
function isGone(holder: string): boolean {
  const [host, pid, rest] = holder.split(':')
  if (host !== hostname() || !pid || !/^[1-9]\d*$/.test(pid) || rest === undefined) return false
  if (Number(pid) === process.pid) return !holdersHere.has(holder)
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    // What can't be signalled for want of permission is there.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
