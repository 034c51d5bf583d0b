import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync, writeSync, closeSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toCheckpoint, toPosition } from '../event-store/event-store.ts'
import { Unavailable } from '../failures.ts'
import { openSqlite, type Sqlite } from '../sqlite/sqlite.ts'
import { viewStoreContract } from './read-model-store.conformance.ts'
import { ModelCollection } from '../../test-support/document-model.ts'
import { openCatalogue } from './sqlite-catalogue.ts'
import { openDocuments } from './sqlite-documents.ts'
import { openFinder } from './sqlite-find.ts'
import { openSqliteViewStore, removeSqliteViewStore } from './sqlite.ts'
import type { Document, DocumentWrite, Page, Query, ViewStore } from './read-model-store.ts'

viewStoreContract('view store in SQLite', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'proofdesk-views-'))
  const file = join(directory, 'views.db')
  return {
    store: openSqliteViewStore(file),
    reopen: async () => openSqliteViewStore(file),
    remove: async () => rmSync(directory, { recursive: true }),
  }
})

let folder: string
let path: string
const stores: ViewStore[] = []
const opened = (): ViewStore => {
  const store = openSqliteViewStore(path)
  stores.push(store)
  return store
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'proofdesk-views-'))
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
  indexes: [{ created: -1 }, { status: 1, created: -1 }, { fullName: 1 }, { 'account.balance': 1 }, { status: 1, fullName: 1 }],
  search: ['fullName', 'email'],
} as const
const user = (n: number): Document => ({
  fullName: `${['Anna', 'Berta', 'Cäsar', 'Dora'][n % 4]} ${n % 100 === 0 ? 'Smith' : `Jones${n % 37}`}`,
  email: `person${n}@example.com`,
  status: ['active', 'pending', 'breached'][n % 3] ?? null,
  country: ['de', 'fr'][n % 2] ?? null,
  account: { balance: n % 11 === 0 ? null : (n * 7919) % 1_000 },
})

