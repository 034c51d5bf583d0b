import { execFileSync, spawn } from 'node:child_process'
import {
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toCheckpoint, toPosition } from '#infra/event-store/event-store.ts'
import { Unavailable } from '#infra/failures.ts'
import { openSqlite, type Sqlite } from '#infra/sqlite/sqlite.ts'
import { newFolder } from '#test-support/store-suite.ts'
import { readModelStoreConformance } from './read-model-store.conformance.ts'
import type { Document, DocumentWrite, ReadModelStore } from './read-model-store.ts'
import { openSqliteReadModelStore, removeSqliteReadModelStore } from './sqlite-read-model-store.ts'

readModelStoreConformance('the read-model store in SQLite', () =>
  newFolder((folder) => openSqliteReadModelStore(join(folder, 'views.db'))),
)

let folder: string
let path: string
const stores: ReadModelStore[] = []
const opened = (): ReadModelStore => {
  const store = openSqliteReadModelStore(path)
  stores.push(store)
  return store
}
const openedFile = (): Sqlite => openSqlite(path, { part: 'view store', durability: 'normal' })
const tablesLike = (pattern: string): string[] => {
  const database = openedFile()
  const names = database.statement('SELECT name FROM sqlite_schema WHERE name LIKE ? ORDER BY name').all(pattern)
  database.close()
  return names.map(({ name }) => String(name))
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proofdesk-read-models-'))
  path = join(folder, 'views.db')
})
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
  rmSync(folder, { recursive: true })
})

const made = (id: string, document: Document | null, position: number): DocumentWrite => ({
  id,
  document,
  position: toPosition(String(position)),
  expected: null,
})
const users = {
  name: 'users',
  filters: ['status'],
  sorts: ['fullName', 'account.balance'],
  search: ['fullName', 'email'],
} as const
const user = (n: number): Document => ({
  fullName: `${['Anna', 'Berta', 'Cäsar', 'Dora'][n % 4]} ${n % 100 === 0 ? 'Smith' : `Jones${n % 37}`}`,
  email: `person${n}@example.com`,
  status: ['active', 'pending', 'breached'][n % 3] ?? null,
  account: { balance: n % 11 === 0 ? null : (n * 7919) % 1_000 },
})

