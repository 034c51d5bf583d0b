import { mkdir, mkdtemp, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { fileStoreConformance } from './file-store.conformance.ts'
import { createDiskFileStore } from './disk-file-store.ts'

let testFolder = ''
let folders = 0
beforeAll(async () => {
  testFolder = await mkdtemp(join(tmpdir(), 'file-store-'))
})
afterAll(() => rm(testFolder, { recursive: true }))

const newFolder = () => join(testFolder, String(folders++))

fileStoreConformance('file store on disk', async () => {
  const folder = newFolder()
  return {
    open: () => createDiskFileStore(folder),
    disconnect: async () => {
      await rename(folder, `${folder}-away`)
      // Tests may run as root, who ignores permissions; a file instead of the folder works always.
      await writeFile(folder, '')
    },
    reconnect: async () => {
      await unlink(folder)
      await rename(`${folder}-away`, folder)
    },
  }
})

describe('file store on disk, itself', () => {
  it('leaves no draft after a successful or failed put', async () => {
    const folder = newFolder()
    const store = createDiskFileStore(folder)
    await store.put('a/fine.pdf', Buffer.from('x'), 'application/pdf')
    await mkdir(join(folder, 'a/in-the-way.pdf'))
    await expect(store.put('a/in-the-way.pdf', Buffer.from('x'), 'application/pdf')).rejects.toThrow(Unavailable)
    expect((await readdir(join(folder, 'a'))).sort()).toEqual(['fine.pdf', 'in-the-way.pdf'])
  })

  it('writes drafts only in the folder of the file', async () => {
    const folder = newFolder()
    const store = createDiskFileStore(folder)
    await store.put('c/u1/first.pdf', Buffer.from('x'), 'application/pdf')
    let ended = false
    const put = store
      .put('c/u1/large.pdf', Buffer.alloc(64 * 1024 * 1024, 'certificate'), 'application/pdf')
      .finally(() => {
        ended = true
      })
    const seen = new Set<string>()
    while (!ended) for (const path of await readdir(folder, { recursive: true })) seen.add(path)
    await put
    expect(seen.size).toBeGreaterThan(3)
    for (const path of seen) expect(path).toMatch(/^c(\/u1(\/.*)?)?$/)
  })

  it('is readable by its owner only', async () => {
    const folder = newFolder()
    await createDiskFileStore(folder).put('a/b/c.pdf', Buffer.from('x'), 'application/pdf')
    for (const path of ['', 'a', 'a/b']) expect((await stat(join(folder, path))).mode & 0o777).toBe(0o700)
    expect((await stat(join(folder, 'a/b/c.pdf'))).mode & 0o777).toBe(0o600)
  })

  it('returns the opened file even if its key is replaced meanwhile', async () => {
    const store = createDiskFileStore(newFolder())
    await store.put('a.pdf', Buffer.from('first'), 'application/pdf')
    const opened = await store.get('a.pdf')
    await store.put('a.pdf', Buffer.from('second, longer'), 'application/pdf')
    expect(opened?.size).toBe(5)
    expect(opened && (await text(opened.content))).toBe('first')
  })

  it('is unavailable when its folder disappears', async () => {
    const folder = newFolder()
    const store = createDiskFileStore(folder)
    await rm(folder, { recursive: true })
    await expect(store.get('a.pdf')).rejects.toThrow(Unavailable)
    await expect(store.put('a.pdf', Buffer.from('x'), 'application/pdf')).rejects.toThrow(Unavailable)
    await expect(stat(folder)).rejects.toThrow('ENOENT')
  })

  it('does not open where no folder can be created', async () => {
    const file = join(testFolder, 'a-file')
    await writeFile(file, '')
    expect(() => createDiskFileStore(join(file, 'files'))).toThrow(Unavailable)
    expect(() => createDiskFileStore(file)).toThrow(Unavailable)
  })
})