describe('the view store in SQLite looks up what it is asked for', () => {
  let database: Sqlite
  let asked: { readonly sql: string; readonly values: readonly unknown[] }[]
  let find: (query: Partial<Query>) => Page

  beforeEach(async () => {
    database = openSqlite(path, { part: 'view store', durability: 'normal' })
    const catalogue = openCatalogue(database)
    await catalogue.open(users, false)
    openDocuments(database, catalogue).write(
      'users',
      Array.from({ length: 300 }, (_, n) => made(String(n), user(n), n + 1)),
      () => {},
      true,
    )
    asked = []
    const noting: Sqlite = {
      ...database,
      statement(sql) {
        const statement = database.statement(sql)
        return {
          ...statement,
          all(...values) {
            asked.push({ sql, values })
            return statement.all(...values)
          },
        }
      },
    }
    const finder = openFinder(noting, catalogue)
    find = (query) => finder.find('users', { limit: 10, ...query })
  })
  afterEach(() => database.close())

  const plans = (): string[] =>
    asked.flatMap(({ sql, values }) =>
      database
        .statement(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...values.map((value) => (typeof value === 'string' || typeof value === 'number' ? value : null)))
        .map(({ detail }) => String(detail)),
    )

  const queries: Partial<Query>[] = [
    {},
    { sort: { by: 'created', direction: 1 } },
    { sort: { by: 'fullName', direction: 1 } },
    { sort: { by: 'fullName', direction: -1 } },
    { sort: { by: 'account.balance', direction: 1 } },
    { sort: { by: 'account.balance', direction: -1 } },
    { where: { status: 'active' } },
    { where: { status: 'active' }, sort: { by: 'created', direction: 1 } },
    { where: { status: 'active' }, sort: { by: 'fullName', direction: -1 } },
    { where: { status: null } },
    { search: 'jones' },
    { search: 'jo' },
    { search: 'jones', sort: { by: 'created', direction: 1 } },
  ]
  it.each(queries.map((query) => [JSON.stringify(query), query] as const))('%s', (_, query) => {
    const { next } = find(query)
    // Also from the middle, and over the end of the nulls.
    if (next !== undefined) find({ ...query, cursor: next, limit: 250 })
    expect(asked.length).toBeGreaterThan(0)
    for (const plan of plans()) {
      expect(plan).toMatch(/USING (COVERING )?INDEX|USING INTEGER PRIMARY KEY|VIRTUAL TABLE INDEX \d+:M/)
      expect(plan).not.toMatch(/TEMP B-TREE/)
    }
  })

  it('one value after the other, where several will do', () => {
    const { next } = find({ where: { status: ['active', 'breached'] }, sort: { by: 'fullName', direction: 1 } })
    find({ where: { status: ['active', 'breached'] }, sort: { by: 'fullName', direction: 1 }, cursor: next ?? '' })
    const inner = plans().filter((plan) => plan.includes('status,fullName'))
    expect(inner.length).toBeGreaterThanOrEqual(2)
    for (const plan of inner) expect(plan).toMatch(/^SEARCH .*USING (COVERING )?INDEX .*\(value_\d=\?/)
  })

  it('from where the last page ended, not from the beginning', () => {
    for (const sort of [undefined, { by: 'fullName', direction: 1 }, { by: 'account.balance', direction: -1 }] as const) {
      const query = sort ? { sort } : {}
      const { next = '' } = find({ ...query, limit: 5 })
      asked = []
      find({ ...query, limit: 250, cursor: next })
      for (const plan of plans()) expect(plan).toMatch(/^SEARCH/)
    }
    const { next = '' } = find({ search: 'jones', limit: 5 })
    asked = []
    find({ search: 'jones', limit: 5, cursor: next })
    // FTS5 is told the row to begin after.
    expect(plans()[0]).toMatch(/VIRTUAL TABLE INDEX \d+:M\d*[<>]/)
  })
})

describe('the view store in SQLite, with more than it would sort', () => {
  /** The first ones have something of their own: where the last come first, a page is long in coming. */
  const first = { status: 'early', country: 'it', email: 'founder@example.com' }
  const documents = Array.from({ length: 6_500 }, (_, n) => made(String(n), { ...user(n), ...(n < 2_500 && first), rank: n }, n + 1))
  const ranked = { ...users, indexes: [...users.indexes, { rank: 1 }] } as const
  const model = new ModelCollection(users.search)
  model.write(documents)
  let store: ViewStore
  beforeEach(async () => {
    store = opened()
    await store.open(ranked, { loading: true })
    await store.write('users', documents)
    await store.open(ranked)
  })

  it('says the same as a plain model', async () => {
    const queries: Omit<Query, 'limit' | 'cursor'>[] = [
      { search: 'example', sort: { by: 'account.balance', direction: 1 } },
      { search: 'example', sort: { by: 'account.balance', direction: -1 } },
      { search: 'smith', sort: { by: 'fullName', direction: 1 } },
      { search: 'person', where: { status: 'breached' } },
      { search: 'pe', where: { country: 'de' }, sort: { by: 'account.balance', direction: -1 } },
      { search: 'pe', where: { status: ['active', 'pending', 'breached'] }, sort: { by: 'fullName', direction: -1 } },
      { where: { country: 'fr' } },
      { where: { country: ['fr', 'de'], status: 'active' }, sort: { by: 'account.balance', direction: 1 } },
      { where: { status: ['active', 'pending', 'breached'] }, sort: { by: 'account.balance', direction: 1 } },
      { where: { status: ['active', 'pending', 'breached'] } },
      { where: { status: 'early' }, sort: { by: 'rank', direction: -1 } },
      { where: { status: ['early', 'none'] }, sort: { by: 'rank', direction: -1 } },
      { where: { status: 'early', country: 'it' }, sort: { by: 'fullName', direction: -1 } },
      { where: { country: 'it' }, sort: { by: 'rank', direction: -1 } },
      { search: 'founder', sort: { by: 'rank', direction: -1 } },
      { search: 'founder', where: { status: 'early' } },
      { search: 'example', where: { status: 'early' } },
      { search: 'example', where: { status: 'early' }, sort: { by: 'rank', direction: -1 } },
      { search: 'example', where: { status: ['active', 'early'], country: 'it' }, sort: { by: 'fullName', direction: -1 } },
      { search: 'founder', where: { country: 'it' } },
    ]
    for (const query of queries) {
      const expected = model.find(query).map(({ id }) => id)
      const first = await store.find('users', { ...query, limit: 40 })
      const second = await store.find('users', { ...query, limit: 40, cursor: first.next ?? '' })
      const ids = [...first.documents, ...second.documents].map(({ id }) => id)
      expect(ids, JSON.stringify(query)).toEqual(expected.slice(0, 80))
      expect(await store.count('users', query, 100_000), JSON.stringify(query)).toBe(expected.length)
    }
  })
})

describe('the view store in SQLite, on the disk', () => {
  const bytesOnDisk = (): string =>
    execFileSync(
      'cat',
      readdirSync(folder).map((name) => join(folder, name)),
      { maxBuffer: 1 << 28, encoding: 'latin1' },
    )

  it('keeps nothing readable of a document that was deleted', async () => {
    const store = opened()
    await store.open(users)
    await store.write('users', [made('gone', { fullName: 'Zyxwvuts Qponmlk', email: 'zyxwvuts@example.com' }, 1), made('here', { fullName: 'Abcdefgh' }, 2)])
    expect(bytesOnDisk()).toContain('Zyxwvuts')
    await store.write('users', [{ id: 'gone', document: null, position: toPosition('3'), expected: toPosition('1') }])
    await store.close()
    expect(bytesOnDisk()).toContain('Abcdefgh')
    // Nor the pieces that it was searched by: a name can be put together of them.
    expect(bytesOnDisk()).not.toMatch(/zyx|xwv|vut|qpo|onm/i)
  })

  it('keeps nothing of it for long while it is open', { timeout: 60_000 }, async () => {
    const store = opened()
    await store.open(users)
    await store.write('users', [made('gone', { fullName: 'Zyxwvuts Qponmlk' }, 1), made('here', { fullName: 'Abcdefgh' }, 2)])
    // Into the file itself.
    const another = openSqlite(path, { part: 'view store', durability: 'normal' })
    another.checkpoint()
    await store.write('users', [{ id: 'gone', document: null, position: toPosition('3'), expected: toPosition('1') }])
    expect(bytesOnDisk()).toContain('Zyxwvuts')
    await vi.waitFor(() => expect(bytesOnDisk()).not.toMatch(/zyx|xwv|vut|qpo|onm/i), { timeout: 30_000, interval: 50 })
    expect(bytesOnDisk()).toContain('Abcdefgh')
    another.close()
  })

  it('keeps nothing of a collection that was dropped', async () => {
    const store = opened()
    await store.open(users)
    await store.write(
      'users',
      Array.from({ length: 1_500 }, (_, n) => made(String(n), { fullName: `Zyxwvuts ${n}` }, n + 1)),
    )
    await store.drop('users')
    await store.close()
    expect(bytesOnDisk()).not.toMatch(/zyx/i)
    const database = openSqlite(path, { part: 'view store', durability: 'normal' })
    expect(database.statement(`SELECT name FROM sqlite_schema WHERE name LIKE '%:%'`).all()).toEqual([])
    database.close()
  })

  it('goes on making indexes where that was broken off', async () => {
    const store = opened()
    await store.open(users, { loading: true })
    await store.write(
      'users',
      Array.from({ length: 1_700 }, (_, n) => made(String(n), user(n), n + 1)),
    )
    const completing = store.open(users)
    await store.close()
    await expect(completing).rejects.toThrow(Unavailable)
    const again = opened()
    expect(await again.count('users', { search: 'example' }, 10_000)).toBe(1_700)
    await again.open(users)
    expect(await again.count('users', { search: 'example' }, 10_000)).toBe(1_700)
    const { documents } = await again.find('users', { search: 'person1699', limit: 2 })
    expect(documents.map(({ id }) => id)).toEqual(['1699'])
  })

  it('goes on taking dropped collections apart after a kill', async () => {
    const store = opened()
    await store.open(users)
    await store.write('users', [made('1', { fullName: 'Ann' }, 1)])
    await store.close()
    const database = openSqlite(path, { part: 'view store', durability: 'normal' })
    database.exec(`
      ALTER TABLE "users:documents" RENAME TO "dropped:some-stamp";
      ALTER TABLE "users:search" RENAME TO "dropped:some-stamp:search";
      DELETE FROM collections`)
    database.close()
    const again = opened()
    await again.open(users)
    expect(await again.find('users', { limit: 1 })).toEqual({ documents: [], next: undefined })
    await again.drop('nothing')
    await again.close()
    const after = openSqlite(path, { part: 'view store', durability: 'normal' })
    expect(after.statement(`SELECT name FROM sqlite_schema WHERE name LIKE 'dropped:%'`).all()).toEqual([])
    after.close()
  })

  it('is gone with all its files when it was removed', async () => {
    const store = opened()
    await store.saveSetting('a', 'b')
    await store.close()
    writeFileSync(`${path}-wal`, '')
    removeSqliteViewStore(path)
    removeSqliteViewStore(path)
    expect(readdirSync(folder)).toEqual([])
    expect(await opened().setting('a')).toBeUndefined()
  })

  describe('damaged', () => {
    beforeEach(async () => {
      const store = opened()
      await store.open(users)
      await store.write(
        'users',
        Array.from({ length: 3_000 }, (_, n) => made(String(n), user(n), n + 1)),
      )
      await store.close()
    })
    const readAll = async (): Promise<unknown> => {
      const store = opened()
      await store.open(users)
      await store.read(
        'users',
        Array.from({ length: 3_000 }, (_, n) => String(n)),
      )
      return store.find('users', { limit: 3_000, sort: { by: 'fullName', direction: 1 } })
    }

    it('says so when the file is none of SQLite', () => {
      writeFileSync(path, 'garbage'.repeat(10_000))
      expect(opened).toThrow(Unavailable)
    })

    it('says so when the file was cut', async () => {
      await readAll()
      for (const store of stores.splice(0)) await store.close()
      truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096)
      await expect(readAll()).rejects.toThrow(Unavailable)
    })

    it('says so when pages were overwritten', async () => {
      const file = openSync(path, 'r+')
      const size = statSync(path).size
      for (let at = 40 * 4096; at < size; at += 3 * 4096) writeSync(file, Buffer.alloc(4096, 0xa7), 0, 4096, at)
      closeSync(file)
      await expect(readAll()).rejects.toThrow(Unavailable)
    })

    it('says so when a document is no JSON any more', async () => {
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

describe('the view store in SQLite, beside another process', () => {
  const start = (...more: string[]) => {
    const script = fileURLToPath(new URL('writing.child.ts', import.meta.url))
    const child = spawn(process.execPath, ['--import', 'tsx', script, path, ...more], { stdio: ['pipe', 'pipe', 'inherit'] })
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    return { child, ended, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
  }

  it('wakes who waits for progress when the other saved some', async () => {
    const store = opened()
    const { child, ended, lines } = start('waits')
    const rounds: Promise<number>[] = []
    for (let batch = 1; batch <= 3; batch++) {
      const woken = store.progressed(60_000)
      child.stdin.write('go\n')
      await woken
      rounds.push(store.progress('child').then((progress) => Number(progress?.position)))
      await lines.next()
    }
    expect(await Promise.all(rounds)).toEqual([1, 2, 3])
    child.kill('SIGKILL')
    await ended
  })

  it('has documents and progress that agree, whenever the other was killed', async () => {
    for (let round = 1; round <= 4; round++) {
      const { child, ended, lines } = start()
      let saved = 0
      while (saved < round * 7) saved = Number((await lines.next()).value)
      child.kill('SIGKILL')
      await ended
      const store = opened()
      const position = (await store.progress('child'))?.position
      expect(Number(position)).toBeGreaterThanOrEqual(saved)
      const stored = await store.read(
        'batches',
        Array.from({ length: 50 }, (_, n) => String(n)),
      )
      expect(new Set([...stored.values()].map((each) => `${each.position} ${String(each.document?.['batch'])}`))).toEqual(new Set([`${position} ${position}`]))
      expect(await store.count('batches', { search: `number ${position}`, where: { batch: Number(position) } }, 100)).toBe(50)
      expect(await store.count('batches', {}, 100)).toBe(50)
      await store.close()
    }
  }, 60_000)

  it('asks for nothing while nobody waits', async () => {
    const setInterval = vi.spyOn(globalThis, 'setInterval')
    const clearInterval = vi.spyOn(globalThis, 'clearInterval')
    const store = opened()
    await store.saveProgress('r', { checkpoint: toCheckpoint('1'), position: toPosition('1') })
    expect(setInterval).not.toHaveBeenCalled()
    const waiting = [store.progressed(60_000), store.progressed(60_000)]
    await store.saveProgress('r', { checkpoint: toCheckpoint('2'), position: toPosition('2') })
    await Promise.all(waiting)
    await store.progressed(1)
    expect(setInterval).toHaveBeenCalledTimes(2)
    for (const { value } of setInterval.mock.results) expect(clearInterval).toHaveBeenCalledWith(value)
    vi.restoreAllMocks()
  })

  it('takes over the lease of a process that is gone', async () => {
    const store = opened()
    const gone = spawn(process.execPath, ['-e', ''])
    await new Promise((resolve) => gone.once('exit', resolve))
    expect(await store.lease('projector', `${hostname()}:${gone.pid}:abc`, 60_000)).toBe(true)
    expect(await store.lease('projector', `${hostname()}:${process.pid}:new`, 60_000)).toBe(true)
    // Another machine's process of that number may well be there.
    expect(await store.lease('other', `not-${hostname()}:${gone.pid}:abc`, 60_000)).toBe(true)
    expect(await store.lease('other', `${hostname()}:${process.pid}:new`, 60_000)).toBe(false)
  })

  it('takes over the lease of a process that had the number of this one', async () => {
    const store = opened()
    const database = openSqlite(path, { part: 'view store', durability: 'normal' })
    const insert = database.statement('INSERT INTO leases (name, holder, until) VALUES (?, ?, ?)')
    insert.run('projector', `${hostname()}:${process.pid}:before`, Date.now() + 60_000)
    database.close()
    expect(await store.lease('projector', `${hostname()}:${process.pid}:now`, 60_000)).toBe(true)
    expect(await store.lease('projector', `${hostname()}:${process.pid}:beside`, 60_000)).toBe(false)
  })
})
