import { openSqlite, type Row } from '#infra/sqlite/sqlite.ts'
import type { ListedSession, Session, SessionKind, SessionStore } from './session-store.ts'

const SCHEMA = `
    CREATE TABLE IF NOT EXISTS sessions (
      id_hash      TEXT PRIMARY KEY,
      kind         TEXT NOT NULL,
      subject      TEXT NOT NULL,
      created_at   INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL,
      browser      TEXT NOT NULL,
      address      TEXT NOT NULL,
      mac          TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS sessions_by_subject ON sessions (kind, subject);
    CREATE INDEX IF NOT EXISTS sessions_by_creation ON sessions (created_at);
    CREATE INDEX IF NOT EXISTS sessions_by_use ON sessions (last_seen_at);
    CREATE TABLE IF NOT EXISTS suspensions (
      kind    TEXT NOT NULL,
      subject TEXT NOT NULL,
      reason  TEXT NOT NULL,
      PRIMARY KEY (kind, subject)
    ) STRICT, WITHOUT ROWID;
`

/**
 * Sessions in one SQLite file. Ends and suspensions must survive power loss, so they wait for the disk; the last use
 * need not, so `touch` does not wait. Deleted rows are overwritten: addresses are personal.
 */
export function openSqliteSessionStore(path: string): SessionStore {
  const database = openSqlite(path, { part: 'session store', schema: SCHEMA, durability: 'full', secureDelete: true })

  const insert = database.statement(`
    INSERT INTO sessions (id_hash, kind, subject, created_at, last_seen_at, browser, address, mac)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id_hash) DO NOTHING`)
  const sessions = `
    SELECT id_hash AS idHash, kind, subject, created_at AS createdAt, last_seen_at AS lastSeenAt, mac, reason, browser, address
    FROM sessions LEFT JOIN suspensions USING (kind, subject) WHERE`
  const select = database.statement(`${sessions} id_hash = ?`)
  const selectOfSubject = database.statement(`${sessions} kind = ? AND subject = ?`)
  const selectMany = database.statement(`${sessions} id_hash IN (SELECT value FROM json_each(?))`)
  const use = database.statement(
    'UPDATE sessions SET last_seen_at = ?1, mac = ?3 WHERE id_hash = ?2 AND last_seen_at < ?1',
  )
  const remove = database.statement('DELETE FROM sessions WHERE id_hash = ?')
  const removeOfSubject = database.statement('DELETE FROM sessions WHERE kind = ? AND subject = ? AND id_hash IS NOT ?')
  const suspend = database.statement(`
    INSERT INTO suspensions (kind, subject, reason) VALUES (?, ?, ?)
    ON CONFLICT (kind, subject) DO UPDATE SET reason = excluded.reason`)
  const lift = database.statement('DELETE FROM suspensions WHERE kind = ? AND subject = ?')
  const removeOld = database.statement('DELETE FROM sessions WHERE created_at < ? OR last_seen_at < ?')

  return {
    async create({ idHash, kind, subject, createdAt, lastSeenAt, mac }, { browser, address }) {
      insert.run(idHash, kind, subject, createdAt, lastSeenAt, browser, address, mac)
    },

    async find(idHash) {
      const row = select.get(idHash)
      return row && toSession(row)
    },

    async list(kind, subject) {
      return selectOfSubject.all(kind, subject).map(toListedSession)
    },

    async findMany(idHashes) {
      return selectMany.all(JSON.stringify(idHashes)).map(toSession)
    },

    async touch(idHash, at, mac) {
      // The next write that waits for the disk flushes this one too.
      database.transaction(() => use.run(at, idHash, mac), 'normal')
    },

    async end(idHash) {
      remove.run(idHash)
    },

    async endAll(kind, subject, spared) {
      removeOfSubject.run(kind, subject, spared ?? null)
      // An erased person's addresses are not to stay in the write-ahead log.
      database.checkpointIfFree()
    },

    async suspend(kind, subject, suspension) {
      if (suspension) suspend.run(kind, subject, suspension.reason)
      else lift.run(kind, subject)
    },

    async purge(createdBefore, lastSeenBefore) {
      removeOld.run(createdBefore, lastSeenBefore)
    },

    ready: async () => database.ready(),
    close: async () => database.close(),
  }
}

function toSession({ idHash, kind, subject, createdAt, lastSeenAt, mac, reason }: Row): Session {
  if (
    typeof idHash !== 'string' ||
    !isKind(kind) ||
    typeof subject !== 'string' ||
    typeof createdAt !== 'number' ||
    typeof lastSeenAt !== 'number' ||
    typeof mac !== 'string'
  )
    throw new TypeError('The session store holds a row that is no session')
  const suspension = typeof reason === 'string' ? { reason } : null
  return { idHash, kind, subject, createdAt, lastSeenAt, suspension, mac }
}

function toListedSession(row: Row): ListedSession {
  return { ...toSession(row), client: { browser: String(row['browser']), address: String(row['address']) } }
}

function isKind(value: unknown): value is SessionKind {
  return value === 'trader' || value === 'admin'
}