describe('the read-model store in SQLite, on the disk', () => {
  const bytesOnDisk = (): string =>
    execFileSync(
      'cat',
      readdirSync(folder).map((name) => join(folder, name)),
      { maxBuffer: 1 << 28, encoding: 'latin1' },
    )

  it('leaves nothing readable of a deleted document', async () => {
    const store = opened()
    await store.documents.create(users)
    await store.documents.write('users', [
      made('gone', { fullName: 'Zyxwvuts Qponmlk', email: 'zyxwvuts@example.com' }, 1),
      made('here', { fullName: 'Abcdefgh' }, 2),
    ])
    expect(bytesOnDisk()).toContain('Zyxwvuts')
    await store.documents.write('users', [
      { id: 'gone', document: null, position: toPosition('3'), expected: toPosition('1') },
    ])
    await store.close()
    expect(bytesOnDisk()).toContain('Abcdefgh')
    // Nor its search grams, from which a name could be reconstructed.
    expect(bytesOnDisk()).not.toMatch(/zyx|xwv|vut|qpo|onm/i)
  })

  it('erases deleted data soon while the store is open', { timeout: 60_000 }, async () => {
    const store = opened()
    await store.documents.create(users)
    await store.documents.write('users', [
      made('gone', { fullName: 'Zyxwvuts Qponmlk' }, 1),
      made('here', { fullName: 'Abcdefgh' }, 2),
    ])
    // Checkpoint the WAL into the file itself.
    const another = openedFile()
    another.checkpoint()
    await store.documents.write('users', [
      { id: 'gone', document: null, position: toPosition('3'), expected: toPosition('1') },
    ])
    expect(bytesOnDisk()).toContain('Zyxwvuts')
    await vi.waitFor(() => expect(bytesOnDisk()).not.toMatch(/zyx|xwv|vut|qpo|onm/i), { timeout: 60_000, interval: 50 })
    expect(bytesOnDisk()).toContain('Abcdefgh')
    another.close()
  })

  it('has one segment of a full-text index once the indexes are created', async () => {
    const store = opened()
    /** FTS5 numbers the pages of a segment from its number times 2^37 on. */
    const segments = (): number => {
      const database = openedFile()
      const row = database
        .statement('SELECT count(DISTINCT id >> 37) AS count FROM "texts:users_data" WHERE id >> 37 > 0')
        .get()
      database.close()
      return Number(row?.['count'])
    }
    await store.documents.create(users)
    for (let n = 1; n <= 6; n++)
      await store.documents.write('users', [made(`u${n}`, { fullName: `Ann ${n}`, email: `ann${n}@example.com` }, n)])
    expect(segments()).toBeGreaterThan(1)
    await store.documents.createIndexes(users)
    await store.close()
    expect(segments()).toBe(1)
  })

  it('leaves nothing of a dropped collection', async () => {
    const store = opened()
    await store.documents.create(users)
    await store.documents.write(
      'users',
      Array.from({ length: 1_500 }, (_, n) => made(String(n), { fullName: `Zyxwvuts ${n}` }, n + 1)),
    )
    await store.documents.drop('users')
    await store.close()
    expect(bytesOnDisk()).not.toMatch(/zyx/i)
    expect(tablesLike('%:%')).toEqual([])
  })

  it('continues to remove dropped collections after a kill', async () => {
    const store = opened()
    await store.documents.create(users)
    await store.documents.write('users', [made('1', { fullName: 'Ann' }, 1)])
    await store.close()
    const database = openedFile()
    for (const trigger of ['text inserted', 'text changed']) database.exec(`DROP TRIGGER "${trigger}:users"`)
    for (const [n, table] of ['documents', 'texts'].entries())
      database.exec(`ALTER TABLE "${table}:users" RENAME TO "dropped:${n}"`)
    database.close()
    const again = opened()
    await again.documents.drop('nothing')
    await again.close()
    expect(tablesLike('dropped:%')).toEqual([])
  })

  it.each([
    ['that swallows what is written', 'CREATE TRIGGER t BEFORE INSERT ON leases BEGIN SELECT RAISE(IGNORE); END'],
    [
      'in the place of ours',
      'DROP TRIGGER "text changed:users"; CREATE TRIGGER "text changed:users" AFTER UPDATE ON "documents:users" BEGIN DELETE FROM leases; END',
    ],
    ['on a checkpoint', 'CREATE TRIGGER t AFTER UPDATE ON checkpoints BEGIN DELETE FROM checkpoints; END'],
  ])('is not written and not opened with a trigger %s', async (_, trigger) => {
    const store = opened()
    await store.documents.create(users)
    await store.ready()
    const database = openedFile()
    database.exec(trigger)
    database.close()
    await expect(store.ready()).rejects.toThrow(Unavailable)
    await expect(store.leases.acquire('a', 'b', 60_000)).rejects.toThrow(Unavailable)
    expect(() => opened()).toThrow(Unavailable)
  })

  it('is gone with all its files when it is removed', async () => {
    const store = opened()
    await store.leases.acquire('a', 'b', 60_000)
    await store.close()
    writeFileSync(`${path}-wal`, '')
    removeSqliteReadModelStore(path)
    removeSqliteReadModelStore(path)
    expect(readdirSync(folder)).toEqual([])
    expect(await opened().leases.acquire('a', 'c', 60_000)).toBe(true)
  })

  describe('damaged', () => {
    beforeEach(async () => {
      const store = opened()
      await store.documents.create(users)
      await store.documents.createIndexes(users)
      await store.documents.write(
        'users',
        Array.from({ length: 3_000 }, (_, n) => made(String(n), user(n), n + 1)),
      )
      await store.close()
    })
    const readAll = async (): Promise<unknown> => {
      const store = opened()
      await store.documents.create(users)
      await store.documents.read(
        'users',
        Array.from({ length: 3_000 }, (_, n) => String(n)),
      )
      return store.documents.find('users', { limit: 3_000, sort: { by: 'fullName', direction: 1 } })
    }

    it('is unavailable when the file is not SQLite', () => {
      writeFileSync(path, 'garbage'.repeat(10_000))
      expect(opened).toThrow(Unavailable)
    })

    it('is unavailable when the file was cut', async () => {
      await readAll()
      for (const store of stores.splice(0)) await store.close()
      truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096)
      await expect(readAll()).rejects.toThrow(Unavailable)
    })

    it('is unavailable when pages were overwritten', async () => {
      const file = openSync(path, 'r+')
      const size = statSync(path).size
      for (let at = 40 * 4096; at < size; at += 3 * 4096) writeSync(file, Buffer.alloc(4096, 0xa7), 0, 4096, at)
      closeSync(file)
      await expect(readAll()).rejects.toThrow(Unavailable)
    })

    it('is unavailable when a document is no longer JSON', async () => {
      const bytes = readFileSync(path)
      const at = bytes.indexOf('{"fullName":"')
      expect(at).toBeGreaterThan(0)
      const file = openSync(path, 'r+')
      writeSync(file, Buffer.from('#'), 0, 1, at)
      closeSync(file)
      await expect(readAll()).rejects.toThrow(Unavailable)
    })
  })
})

