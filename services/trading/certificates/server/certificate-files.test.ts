import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Unavailable } from '#infra/failures.ts'
import { createDiskFileStore } from '#infra/file-store/disk-file-store.ts'
import type { FileStore } from '#infra/file-store/file-store.ts'
import { parseS3Location } from '#infra/file-store/s3-address.ts'
import { createS3FileStore } from '#infra/file-store/s3-file-store.ts'
import { temporaryFolder } from '#test-support/program.ts'
import { isS3InContainer, type S3Server, startS3 } from '#test-support/servers/s3.ts'
import { damageOf } from './certificate-files.ts'

const PDF = 'application/pdf'
const bytes = Buffer.alloc(300_000, '%PDF what was issued')
const recorded = { file: 'certificates/u1/c.pdf', sha256: createHash('sha256').update(bytes).digest('hex') }

let server: S3Server
beforeAll(async () => void (server = await startS3()))
afterAll(() => server?.close())

const folder = temporaryFolder(afterAll)
const stores: readonly (readonly [name: string, open: () => FileStore])[] = [
  ['on disk', () => createDiskFileStore(folder)],
  ['on S3', () => createS3FileStore(parseS3Location(server.urlOf('certificates')))],
]

describe.each(stores)('a certificate file %s', (_, open) => {
  it('is compared byte by byte with its recorded hash', async () => {
    const store = open()
    expect(await damageOf(recorded, store)).toBe('missing')
    await store.put(recorded.file, bytes, PDF)
    expect(await damageOf(recorded, store)).toBeUndefined()
    const altered = Buffer.from(bytes)
    altered[299_999] = 0
    for (const other of [altered, bytes.subarray(1), Buffer.concat([bytes, Buffer.from(' ')]), Buffer.alloc(0)]) {
      await store.put(recorded.file, other, PDF)
      expect(await damageOf(recorded, store)).toBe('altered')
    }
    await store.close()
  })
})

it.skipIf(isS3InContainer)(
  'a file that was altered in the bucket, past the store, is altered and not an outage',
  async () => {
    const store = createS3FileStore(parseS3Location(server.urlOf('altered')))
    await store.put(recorded.file, bytes, PDF)
    await writeFile(join(server.buckets, 'altered', `${recorded.file}._S3rver_object`), bytes.subarray(0, 299_000))
    expect(await damageOf(recorded, store)).toBe('altered')
    await server.kill()
    await expect(damageOf(recorded, store)).rejects.toThrow(Unavailable)
    await store.close()
  },
)
