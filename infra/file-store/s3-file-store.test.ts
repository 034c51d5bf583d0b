import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openRelay } from '#test-support/servers/relay.ts'
import { promptly } from '#test-support/promptly.ts'
import { isS3InContainer, type S3Server, startS3 } from '#test-support/servers/s3.ts'
import { Unavailable } from '#infra/failures.ts'
import { fileStoreConformance } from './file-store.conformance.ts'
import { AlteredContent, type FileStore } from './file-store.ts'
import { createS3FileStore, type S3Options } from './s3-file-store.ts'
import { parseS3Location } from './s3-address.ts'

let server: S3Server
let buckets = 0
beforeAll(async () => {
  server = await startS3()
})
afterAll(() => server?.close())

const newBucket = () => `bucket-${buckets++}`

fileStoreConformance('file store on S3', async () => {
  const location = parseS3Location(server.urlOf(newBucket()))
  return {
    open: () => createS3FileStore(location),
    disconnect: () => server.kill(),
    reconnect: () => server.start(),
  }
})

describe('file store on S3, itself', () => {
  const PDF = 'application/pdf'
  /** More than all buffers between the server and a reader hold. */
  const large = Buffer.alloc(16 * 1024 * 1024, 'certificate')

  const opened = (bucket = newBucket(), options: S3Options = {}, port?: number): FileStore => {
    const store = createS3FileStore(parseS3Location(server.urlOf(bucket, port === undefined ? {} : { port })), options)
    onTestFinished(() => store.close())
    return store
  }

  const objectIn = (bucket: string, key: string) => join(server.buckets, bucket, `${key}._S3rver_object`)

  const relayed = async () => {
    const relay = await openRelay(() => server.port)
    onTestFinished(() => relay.close())
    return relay
  }

  const contentOf = async (store: FileStore, key: string): Promise<Buffer> => {
    const file = await store.get(key)
    if (!file) throw new Error(`There is no ${key}`)
    return buffer(file.content)
  }

  /** For servers whose objects are files that a test can alter. */
  const itAltering = it.skipIf(isS3InContainer)

  itAltering('ends the download of an altered file with an error', async () => {
    const bucket = newBucket()
    const store = opened(bucket)
    await store.put('a/small.pdf', Buffer.from('the right words'), PDF)
    await store.put('a/large.pdf', large, PDF)
    await writeFile(objectIn(bucket, 'a/small.pdf'), 'the wrong words')
    const altered = Buffer.from(large)
    altered[5_000_000] = 0
    await writeFile(objectIn(bucket, 'a/large.pdf'), altered)
    for (const key of ['a/small.pdf', 'a/large.pdf']) {
      const error: unknown = await contentOf(store, key).catch((refusal: unknown) => refusal)
      expect(error).toBeInstanceOf(Unavailable)
      expect(error instanceof Unavailable && error.cause).toBeInstanceOf(AlteredContent)
    }
  })

  itAltering('serves no byte of a short file without a hash', async () => {
    const bucket = newBucket()
    const store = opened(bucket)
    await store.put('a/b.pdf', Buffer.from('the right words'), PDF)
    const metadata = join(server.buckets, bucket, 'a/b.pdf._S3rver_metadata.json')
    expect(await readFile(metadata, 'utf8')).toContain('x-amz-meta-sha256')
    await writeFile(metadata, '{}')
    const file = await store.get('a/b.pdf')
    let served = 0
    file?.content.on('data', (chunk: Buffer) => (served += chunk.length))
    await expect(file && once(file.content, 'end')).rejects.toThrow(Unavailable)
    expect(served).toBe(0)
  })

  it('removes the files of all pages of a listing', async () => {
    const store = opened(newBucket(), { pageSize: 3 })
    const keys = Array.from({ length: 10 }, (_, n) => `u1/${n}.pdf`)
    for (const key of [...keys, 'u2/kept.pdf']) await store.put(key, Buffer.from(key), PDF)
    await store.removeAll('u1/')
    for (const key of keys) expect(await store.get(key)).toBeUndefined()
    expect(String(await contentOf(store, 'u2/kept.pdf'))).toBe('u2/kept.pdf')
  })

  itAltering('creates its bucket once; a missing bucket never counts as empty', async () => {
    const bucket = newBucket()
    const store = opened(bucket)
    await store.ready()
    expect(await readdir(server.buckets)).toContain(bucket)
    await store.put('a.pdf', Buffer.from('x'), PDF)
    await rm(join(server.buckets, bucket), { recursive: true })
    await expect(store.ready()).rejects.toThrow(Unavailable)
    await expect(store.get('a.pdf')).rejects.toThrow(Unavailable)
    await expect(store.put('a.pdf', Buffer.from('x'), PDF)).rejects.toThrow(Unavailable)
    expect(await readdir(server.buckets)).not.toContain(bucket)
  })

  it('is unavailable with a wrong secret, and reveals no secret', async () => {
    const store = createS3FileStore(parseS3Location(server.urlOf(newBucket(), { credentials: 'files:guessed-secret' })))
    onTestFinished(() => store.close())
    const error: unknown = await store.put('a.pdf', Buffer.from('x'), PDF).catch((refusal: unknown) => refusal)
    expect(error).toBeInstanceOf(Unavailable)
    const message =
      error instanceof Error
        ? `${error.message} ${JSON.stringify(error.cause)} ${String(error.cause)} ${Object.values(error.cause ?? {}).join()}`
        : ''
    expect(message).not.toMatch(/guessed-secret|Signature=|Credential=|StringToSign/)
  })

  it('opens during an outage, and works once the server is back', async () => {
    const relay = await relayed()
    relay.refuse()
    const store = opened(newBucket(), {}, relay.port)
    await expect(store.ready()).rejects.toThrow(Unavailable)
    relay.accept()
    await store.put('a.pdf', Buffer.from('x'), PDF)
    expect(String(await contentOf(store, 'a.pdf'))).toBe('x')
  })

  it('reports a frozen server within five seconds for every call', async () => {
    const store = opened()
    await store.put('u/a.pdf', large, PDF)
    await server.pause()
    try {
      const calls = [store.ready(), store.get('u/a.pdf'), store.put('u/b.pdf', large, PDF), store.removeAll('u/')]
      // The promise is five seconds; a busy machine may add some.
      const answers = await promptly(Promise.allSettled(calls), 7_500)
      for (const answer of answers)
        expect(answer).toMatchObject({ status: 'rejected', reason: { name: 'Unavailable' } })
    } finally {
      await server.resume()
    }
    await store.ready()
    expect((await contentOf(store, 'u/a.pdf')).equals(large)).toBe(true)
  })

  it('ends a download with an error when its connection breaks or freezes', async () => {
    const relay = await relayed()
    const store = opened(newBucket(), { timeout: 1_500 }, relay.port)
    await store.put('a.pdf', large, PDF)
    for (const fault of [relay.cut, relay.freeze]) {
      const file = await store.get('a.pdf')
      if (!file) throw new Error('There is no file')
      const begun = once(file.content, 'data')
      await begun
      file.content.pause()
      fault()
      await expect(buffer(file.content)).rejects.toThrow(Unavailable)
      relay.thaw()
    }
    expect((await contentOf(store, 'a.pdf')).equals(large)).toBe(true)
  })

  it('waits for a slow reader longer than for the server', async () => {
    const store = opened(newBucket(), { timeout: 1_000 })
    await store.put('a.pdf', large, PDF)
    const file = await store.get('a.pdf')
    if (!file) throw new Error('There is no file')
    let size = 0
    let pauses = 1
    for await (const chunk of file.content) {
      size += Buffer.isBuffer(chunk) ? chunk.length : 0
      // The reader is more than twice as slow as the server may be. Nothing happens meanwhile that could be waited for.
      if (pauses-- > 0) await delay(2_100)
    }
    expect(size).toBe(large.length)
  })

  it('keeps one file when a put is repeated after a lost response', async () => {
    const relay = await relayed()
    const store = opened(newBucket(), { timeout: 1_500 }, relay.port)
    await store.ready()
    relay.loseAnswers()
    await expect(store.put('a.pdf', Buffer.from('once'), PDF)).rejects.toThrow(Unavailable)
    relay.cut()
    await store.put('a.pdf', Buffer.from('once'), PDF)
    expect(String(await contentOf(store, 'a.pdf'))).toBe('once')
  })

  it('leaves nothing of an interrupted upload, and keeps the previous file', async () => {
    const store = opened(newBucket(), { timeout: 1_500 })
    await store.put('a.pdf', Buffer.from('before'), PDF)
    // A paused server accepts only as much as its buffers hold.
    await server.pause()
    const puts = await Promise.allSettled(['a.pdf', 'b.pdf'].map((key) => store.put(key, large, PDF)))
    await server.resume()
    for (const put of puts) expect(put).toMatchObject({ status: 'rejected', reason: { name: 'Unavailable' } })
    await store.ready()
    expect(String(await contentOf(store, 'a.pdf'))).toBe('before')
    expect(await store.get('b.pdf')).toBeUndefined()
  })
})
