import { createHash } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { Client, S3Error } from 'minio'
import { Unavailable } from '../failures.ts'
import { verifyContent } from './checked.ts'
import { checkKey, checkPrefix, type FileStore } from './file-store.ts'
import type { S3Location } from './s3-address.ts'
import { createTimeoutTransport } from './s3-transport.ts'

export interface S3Options {
  /** How long a request may make no progress, in ms. */
  readonly timeout?: number
  /** Objects a page of a listing, which are removed together; S3 takes up to 1000. */
  readonly pageSize?: number
  /** What is removed must be gone: a bucket that keeps old versions is refused. */
  readonly erases?: boolean
}

/** Below the five seconds after which a caller must hear that the store is away, with what a crowded machine adds. */
const TIMEOUT_MS = 3_000

/** The name under which an object's metadata keep the SHA-256 of its content. */
const HASH = 'sha256'

/** How often a folder that others fill is emptied, at most. */
const MAX_REMOVAL_PASSES = 1_000

/**
 * Files in a bucket of any S3, under their keys. Nobody but us reads them: no object is made public and no address is signed
 * for a browser, so downloads stay ours to allow.
 *
 * It opens without asking the server. At the first use the bucket is made, if it isn't there and the credentials may.
 */
export function createS3FileStore(place: S3Location, { timeout = TIMEOUT_MS, pageSize = 1_000, erases = true }: S3Options = {}): FileStore {
  const { bucket, region, server } = place
  const reached = createTimeoutTransport(server.protocol === 'https:', timeout)
  const client = new Client({
    endPoint: server.hostname.replaceAll(/[[\]]/g, ''),
    ...(server.port !== '' && { port: Number(server.port) }),
    useSSL: server.protocol === 'https:',
    accessKey: place.accessKey,
    secretKey: place.secretKey,
    // Known, it is never asked for.
    region,
    transport: reached.transport,
    transportAgent: reached.agent,
    // Whoever calls decides what is tried again; the client would also write to the console.
    retryOptions: { disableRetry: true },
  })
  let prepared: Promise<void> | undefined

  /** Once, at the first use that succeeds: a bucket that is gone later must not be taken for an empty one. */
  const prepare = async (): Promise<void> => {
    prepared ??= prepareBucket(client, place, erases)
    try {
      await prepared
    } catch (error) {
      prepared = undefined
      throw error
    }
  }

  const asked = async <Answer>(question: () => Promise<Answer>): Promise<Answer> => {
    try {
      if (reached.isClosed()) throw new Error('The store was closed')
      await prepare()
      return await question()
    } catch (error) {
      throw unavailable(error)
    }
  }

  return {
    async put(key, bytes, contentType) {
      checkKey(key)
      const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const metadata = { 'Content-Type': contentType, [`x-amz-meta-${HASH}`]: createHash('sha256').update(content).digest('hex') }
      await asked(() => client.putObject(bucket, key, content, content.length, metadata))
    },

    async get(key) {
      checkKey(key)
      return asked(async () => {
        const answer = await client.getObject(bucket, key).catch(isNotFound)
        if (!answer) return undefined
        if (!(answer instanceof IncomingMessage)) throw new Error('An answer came without its headers')
        const size = Number(answer.headers['content-length'] ?? NaN)
        const hash = answer.headers[`x-amz-meta-${HASH}`]
        if (!Number.isSafeInteger(size)) {
          answer.destroy()
          throw new Error('An object came without its size')
        }
        return { size, content: verifyContent(answer, { size, sha256: typeof hash === 'string' ? hash : undefined }, unavailable) }
      })
    },

    async removeAll(prefix) {
      checkPrefix(prefix)
      await asked(async () => {
        // From the beginning each time, until nothing is left: what is put meanwhile goes, too, and no listing goes stale.
        for (let times = 0; times < MAX_REMOVAL_PASSES; times++) {
          const keys = await firstPage(client, bucket, prefix, pageSize)
          if (keys.length === 0) return
          const failures = await client.removeObjects(bucket, keys)
          // What another removal was faster with is gone as well.
          const refused = failures.flatMap((failure) => failure?.Error?.Code ?? []).filter((code) => code !== 'NoSuchKey')
          if (refused.length > 0) throw new Error(`Objects could not be removed: ${refused[0]}`)
        }
        throw new Error('Others put files faster than they are removed')
      })
    },

    ready: () =>
      asked(async () => {
        if (!(await client.bucketExists(bucket))) throw new Error(`There is no bucket ${bucket}`)
      }),

    async close() {
      reached.close()
    },
  }
}

async function prepareBucket(client: Client, { bucket, region }: S3Location, erases: boolean): Promise<void> {
  if (!(await client.bucketExists(bucket)))
    // Of several that begin together one makes it.
    await client.makeBucket(bucket, region).catch((error: unknown) => {
      if (!hasCode(error, ['BucketAlreadyOwnedByYou'])) throw error
    })
  if (!erases) return
  const versioning: unknown = await client.getBucketVersioning(bucket).catch((error: unknown) => {
    // Not every S3 has versions, and not everybody may ask.
    if (!hasCode(error, ['NotImplemented', 'MethodNotAllowed', 'AccessDenied', 'VersioningNotConfigured'])) throw error
  })
  if (JSON.stringify(versioning ?? '').includes('"Enabled"'))
    throw new Error(`Bucket ${bucket} keeps old versions, so that nothing would ever be erased: switch its versioning off, or take another bucket`)
}

/** The first keys under a prefix. The listing goes on by itself: it is left after a page. */
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

/** The server's own words stay out of the log: they tell the credentials' name and what was signed. */
function unavailable(error: unknown): Unavailable {
  if (error instanceof Unavailable) return error
  const cause = error instanceof S3Error ? new Error(`The S3 server answered ${error.code ?? 'with an error'}`) : error
  return new Unavailable('file store', { cause })
}
