import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { openSqlite } from '#infra/sqlite/sqlite.ts'
import { newFolder } from '#test-support/store-suite.ts'
import { keyStoreConformance } from './key-store.conformance.ts'
import { openSqliteKeyStore } from './sqlite-key-store.ts'

keyStoreConformance('key store in SQLite', () => newFolder((folder) => openSqliteKeyStore(join(folder, 'keys.db'))))

describe('key store in SQLite, on the disk', () => {
  const tombstone = new Uint8Array(60)
  let folder: string
  let path: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'proofdesk-keys-'))
    path = join(folder, 'keys.db')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /**
   * Whether the first or the last bytes of a key are anywhere in the folder. Another process reads the files: closing
   * one here would drop the locks that SQLite has on it.
   */
  const isOnDisk = (key: Buffer): boolean => isIn(bytesOnDisk(), key)
  const bytesOnDisk = (): Buffer =>
    execFileSync(
      'cat',
      readdirSync(folder).map((name) => join(folder, name)),
      { maxBuffer: 1 << 28 },
    )
  const isIn = (bytes: Buffer, key: Buffer): boolean =>
    bytes.includes(key.subarray(0, 20)) || bytes.includes(key.subarray(-20))

  it('destroys keys while another process destroys others', async () => {
    const store = openSqliteKeyStore(path, { checkpointTimeout: 120_000 })
    const script = fileURLToPath(new URL('destroying-many.child.ts', import.meta.url))
    const child = spawn(process.execPath, ['--import', 'tsx', script, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    await once(child.stdout, 'data')
    for (let n = 0; child.exitCode === null; n++) {
      await store.destroy(`ours ${n}`, tombstone)
      await turn()
    }
    expect(await ended).toEqual([0, null])
    await store.close()
  })

  it('leaves no bytes of a destroyed key in any file', async () => {
    const store = openSqliteKeyStore(path)
    const [id, wrapped] = [randomUUID(), randomBytes(60)]
    await store.add(id, wrapped)
    // The search works.
    expect(isOnDisk(wrapped)).toBe(true)
    await store.destroy(id, tombstone)
    expect(isOnDisk(wrapped)).toBe(false)
    await store.close()
    expect(isOnDisk(wrapped)).toBe(false)
  })

  it('leaves no bytes of a replaced key once its readers end', async () => {
    const store = openSqliteKeyStore(path, { busyTimeout: 20 })
    const [id, first, second, third] = [randomUUID(), randomBytes(60), randomBytes(60), randomBytes(60)]
    await store.add(randomUUID(), randomBytes(60))
    await store.add(id, first)
    expect(await store.replace(id, first, second)).toBe(true)
    expect([first, second].map(isOnDisk)).toEqual([false, true])
    const reader = openSqlite(path, { part: 'test', durability: 'normal' })
    reader.exec('BEGIN; SELECT * FROM keys')
    const replacing = store.replace(id, second, third)
    expect(isOnDisk(second)).toBe(true)
    reader.exec('COMMIT')
    expect(await replacing).toBe(true)
    expect([first, second, third].map(isOnDisk)).toEqual([false, false, true])
    reader.close()
    await store.close()
  })

  it('leaves no bytes of many keys destroyed in random order', async () => {
    const store = openSqliteKeyStore(path)
    const kept = new Map<string, Buffer>()
    const destroyed: Buffer[] = []
    for (let round = 0; round < 6; round++) {
      for (let n = 0; n < 150; n++) {
        const [id, wrapped] = [randomUUID().slice(0, randomInt(8, 36)), randomBytes(randomInt(40, 90))]
        if (kept.has(id)) continue
        kept.set(id, wrapped)
        await store.add(id, wrapped)
      }
      for (const [id, wrapped] of kept) {
        if (randomInt(4) > 0) continue
        await store.destroy(id, new Uint8Array(wrapped.length))
        kept.delete(id)
        destroyed.push(wrapped)
      }
    }
    const bytes = bytesOnDisk()
    expect(destroyed.length).toBeGreaterThan(50)
    expect(destroyed.filter((key) => isIn(bytes, key))).toEqual([])
    expect([...kept.values()].filter((key) => !bytes.includes(key))).toEqual([])
    expect(await store.get([...kept.keys()])).toEqual(
      new Map([...kept].map(([id, wrapped]) => [id, { wrapped: new Uint8Array(wrapped), isDestroyed: false }])),
    )
    await store.close()
  })

  it('reports an incomplete destruction while others read; a repetition completes it', async () => {
    const store = openSqliteKeyStore(path, { busyTimeout: 20, checkpointTimeout: 100 })
    const [id, wrapped] = [randomUUID(), randomBytes(60)]
    await store.add(id, wrapped)
    const reader = openSqlite(path, { part: 'test', durability: 'normal' })
    reader.exec('BEGIN; SELECT * FROM keys')
    await expect(store.destroy(id, tombstone)).rejects.toThrow(Unavailable)
    expect(await store.get([id])).toEqual(new Map([[id, { wrapped: tombstone, isDestroyed: true }]]))
    expect(isOnDisk(wrapped)).toBe(true)
    reader.exec('COMMIT')
    await store.destroy(id, tombstone)
    expect(isOnDisk(wrapped)).toBe(false)
    reader.close()
    await store.close()
  })

  it('completes a killed destruction at the next start', async () => {
    const before = openSqliteKeyStore(path)
    const [id, wrapped] = [randomUUID(), randomBytes(60)]
    await before.add(id, wrapped)
    await before.close()
    const script = fileURLToPath(new URL('destroying.child.ts', import.meta.url))
    const child = spawnSync(process.execPath, ['--import', 'tsx', script, path, id])
    expect(child.signal).toBe('SIGKILL')
    expect(child.stdout.toString()).toBe('Unavailable')
    expect(isOnDisk(wrapped)).toBe(true)
    const store = openSqliteKeyStore(path)
    expect(isOnDisk(wrapped)).toBe(false)
    expect(await store.get([id])).toEqual(new Map([[id, { wrapped: tombstone, isDestroyed: true }]]))
    await store.close()
  })

  it('is readable by its owner only', async () => {
    const store = openSqliteKeyStore(path)
    await store.add(randomUUID(), randomBytes(60))
    for (const name of readdirSync(folder))
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600])
    await store.close()
  })
})
