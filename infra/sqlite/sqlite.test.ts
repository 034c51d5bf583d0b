import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { openSqlite, type Sqlite, type SqliteOptions } from './sqlite.ts'

describe('SQLite through libsql', () => {
  let folder: string
  const opened: Sqlite[] = []

  const open = (name = 'ledger.db', options: Partial<SqliteOptions> = {}): Sqlite => {
    const database = openSqlite(join(folder, name), { part: 'ledger', durability: 'full', busyTimeout: 20, ...options })
    opened.push(database)
    return database
  }
  const withNotes = (name?: string): Sqlite => {
    const database = open(name)
    database.exec('CREATE TABLE IF NOT EXISTS notes (n INTEGER PRIMARY KEY, text TEXT UNIQUE, bytes BLOB) STRICT')
    return database
  }
  const write = (database: Sqlite, text: string): number =>
    database.statement('INSERT INTO notes (text) VALUES (?)').run(text)
  const texts = (database: Sqlite): unknown[] =>
    database
      .statement('SELECT text FROM notes ORDER BY n')
      .all()
      .map((row) => row['text'])
  const codeOf = (work: () => unknown): unknown => {
    try {
      work()
    } catch (error) {
      if (!(error instanceof Unavailable)) return error
      expect(error.part).toBe('ledger')
      return error.cause instanceof Error && 'code' in error.cause ? error.cause.code : error.cause
    }
    return 'nothing was thrown'
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'proofdesk-sqlite-'))
  })
  afterEach(() => {
    for (const database of opened.splice(0)) database.close()
    rmSync(folder, { recursive: true })
  })

  describe('a file with a schema', () => {
    const schema =
      'CREATE TABLE IF NOT EXISTS notes (n INTEGER PRIMARY KEY, text TEXT) STRICT; CREATE INDEX IF NOT EXISTS by_text ON notes (text);'
    /** What someone puts into the file, or takes out of it, and what is said of it. */
    const attacks = [
      [
        'a trigger that swallows',
        'CREATE TRIGGER t BEFORE INSERT ON notes BEGIN SELECT RAISE(IGNORE); END',
        "trigger 't'",
      ],
      ['a trigger that removes', 'CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM notes; END', "trigger 't'"],
      [
        'a trigger that changes',
        "CREATE TRIGGER t AFTER UPDATE ON notes BEGIN UPDATE notes SET text = 'x'; END",
        "trigger 't'",
      ],
      ['a view', 'CREATE VIEW v AS SELECT * FROM notes', "view 'v'"],
      [
        'a view with triggers in place of a table',
        'ALTER TABLE notes RENAME TO other; CREATE VIEW notes AS SELECT * FROM other; CREATE TRIGGER t INSTEAD OF INSERT ON notes BEGIN SELECT 1; END',
        "view 'notes'",
      ],
      ['another table', 'CREATE TABLE other (n INTEGER)', "table 'other'"],
      ['an index that refuses', 'CREATE UNIQUE INDEX i ON notes (1)', "index 'i'"],
      ['our table with another column', 'ALTER TABLE notes ADD COLUMN extra TEXT', "table 'notes' than ours"],
    ] as const
    const tamper = (sql: string) => {
      const other = open()
      other.exec(sql)
      other.close()
    }
    const refusal = (name: string) =>
      expect.objectContaining({ name: 'ForeignSchema', message: expect.stringContaining(name) })

    it.each(attacks)('is not written while it has %s, and not opened', (_, sql, name) => {
      const database = open('ledger.db', { schema })
      expect(write(database, 'a')).toBe(1)
      database.ready()
      tamper(sql)
      expect(codeOf(() => write(database, 'b'))).toEqual(refusal(name))
      expect(codeOf(() => database.transaction(() => write(database, 'b')))).toEqual(refusal(name))
      expect(codeOf(() => database.ready())).toEqual(refusal(name))
      expect(codeOf(() => open('ledger.db', { schema }))).toEqual(refusal(name))
    })

    it('is written again when that is gone, and its missing index is made at the next start', () => {
      const database = open('ledger.db', { schema })
      tamper('CREATE VIEW v AS SELECT 1')
      expect(codeOf(() => write(database, 'a'))).toEqual(refusal("view 'v'"))
      tamper('DROP VIEW v')
      expect(write(database, 'a')).toBe(1)
      tamper('DROP INDEX by_text')
      expect(codeOf(() => write(database, 'b'))).toEqual(refusal("lacks the index 'by_text'"))
      expect(write(open('ledger.db', { schema }), 'b')).toBe(1)
      expect(write(database, 'c')).toBe(1)
      expect(texts(database)).toEqual(['a', 'b', 'c'])
    })
  })

  describe('statements', () => {
    it('returns every kind of value, also a single blob or null', () => {
      const database = open()
      const bytes = new Uint8Array([1, 2, 255])
      for (const [given, taken] of [
        [null, null],
        [bytes, bytes.buffer],
        // Part of a larger buffer, as Buffer creates them.
        [Buffer.from([0, 1, 2, 255, 0]).subarray(1, 4), bytes.buffer],
        [new Uint8Array(0), new ArrayBuffer(0)],
        ['zażółć 🦔 \n\t', 'zażółć 🦔 \n\t'],
        ['', ''],
        [1_700_000_000_123, 1_700_000_000_123],
        [0.5, 0.5],
        [-5n, -5],
      ] as const) {
        expect(database.statement('SELECT ? AS value').get(given)).toEqual({ value: taken })
        expect(database.statement('SELECT ? AS value').all(given)).toEqual([{ value: taken }])
      }
    })

    it('returns undefined or an empty list without rows', () => {
      const database = withNotes()
      expect(database.statement('SELECT n FROM notes WHERE n = ?').get(1)).toBeUndefined()
      expect(database.statement('SELECT n FROM notes WHERE n = ?').all(1)).toEqual([])
    })

    it('counts the rows that changed', () => {
      const database = withNotes()
      expect(write(database, 'a')).toBe(1)
      expect(write(database, 'b')).toBe(1)
      expect(database.statement('UPDATE notes SET bytes = ?').run(new Uint8Array(3))).toBe(2)
      expect(database.statement('DELETE FROM notes WHERE text = ?').run('c')).toBe(0)
    })

    it('is prepared once', () => {
      const database = open()
      expect(database.statement('SELECT 1 AS one')).toBe(database.statement('SELECT 1 AS one'))
    })

    it('uses the values of this call, not of an earlier one', () => {
      const call = fc.tuple(fc.constantFrom('run', 'get', 'all', 'fails'), fc.nat(3))
      fc.assert(
        fc.property(fc.array(call, { maxLength: 30 }), (calls) => {
          const database = open(`mixed-${opened.length}.db`, { durability: 'normal' })
          database.exec('CREATE TABLE counters (n INTEGER PRIMARY KEY, at INTEGER NOT NULL CHECK (at >= 0)) STRICT')
          database.exec('INSERT INTO counters VALUES (0, 0), (1, 0), (2, 0), (3, 0)')
          const write = database.statement('UPDATE counters SET at = ? WHERE n = ? RETURNING n, at')
          const read = database.statement('SELECT at FROM counters WHERE n = ?')
          const expected = [0, 0, 0, 0]
          for (const [step, [call, n]] of calls.entries()) {
            if (call === 'fails') {
              expect(() => write.all(-1, n)).toThrow('CHECK')
              expect(() => write.run(-1, n)).toThrow('CHECK')
              expect(() => write.get(-1, n)).toThrow('CHECK')
              continue
            }
            expected[n] = step
            if (call === 'run') write.run(step, n)
            if (call === 'get') expect(write.get(step, n)).toEqual({ n, at: step })
            if (call === 'all') expect(write.all(step, n)).toEqual([{ n, at: step }])
            const other = (n + 1) % 4
            expect(call === 'all' ? read.get(other) : read.all(other)[0]).toEqual({ at: expected[other] })
          }
          expect(
            database
              .statement('SELECT at FROM counters ORDER BY n')
              .all()
              .map((row) => row['at']),
          ).toEqual(expected)
          database.close()
        }),
        { numRuns: 25 },
      )
    })

    it('reads columns that another connection has added', () => {
      const database = withNotes()
      write(database, 'a')
      const read = database.statement('SELECT * FROM notes')
      const before = { ...read.get() }
      open().exec('ALTER TABLE notes ADD COLUMN later INTEGER')
      expect(read.get()).toEqual({ ...before, later: null })
      expect(read.all()).toEqual([{ ...before, later: null }])
    })

    it('see what another connection has changed, also where triggers write to a full-text index', () => {
      const database = withNotes()
      database.exec(`
        CREATE VIRTUAL TABLE words USING fts5(text, content = '');
        CREATE TABLE added (n INTEGER PRIMARY KEY) STRICT;
        CREATE TRIGGER counted AFTER INSERT ON notes BEGIN INSERT INTO added VALUES (new.n); END;
        CREATE TRIGGER indexed AFTER INSERT ON notes BEGIN INSERT INTO words (rowid, text) VALUES (new.n, new.text); END`)
      const other = open()
      other.statement('SELECT n FROM notes').all()
      database.exec('CREATE INDEX bytes ON notes (bytes)')
      expect(write(other, 'seen')).toBe(1)
      expect(database.statement('SELECT rowid FROM words WHERE words MATCH ?').all('seen')).toEqual([{ rowid: 1 }])
    })

    it('refuses too few and too many values', () => {
      const statement = open().statement("SELECT ? AS a, ? AS b, '?' AS c -- ?")
      expect(() => statement.get(1)).toThrow(TypeError)
      expect(() => statement.all(1, 2, 3)).toThrow(TypeError)
      expect(statement.all(1, 2)).toEqual([{ a: 1, b: 2, c: '?' }])
      expect(open().statement('SELECT ?1 AS a, ?2 AS b, ?1 AS c').all(1, 2)).toEqual([{ a: 1, b: 2, c: 1 }])
    })

    it('refuses a text that would be truncated', () => {
      expect(() => write(withNotes(), 'before\0after')).toThrow(TypeError)
    })
  })

  describe('transactions', () => {
    it('are as durable as the file again after one that is less', () => {
      const [database, other] = [withNotes(), open()]
      const durability = () => database.statement('PRAGMA synchronous').get()?.['synchronous']
      const [normal, full] = [1, 2]
      expect(database.transaction(durability, 'normal')).toBe(normal)
      expect(durability()).toBe(full)
      other.transaction(() => expect(() => database.transaction(durability, 'normal')).toThrow(Unavailable))
      expect(database.transaction(durability)).toBe(full)
    })

    it('are atomic', () => {
      const database = withNotes()
      expect(() =>
        database.transaction(() => {
          write(database, 'a')
          throw new Error('changed my mind')
        }),
      ).toThrow('changed my mind')
      expect(texts(database)).toEqual([])
      expect(database.transaction(() => write(database, 'b'))).toBe(1)
      expect(texts(database)).toEqual(['b'])
    })

    it('join the outer transaction', () => {
      const database = withNotes()
      expect(() =>
        database.transaction(() => {
          database.transaction(() => write(database, 'a'))
          throw new Error('changed my mind')
        }),
      ).toThrow('changed my mind')
      expect(texts(database)).toEqual([])
    })

    it('are invisible to others until they commit', () => {
      const database = withNotes()
      const other = open()
      database.transaction(() => {
        write(database, 'a')
        expect(texts(other)).toEqual([])
      })
      expect(texts(other)).toEqual(['a'])
    })
  })

  describe('failures', () => {
    it('passes mistakes in SQL on unchanged', () => {
      const database = withNotes()
      write(database, 'a')
      expect(() => database.statement('SELEC 1')).toThrow('syntax error')
      expect(() => database.exec('SELEC 1')).toThrow('syntax error')
      expect(codeOf(() => write(database, 'a'))).toMatchObject({ code: 'SQLITE_CONSTRAINT_UNIQUE' })
      expect(codeOf(() => database.transaction(() => write(database, 'a')))).toMatchObject({
        code: 'SQLITE_CONSTRAINT_UNIQUE',
      })
    })

    it('is unavailable while another process holds the lock', () => {
      const database = withNotes()
      const other = open()
      other.transaction(() => {
        expect(codeOf(() => write(database, 'a'))).toBe('SQLITE_BUSY')
        expect(codeOf(() => database.transaction(() => write(database, 'a')))).toBe('SQLITE_BUSY')
        expect(codeOf(() => database.ready())).toBe('SQLITE_BUSY')
        expect(texts(database)).toEqual([])
      })
      database.ready()
      write(database, 'b')
      expect(texts(database)).toEqual(['b'])
    })

    it('is unavailable without space, keeps its data, and recovers', () => {
      const database = withNotes()
      write(database, 'a')
      const { page_count: pages } = database.statement('PRAGMA page_count').get() ?? {}
      database.statement(`PRAGMA max_page_count = ${Number(pages)}`).get()
      expect(codeOf(() => write(database, 'x'.repeat(50_000)))).toBe('SQLITE_FULL')
      expect(
        codeOf(() =>
          database.transaction(() => {
            write(database, 'b')
            write(database, 'x'.repeat(50_000))
          }),
        ),
      ).toBe('SQLITE_FULL')
      expect(texts(database)).toEqual(['a'])
      database.statement('PRAGMA max_page_count = 1000000').get()
      write(database, 'c')
      expect(texts(database)).toEqual(['a', 'c'])
    })

    it('is unavailable and not ready on a full disk', () => {
      const child = fileURLToPath(new URL('full-disk.child.ts', import.meta.url))
      const limited = 'ulimit -f 400; exec "$0" --import tsx "$1" "$2"'
      const said = execFileSync('bash', ['-c', limited, process.execPath, child, join(folder, 'full.db')])
      expect(JSON.parse(said.toString())).toEqual({
        alone: 'Unavailable: SQLITE_IOERR_WRITE',
        together: 'Unavailable: SQLITE_IOERR_WRITE',
        ready: 'Unavailable: SQLITE_IOERR_WRITE',
        lost: 0,
      })
    })

    it('opens a new file that other processes open at the same moment', async () => {
      const child = fileURLToPath(new URL('opening-together.child.ts', import.meta.url))
      const children = Array.from({ length: 3 }, () =>
        spawn(process.execPath, ['--import', 'tsx', child, folder, '50'], { stdio: ['pipe', 'pipe', 'inherit'] }),
      )
      await Promise.all(children.map(({ stdout }) => once(stdout, 'data')))
      const opened = children.map(({ stdout }) => text(stdout))
      const start = Date.now() + 50
      for (const { stdin } of children) stdin.write(String(start))
      expect((await Promise.all(opened)).map(Number)).toEqual([50, 50, 50])
    })

    it('is unavailable when the file is damaged', () => {
      const database = withNotes()
      database.transaction(() => {
        for (let n = 0; n < 200; n++) write(database, `${n} ${'x'.repeat(500)}`)
      })
      database.close()
      const file = openSync(database.path, 'r+')
      writeSync(file, Buffer.alloc(32_768, 0xff), 0, 32_768, 8192)
      closeSync(file)
      const torn = open()
      expect(codeOf(() => texts(torn))).toBe('SQLITE_CORRUPT')
      expect(codeOf(() => torn.statement('SELECT sum(length(text)) AS size FROM notes').get())).toBe('SQLITE_CORRUPT')
      const shout = torn.statement('UPDATE notes SET text = text || ?')
      expect(codeOf(() => torn.transaction(() => shout.run('!')))).toBe('SQLITE_CORRUPT')
    })

    it('is unavailable when the file is no database, or cannot be opened', () => {
      writeFileSync(join(folder, 'letter.db'), 'Dear reader, '.repeat(1000))
      expect(codeOf(() => open('letter.db'))).toBe('SQLITE_NOTADB')
      mkdirSync(join(folder, 'folder.db'))
      expect(() => open('folder.db')).toThrow(Unavailable)
      expect(codeOf(() => open('letter.db/below.db'))).toMatch(/^E(NOTDIR|EXIST)$/)
    })

    it('is not ready when the file was removed or replaced', () => {
      const database = withNotes()
      database.ready()
      renameSync(database.path, `${database.path}.old`)
      expect(() => database.ready()).toThrow(Unavailable)
      writeFileSync(database.path, '')
      expect(() => database.ready()).toThrow(Unavailable)
      rmSync(database.path)
      renameSync(`${database.path}.old`, database.path)
      database.ready()
    })

    it('is unavailable once it is closed', () => {
      const database = withNotes()
      const insert = database.statement('INSERT INTO notes (text) VALUES (?)')
      database.close()
      database.close()
      for (const use of [
        () => insert.run('a'),
        () => database.statement('SELECT 1'),
        () => database.exec('SELECT 1'),
        () => database.transaction(() => 1),
        () => database.ready(),
      ])
        expect(use).toThrow(Unavailable)
      expect(texts(open())).toEqual([])
    })
  })

  describe('files', () => {
    it('are readable by their owner only', () => {
      const database = withNotes()
      for (const name of readdirSync(folder))
        expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600])
      const deeper = open('a/b/ledger.db')
      expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700)
      expect(existsSync(deeper.path)).toBe(true)
      expect(database.path).toBe(join(folder, 'ledger.db'))
    })

    it('hold everything in one file after closing', () => {
      const database = withNotes()
      write(database, 'a')
      database.close()
      execFileSync('cp', [database.path, join(folder, 'copy.db')])
      expect(texts(open('copy.db'))).toEqual(['a'])
    })

    it('cannot be checkpointed while a reader is active', () => {
      const database = withNotes()
      const reader = open()
      reader.exec('BEGIN')
      expect(texts(reader)).toEqual([])
      write(database, 'a')
      expect(() => database.checkpoint()).toThrow(Unavailable)
      expect(database.checkpointIfFree()).toBe(false)
      reader.exec('COMMIT')
      expect(database.checkpointIfFree()).toBe(true)
      expect(statSync(`${database.path}-wal`).size).toBe(0)
    })

    it('move a log that is too large once nobody reads it, and none before', () => {
      const withLimit = (logLimit: number) => {
        const database = open(`limit-${logLimit}.db`, { logLimit, durability: 'normal' })
        database.exec('CREATE TABLE notes (n INTEGER PRIMARY KEY, bytes BLOB) STRICT')
        database.checkpoint()
        return database
      }
      const write = (database: Sqlite, count: number) => {
        const insert = database.statement('INSERT INTO notes (bytes) VALUES (?)')
        for (let written = 0; written < count; written++) insert.run(new Uint8Array(30_000))
      }
      const sizes = ({ path }: Sqlite) => ({ log: statSync(`${path}-wal`).size, file: statSync(path).size })

      const database = withLimit(1_000_000)
      const reader = open('limit-1000000.db')
      reader.exec('BEGIN')
      reader.statement('SELECT count(*) FROM notes').get()
      write(database, 128)
      expect(sizes(database).log).toBeGreaterThan(3_000_000)
      reader.exec('COMMIT')
      write(database, 64)
      expect(sizes(database).log).toBe(0)
      expect(sizes(database).file).toBeGreaterThan(5_000_000)

      const large = withLimit(100_000_000)
      write(large, 256)
      // SQLite would have moved it at 4 MB.
      expect(sizes(large).log).toBeGreaterThan(7_000_000)
      expect(sizes(large).file).toBeLessThan(100_000)
    })

    it('hold no trace of deleted data with secure delete', () => {
      const secret = 'attack at dawn'
      const traces = (options: Partial<SqliteOptions>): boolean => {
        const database = open(`traces-${options.secureDelete}.db`, options)
        database.exec('CREATE TABLE secrets (n INTEGER PRIMARY KEY, text TEXT) STRICT')
        database.statement('INSERT INTO secrets (text) VALUES (?)').run(secret)
        database.checkpoint()
        database.exec('DELETE FROM secrets')
        database.checkpoint()
        return execFileSync('cat', [database.path]).includes(secret)
      }
      expect(traces({ secureDelete: true })).toBe(false)
      // The search works.
      expect(traces({ secureDelete: false })).toBe(true)
    })
  })
})
