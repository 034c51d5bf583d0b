import { hostname } from 'node:os'
import type { Sqlite } from '#infra/sqlite/sqlite.ts'
import type { LeaseStore } from './lease-store.ts'

/** Owners in this process. Another owner that claims to be this process was one before it with the same process id. */
const ownersHere = new Set<string>()

export function createSqliteLeaseStore(database: Sqlite): LeaseStore {
  database.exec(
    'CREATE TABLE IF NOT EXISTS leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL) STRICT',
  )
  const select = database.statement('SELECT holder, until FROM leases WHERE name = ?')
  const upsert = database.statement(`
    INSERT INTO leases (name, holder, until) VALUES (?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until`)
  const remove = database.statement('DELETE FROM leases WHERE name = ? AND holder = ?')

  return {
    async acquire(name, owner, ms) {
      ownersHere.add(owner)
      return database.transaction(() => {
        const row = select.get(name)
        const other = row && row['holder'] !== owner ? String(row['holder']) : undefined
        if (other !== undefined && Number(row?.['until']) > Date.now() && !isGone(other)) return false
        upsert.run(name, owner, Date.now() + ms)
        return true
      })
    },
    async release(name, owner) {
      remove.run(name, owner)
    },
  }
}

/** Whether an owner's process is known to be gone: its name begins with '<hostname>:<pid>:'. */
function isGone(owner: string): boolean {
  const [host, pid, rest] = owner.split(':')
  if (host !== hostname() || !pid || !/^[1-9]\d*$/.test(pid) || rest === undefined) return false
  if (Number(pid) === process.pid) return !ownersHere.has(owner)
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    // A process that may not be signalled exists.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
