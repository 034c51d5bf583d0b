import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { type StorePlace, useStores } from '#test-support/store-suite.ts'
import { Unavailable } from '#infra/failures.ts'
import { checkKey, type FileStore } from './file-store.ts'

/** A new, empty place, and control over its backend. */
export interface FileStorePlace extends StorePlace<FileStore> {
  /** Makes the backend unreachable, and reachable again. */
  disconnect(): Promise<void>
  reconnect(): Promise<void>
}

/** The promises of every file store. */
export const fileStoreConformance = (name: string, prepare: () => Promise<FileStorePlace>) =>
  describe(name, () => {
    const { place, open } = useStores(prepare)
    let store: FileStore
    beforeEach(() => {
      store = open()
    })

    it.each([
      ['a short text', Buffer.from('%PDF-1.7 Ünïcode')],
      ['nothing', Buffer.alloc(0)],
      ['every byte', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
      ['5 MB', Buffer.alloc(5 * 1024 * 1024, 'certificate')],
    ])('returns %s as it was put, with its size, also when opened again', async (_, bytes) => {
      await store.put('certificates/u1/c1.pdf', bytes, 'application/pdf')
      for (const reader of [store, open()]) {
        expect(await sizeOf(reader, 'certificates/u1/c1.pdf')).toBe(bytes.length)
        expect(bytes.equals((await contentOf(reader, 'certificates/u1/c1.pdf')) ?? Buffer.from('missing'))).toBe(true)
      }
    })

    it('has nothing under a key that was never put', async () => {
      await store.put('certificates/u1/c1.pdf', Buffer.from('1'), 'application/pdf')
      const never = [
        'c1.pdf',
        'certificates',
        'certificates/u1',
        'certificates/u1/c1',
        'certificates/u1/c1.pdf.pdf',
        'x/y/z',
      ]
      for (const key of never) expect(await store.get(key)).toBeUndefined()
    })

    it('replaces a file put under the same key', async () => {
      await store.put('a/b.pdf', Buffer.from('a longer first text'), 'application/pdf')
      await store.put('a/b.pdf', Buffer.from('second'), 'application/pdf')
      expect(String(await contentOf(store, 'a/b.pdf'))).toBe('second')
    })

    it('keeps one complete file of two concurrent puts', async () => {
      const texts = ['x'.repeat(300_000), 'y'.repeat(200_000)]
      await Promise.all(texts.map((text) => store.put('a/b.pdf', Buffer.from(text), 'application/pdf')))
      expect(texts).toContain(String(await contentOf(store, 'a/b.pdf')))
    })

    it('never shows part of a file while it is put', async () => {
      const bytes = Buffer.alloc(8 * 1024 * 1024, 'certificate')
      let ended = false
      const put = store.put('a/b.pdf', bytes, 'application/pdf').finally(() => {
        ended = true
      })
      do {
        expect([undefined, bytes.length]).toContain(await sizeOf(store, 'a/b.pdf'))
      } while (!ended)
      await put
      expect(await sizeOf(store, 'a/b.pdf')).toBe(bytes.length)
    })

    it('removes every file under a prefix and no other', async () => {
      const under = ['c/u1/1.pdf', 'c/u1/2.pdf', 'c/u1/old/3.pdf']
      const others = ['c/u10/1.pdf', 'c/u1.pdf', 'c/u/1.pdf', 'd/c/u1/1.pdf']
      for (const key of [...under, ...others]) await store.put(key, Buffer.from(key), 'application/pdf')
      await store.removeAll('c/u1/')
      for (const key of under) expect(await store.get(key)).toBeUndefined()
      for (const key of others) expect(String(await contentOf(store, key))).toBe(key)
      await store.put('c/u1/1.pdf', Buffer.from('new'), 'application/pdf')
      expect(String(await contentOf(store, 'c/u1/1.pdf'))).toBe('new')
    })

    it('removes files while others are put beside them', async () => {
      // A put into a folder being removed may fail; the removal never does.
      const putting = async (name: string) => {
        for (let file = 0; file < 25; file++)
          await store.put(`c/u1/${name}-${file}.pdf`, Buffer.from(name), 'application/pdf').catch(onlyUnavailable)
      }
      let ended = false
      const puts = Promise.all(['a', 'b', 'c', 'd'].map(putting)).finally(() => {
        ended = true
      })
      do await store.removeAll('c/u1/')
      while (!ended)
      await puts
      await store.removeAll('c/u1/')
      for (const name of ['a', 'b', 'c', 'd']) expect(await store.get(`c/u1/${name}-24.pdf`)).toBeUndefined()
    })

    it('removes nothing where there is nothing', async () => {
      await store.put('c/u1', Buffer.from('a file, no folder'), 'application/pdf')
      await store.removeAll('c/u1/')
      await store.removeAll('never/')
      expect(await sizeOf(store, 'c/u1')).toBe(17)
    })

    it('keeps files under any valid key', async () => {
      const name = fc.stringMatching(/^[a-z0-9_-][a-z0-9_.-]{0,40}$/)
      const key = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'))
      let run = 0
      await fc.assert(
        fc.asyncProperty(key, async (tail) => {
          // A separate folder for each, because no key may be the folder of another.
          const whole = `run${run++}/${tail}`
          await store.put(whole, Buffer.from(whole), 'application/pdf')
          expect(String(await contentOf(store, whole))).toBe(whole)
          await store.removeAll(`${whole.slice(0, whole.indexOf('/'))}/`)
          expect(await store.get(whole)).toBeUndefined()
        }),
        { numRuns: 30 },
      )
    })

    it('refuses every other key and prefix', async () => {
      const misplaced = [
        '',
        '.',
        '..',
        '/',
        '/a',
        'a/',
        'a//b',
        '../a',
        'a/../b',
        'a/..',
        './a',
        'a/./b',
        '.a',
        'a/.b',
        '...',
      ]
      const misspelt = ['A', 'a b', 'a\\b', '..\\a', 'a\0', 'a\n', 'é', 'a:b', 'a%2fb', '%2e%2e/a', 'a+b', '~', 'a*']
      const refused = [...misplaced, ...misspelt, 'x'.repeat(201), `${'a/'.repeat(400)}b`]
      const dotted = fc.stringMatching(/^[a./]*$/)
      const odd = fc.oneof(fc.string(), dotted, fc.stringMatching(/^[a-c.\\/%~]*$/)).filter((key) => !isKey(key))
      await fc.assert(
        fc.asyncProperty(odd, async (key) => {
          await expect(store.put(key, Buffer.from('x'), 'application/pdf')).rejects.toThrow(TypeError)
          await expect(store.get(key)).rejects.toThrow(TypeError)
          await expect(store.removeAll(`${key}/`)).rejects.toThrow(TypeError)
        }),
        { examples: refused.map((key) => [key] as [string]) },
      )
      await expect(store.removeAll('no-slash-at-the-end')).rejects.toThrow(TypeError)
    })

    it('reports an outage, and keeps nothing put during it', async () => {
      await store.put('a/before.pdf', Buffer.from('before'), 'application/pdf')
      await expect(store.ready()).resolves.toBeUndefined()
      await place().disconnect()
      await expect(store.ready()).rejects.toThrow(Unavailable)
      await expect(store.put('a/b.pdf', Buffer.from('x'), 'application/pdf')).rejects.toThrow(Unavailable)
      await expect(store.get('a/before.pdf')).rejects.toThrow(Unavailable)
      await expect(store.removeAll('a/')).rejects.toThrow(Unavailable)
      await place().reconnect()
      await expect(store.ready()).resolves.toBeUndefined()
      expect(await store.get('a/b.pdf')).toBeUndefined()
      expect(String(await contentOf(store, 'a/before.pdf'))).toBe('before')
    })
  })

function onlyUnavailable(error: unknown): void {
  if (!(error instanceof Unavailable)) throw error
}

async function contentOf(store: FileStore, key: string): Promise<Buffer | undefined> {
  const file = await store.get(key)
  return file && buffer(file.content)
}

async function sizeOf(store: FileStore, key: string): Promise<number | undefined> {
  const file = await store.get(key)
  file?.content.destroy()
  return file?.size
}

/** By {@link checkKey}, whose rules file-store.test.ts tests. */
function isKey(key: string): boolean {
  try {
    checkKey(key)
    return true
  } catch {
    return false
  }
}
