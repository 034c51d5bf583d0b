import { join } from 'node:path'
import { openSqlite } from '#infra/sqlite/sqlite.ts'

/** The newest checkpoint that a witness cosigned for a log. */
export interface CosignedHead {
  readonly size: number
  /** Base64. */
  readonly root: string
  /** With the signatures of the log and of the witness. */
  readonly note: string
}

/** A witness remembers one head for each log, by origin. */
export type WitnessState = ReturnType<typeof openWitnessState>

/** Opens the state in a witness's folder, in one SQLite file. Several processes may share it. @throws {Unavailable} */
export function openWitnessState(folder: string) {
  const database = openSqlite(join(folder, 'witness.sqlite'), { part: 'state of the witness', durability: 'full' })
  database.exec(
    'CREATE TABLE IF NOT EXISTS heads (origin TEXT PRIMARY KEY, size INTEGER NOT NULL, root TEXT NOT NULL, note TEXT NOT NULL) STRICT',
  )
  const select = database.statement('SELECT size, root, note FROM heads WHERE origin = ?')
  const upsert = database.statement(
    'INSERT INTO heads (origin, size, root, note) VALUES (?, ?, ?, ?) ON CONFLICT (origin) DO UPDATE SET size = excluded.size, root = excluded.root, note = excluded.note',
  )
  const head = (origin: string): CosignedHead | undefined => {
    const row = select.get(origin)
    return row && { size: Number(row['size']), root: String(row['root']), note: String(row['note']) }
  }
  return {
    head,
    /**
     * Replaces the head, if it still is `before`. It is on disk when this returns, also after a power cut.
     *
     * @returns Whether it was `before`.
     */
    advance: (origin: string, before: CosignedHead | undefined, next: CosignedHead): boolean =>
      database.transaction(() => {
        const now = head(origin)
        if (now?.size !== before?.size || now?.root !== before?.root) return false
        upsert.run(origin, next.size, next.root, next.note)
        return true
      }),
    close: () => database.close(),
  }
}
