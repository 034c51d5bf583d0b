import { realpathSync, rmSync } from 'node:fs'
import { toCheckpoint, toPosition } from '../event-store/event-store.ts'
import { openSqlite, type Row } from '../sqlite/sqlite.ts'
import { openCatalogue } from './sqlite-catalogue.ts'
import { openDocuments } from './sqlite-documents.ts'
import { openEmptying } from './sqlite-emptying.ts'
import { openFinder } from './sqlite-find.ts'
import { openLeases } from './sqlite-leases.ts'
import { openTogether } from './sqlite-together.ts'
import { openWakes } from './sqlite-wakes.ts'
import type { PoisonEvent, Progress, ViewStore } from './read-model-store.ts'

/**
 * Views in one SQLite file, documents and progress together: they never disagree, whatever is lost. So it need not wait
 * for the disk, for what a loss of power takes is folded again from the log.
 *
 * The subjects have a file each: which collections there are (sqlite-catalogue.ts), how one lies in tables
 * (sqlite-collection.ts), reading and writing documents (sqlite-documents.ts, sqlite-changes.ts), finding them
 * (sqlite-find.ts, sqlite-ways.ts), texts to search in (sqlite-search.ts), leases (sqlite-leases.ts), what shares
 * a transaction (sqlite-together.ts), waiting for progress (sqlite-wakes.ts), what was deleted leaving the disk
 * (sqlite-emptying.ts).
 */
export function openSqliteViewStore(path: string): ViewStore {
  const database = openSqlite(path, { part: 'view store', durability: 'normal', secureDelete: true })
  // An index is written to all over: with 2 MB of cache, as SQLite has it by default, nearly every write begins with a read.
  database.exec('PRAGMA cache_size = -32768')
  // The same page of an index is written by many transactions: the longer the log, the fewer times it is copied into the file.
  database.exec('PRAGMA wal_autocheckpoint = 16000')
  database.transaction(() =>
    database.exec(`
    CREATE TABLE IF NOT EXISTS progress (
      reader     TEXT PRIMARY KEY,
      checkpoint TEXT NOT NULL,
      position   TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS poison (
      reader   TEXT NOT NULL,
      stream   TEXT NOT NULL,
      revision INTEGER NOT NULL,
      position TEXT NOT NULL,
      type     TEXT NOT NULL,
      error    TEXT NOT NULL,
      PRIMARY KEY (reader, stream, revision)
    ) STRICT`),
  )

  const selectProgress = database.statement('SELECT checkpoint, position FROM progress WHERE reader = ?')
  const upsertProgress = database.statement(`
    INSERT INTO progress (reader, checkpoint, position) VALUES (?, ?, ?)
    ON CONFLICT (reader) DO UPDATE SET checkpoint = excluded.checkpoint, position = excluded.position
    WHERE (length(excluded.position), excluded.position) >= (length(position), position)`)
  const selectReaders = database.statement('SELECT reader, checkpoint, position FROM progress ORDER BY reader')
  const removeReader = database.statement('DELETE FROM progress WHERE reader = ?')
  const selectSetting = database.statement('SELECT value FROM settings WHERE name = ?')
  const selectSettings = database.statement('SELECT name, value FROM settings')
  const upsertSetting = database.statement('INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value')
  const removeSetting = database.statement('DELETE FROM settings WHERE name = ?')
  const upsertPoison = database.statement(`
    INSERT INTO poison (reader, stream, revision, position, type, error) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (reader, stream, revision) DO UPDATE SET position = excluded.position, type = excluded.type, error = excluded.error`)
  const selectPoison = database.statement(`
    SELECT reader, stream, revision, position, type, error FROM poison WHERE reader = ?1 OR ?1 IS NULL
    ORDER BY length(position), position, reader`)
  const removePoison = database.statement('DELETE FROM poison WHERE reader = ?1 AND (?2 IS NULL OR (stream = ?2 AND revision = ?3))')

  const leases = openLeases(database)
  const catalogue = openCatalogue(database)
  const documents = openDocuments(database, catalogue)
  const together = openTogether(database)
  const finder = openFinder(database, catalogue)
  const emptying = openEmptying(database)
  const wakes = openWakes(database, realpathSync(path), () => JSON.stringify(selectReaders.all()))
  const save = (reader: string, { checkpoint, position }: Progress): void => void upsertProgress.run(reader, checkpoint, position)

  return {
    open: async (definition, options) => catalogue.open(definition, options?.loading ?? false),
    async drop(collection) {
      await catalogue.drop(collection)
      emptying.soon()
    },
    read: async (collection, ids) => documents.read(collection, ids),
    find: async (collection, query) => finder.find(collection, query),
    count: async (collection, query, atMost) => finder.count(collection, query, atMost),

    async write(collection, writes, progress) {
      const alongside = (): void => progress && save(progress.reader, progress)
      const { refused, remember } = await together.run((again) => documents.write(collection, writes, alongside, !again))
      remember()
      if (writes.some(({ document }) => document === null)) emptying.soon()
      if (progress && refused.length === 0) wakes.saved()
      return refused
    },

    async progress(reader) {
      const row = selectProgress.get(reader)
      return row && toProgress(row)
    },
    async saveProgress(reader, progress) {
      await together.run(() => save(reader, progress))
      wakes.saved()
    },
    async readers() {
      return new Map(selectReaders.all().map((row) => [String(row['reader']), toProgress(row)]))
    },
    async forgetReader(reader) {
      removeReader.run(reader)
    },
    progressed: async (ms) => wakes.wait(ms),

    async setting(name) {
      const row = selectSetting.get(name)
      return row && String(row['value'])
    },
    async settings() {
      return new Map(selectSettings.all().map((row) => [String(row['name']), String(row['value'])]))
    },
    async saveSetting(name, value) {
      if (value === null) removeSetting.run(name)
      else upsertSetting.run(name, value)
    },

    async setAside({ reader, stream, revision, position, type, error }) {
      upsertPoison.run(reader, stream, revision, position, type, error)
    },
    async poison(reader) {
      return selectPoison.all(reader ?? null).map(toPoison)
    },
    async forgetPoison(reader, event) {
      removePoison.run(reader, event?.stream ?? null, event?.revision ?? null)
    },

    lease: async (name, holder, ms) => leases.take(name, holder, ms),
    release: async (name, holder) => leases.release(name, holder),

    async ready() {
      database.ready()
    },
    async close() {
      together.flush()
      emptying.close()
      wakes.close()
      database.close()
    },
  }
}

/** Deletes the file of a view store that nobody has open. */
export function removeSqliteViewStore(path: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
}

function toProgress(row: Row): Progress {
  return { checkpoint: toCheckpoint(String(row['checkpoint'])), position: toPosition(String(row['position'])) }
}

function toPoison(row: Row): PoisonEvent {
  return {
    reader: String(row['reader']),
    stream: String(row['stream']),
    revision: Number(row['revision']),
    position: toPosition(String(row['position'])),
    type: String(row['type']),
    error: String(row['error']),
  }
}
