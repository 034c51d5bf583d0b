import { createHash } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { Client, S3Error } from 'minio'
import { Unavailable } from '#infra/failures.ts'
import { verifyContent } from './checked.ts'
import { checkKey, checkPrefix, type FileStore } from './file-store.ts'
import type { S3Location } from './s3-address.ts'
import { createTimeoutTransport } from './s3-transport.ts'

export interface S3Options {
  /** How long a request may make no progress, in ms. */
  readonly timeout?: number
  /** Objects on a page of a listing, which are removed together; S3 allows up to 1000. */
  readonly pageSize?: number
  /** Removal must erase: a bucket that keeps old versions is refused. */
  readonly erases?: boolean
}

/** Callers must learn of an outage within five seconds, also on a busy machine. */
const TIMEOUT_MS = 3_000

/** The metadata field with the SHA-256 of an object's content. */
const HASH = 'sha256'

/** The most passes to empty a folder while others write to it. */
const MAX_REMOVAL_PASSES = 1_000

/**
 * Files in a bucket of any S3, under their keys. No object is public and no address is signed for browsers: we decide
 * on each download.
 *
 * Opening does not contact the server. The first use creates a missing bucket if the credentials permit it.
 */
export function createS3FileStore(
  location: S3Location,
  { timeout = TIMEOUT_MS, pageSize = 1_000, erases = true }: S3Options = {},
): FileStore {
  const { bucket, region, server } = location
  const connection = createTimeoutTransport(server.protocol === 'https:', timeout)
  const client = new Client({
    endPoint: server.hostname.replaceAll(/[[\]]/g, ''),
    ...(server.port !== '' && { port: Number(server.port) }),
    useSSL: server.protocol === 'https:',
    accessKey: location.accessKey,
    secretKey: location.secretKey,
    // Given, so that the client never asks for it.
    region,
    transport: connection.transport,
    transportAgent: connection.agent,
    // Callers decide on retries; the client would also write to the console.
    retryOptions: { disableRetry: true },
  })
  let prepared: Promise<void> | undefined

  /** Once, at the first use that succeeds: a bucket that disappears later must not count as empty. */
  const prepare = async (): Promise<void> => {
    prepared ??= prepareBucket(client, location, erases)
    try {
      await prepared
    } catch (error) {
      prepared = undefined
      throw error
    }
  }

  const request = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    try {
      if (connection.isClosed()) throw new Error('The store was closed')
      await prepare()
      return await call()
    } catch (error) {
      throw unavailable(error)
    }
  }

  return {
    async put(key, bytes, contentType) {
      checkKey(key)
      const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const metadata = {
        'Content-Type': contentType,
        [`x-amz-meta-${HASH}`]: createHash('sha256').update(content).digest('hex'),
      }
      await request(() => client.putObject(bucket, key, content, content.length, metadata))
    },

    async get(key) {
      checkKey(key)
      return request(async () => {
        const answer = await client.getObject(bucket, key).catch(isNotFound)
        if (!answer) return undefined
        if (!(answer instanceof IncomingMessage)) throw new Error('A response came without its headers')
        const size = Number(answer.headers['content-length'] ?? NaN)
        const hash = answer.headers[`x-amz-meta-${HASH}`]
        if (!Number.isSafeInteger(size)) {
          answer.destroy()
          throw new Error('An object came without its size')
        }
        return {
          size,
          content: verifyContent(answer, { size, sha256: typeof hash === 'string' ? hash : undefined }, unavailable),
        }
      })
    },

    async removeAll(prefix) {
      checkPrefix(prefix)
      await request(async () => {
        // List from the beginning each time: this also removes files put meanwhile, and no listing becomes stale.
        for (let times = 0; times < MAX_REMOVAL_PASSES; times++) {
          const keys = await firstPage(client, bucket, prefix, pageSize)
          if (keys.length === 0) return
          const failures = await client.removeObjects(bucket, keys)
          // Objects that a concurrent removal deleted are fine.
          const refused = failures
            .flatMap((failure) => failure?.Error?.Code ?? [])
            .filter((code) => code !== 'NoSuchKey')
          if (refused.length > 0) throw new Error(`Objects could not be removed: ${refused[0]}`)
        }
        throw new Error('Others put files faster than they are removed')
      })
    },

    ready: () =>
      request(async () => {
        if (!(await client.bucketExists(bucket))) throw new Error(`There is no bucket ${bucket}`)
      }),

    async close() {
      connection.close()
    },
  }
}

async function prepareBucket(client: Client, { bucket, region }: S3Location, erases: boolean): Promise<void> {
  if (!(await client.bucketExists(bucket)))
    // Of several processes that start together, one creates it.
    await client.makeBucket(bucket, region).catch((error: unknown) => {
      if (!hasCode(error, ['BucketAlreadyOwnedByYou'])) throw error
    })
  if (!erases) return
  const versioning: unknown = await client.getBucketVersioning(bucket).catch((error: unknown) => {
    // Some servers have no versions, and some credentials may not ask.
    if (!hasCode(error, ['NotImplemented', 'MethodNotAllowed', 'AccessDenied', 'VersioningNotConfigured'])) throw error
  })
  if (JSON.stringify(versioning ?? '').includes('"Enabled"'))
    throw new Error(
      `Bucket ${bucket} keeps old versions, so nothing would be erased: switch off its versioning, or use another bucket`,
    )
}

/** The first page of keys under a prefix. */
async function firstPage(client: Client, bucket: string, prefix: string, pageSize: number): Promise<string[]> {
  const keys: string[] = []
  for await (const { name } of client.listObjectsV2(bucket, prefix, true)) {
    if (typeof name === 'string') keys.push(name)
    if (keys.length >= pageSize) break
  }
  return keys
}

function isNotFound(error: unknown): undefined {
  if (!hasCode(error, ['NoSuchKey', 'NotFound'])) throw error
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof S3Error && error.code !== undefined && codes.includes(error.code)
}

/** Hides the server's messages from the log: they contain the name of the credentials and what was signed. */
function unavailable(error: unknown): Unavailable {
  if (error instanceof Unavailable) return error
  const cause = error instanceof S3Error ? new Error(`The S3 server answered ${error.code ?? 'with an error'}`) : error
  return new Unavailable('file store', { cause })
}