describe('the read-model store in SQLite, beside another process', () => {
  const start = (...more: string[]) => {
    const script = fileURLToPath(new URL('writing-documents.child.ts', import.meta.url))
    const child = spawn(process.execPath, ['--import', 'tsx', script, path, ...more], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    return { child, ended, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
  }

  it('wakes waiting callers when the other saves a checkpoint', async () => {
    const store = opened()
    const { child, ended, lines } = start('waits')
    const rounds: Promise<number>[] = []
    for (let batch = 1; batch <= 3; batch++) {
      const woken = store.checkpoints.saved(60_000)
      child.stdin.write('go\n')
      await woken
      rounds.push(store.checkpoints.load('child').then((progress) => Number(progress?.position)))
      await lines.next()
    }
    expect(await Promise.all(rounds)).toEqual([1, 2, 3])
    child.kill('SIGKILL')
    await ended
  })

  it('keeps documents and checkpoints consistent through kills', async () => {
    for (let round = 1; round <= 4; round++) {
      const { child, ended, lines } = start()
      let saved = 0
      while (saved < round * 7) saved = Number((await lines.next()).value)
      child.kill('SIGKILL')
      await ended
      const store = opened()
      const position = (await store.checkpoints.load('child'))?.position
      expect(Number(position)).toBeGreaterThanOrEqual(saved)
      const stored = await store.documents.read(
        'batches',
        Array.from({ length: 50 }, (_, n) => String(n)),
      )
      expect(
        new Set([...stored.values()].map((each) => `${each.position} ${String(each.document?.['batch'])}`)),
      ).toEqual(new Set([`${position} ${position}`]))
      expect(
        await store.documents.count(
          'batches',
          { search: `number ${position}`, where: { batch: Number(position) } },
          100,
        ),
      ).toBe(50)
      expect(await store.documents.count('batches', {}, 100)).toBe(50)
      await store.close()
    }
  }, 60_000)

  // No conformance test: MongoDB promises it, but FerretDB looks and writes in two steps.
  it('lets one of many concurrent state changes succeed', async () => {
    const [store, other] = [opened(), opened()]
    await store.projections.create({
      projection: 'users',
      serving: 'a',
      building: null,
      retired: [],
      generation: 1,
      rebuildRequested: false,
      pace: null,
    })
    const tries = Array.from({ length: 10 }, (_, n) =>
      (n % 2 ? store : other).projections.update('users', { generation: n + 2 }, { generation: 1 }),
    )
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1)
  })

  it('reads nothing while no caller waits', async () => {
    const setInterval = vi.spyOn(globalThis, 'setInterval')
    const clearInterval = vi.spyOn(globalThis, 'clearInterval')
    const store = opened()
    await store.checkpoints.save({ consumer: 'r', checkpoint: toCheckpoint('1'), position: toPosition('1') })
    expect(setInterval).not.toHaveBeenCalled()
    const waiting = [store.checkpoints.saved(60_000), store.checkpoints.saved(60_000)]
    await store.checkpoints.save({ consumer: 'r', checkpoint: toCheckpoint('2'), position: toPosition('2') })
    await Promise.all(waiting)
    await store.checkpoints.saved(1)
    expect(setInterval).toHaveBeenCalledTimes(2)
    for (const { value } of setInterval.mock.results) expect(clearInterval).toHaveBeenCalledWith(value)
    vi.restoreAllMocks()
  })

  it('takes over the lease of a process that is gone', async () => {
    const store = opened()
    const gone = spawn(process.execPath, ['-e', ''])
    await new Promise((resolve) => gone.once('exit', resolve))
    expect(await store.leases.acquire('projector', `${hostname()}:${gone.pid}:abc`, 60_000)).toBe(true)
    expect(await store.leases.acquire('projector', `${hostname()}:${process.pid}:new`, 60_000)).toBe(true)
    // Another machine's process of that number may well be there.
    expect(await store.leases.acquire('other', `not-${hostname()}:${gone.pid}:abc`, 60_000)).toBe(true)
    expect(await store.leases.acquire('other', `${hostname()}:${process.pid}:new`, 60_000)).toBe(false)
  })

  it('takes over the lease of a process that had the id of this one', async () => {
    const store = opened()
    const database = openedFile()
    const insert = database.statement('INSERT INTO leases (name, holder, until) VALUES (?, ?, ?)')
    insert.run('projector', `${hostname()}:${process.pid}:before`, Date.now() + 60_000)
    database.close()
    expect(await store.leases.acquire('projector', `${hostname()}:${process.pid}:now`, 60_000)).toBe(true)
    expect(await store.leases.acquire('projector', `${hostname()}:${process.pid}:beside`, 60_000)).toBe(false)
  })
})
