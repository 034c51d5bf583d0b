import { readdir } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { parseS3Location } from '#infra/file-store/s3-address.ts'
import { namesIn } from './servers/images.ts'
import { servers, type StoreServer } from './setups.ts'
import type { FerretDb } from './servers/ferretdb.ts'
import type { MailServer } from './servers/mail-server.ts'
import type { RedisServer } from './servers/redis.ts'
import type { S3Server } from './servers/s3.ts'
import { embeddedPaths } from '#services/process/data-folder.ts'

/** The servers that the portals of this process use. */
const wanted = namesIn('PROOFDESK_TEST_STORES', servers)

/** Whether the portals of these tests use a server. */
export function isExternal(server: StoreServer): boolean {
  return wanted.includes(server)
}

/**
 * One for all tests of this process. They end with it. They are imported only when they are used: most tests need none.
 */
let mongodb: Promise<FerretDb> | undefined
let redis: Promise<RedisServer> | undefined
let s3: Promise<S3Server> | undefined
const startMongoDb = async () => (await import('./servers/ferretdb.ts')).startFerretDb()
const startRedis = async () => (await import('./servers/redis.ts')).startRedis()
const startS3 = async () => (await import('./servers/s3.ts')).startS3()
const startMailServer = async () => (await import('./servers/mail-server.ts')).startMailServer()

/** What the portals of a folder have to themselves on servers. It never changes for a folder. */
interface StorePlacement {
  readonly variables: Readonly<Record<string, string>>
  /** Where their mails arrive, if that is a server. */
  readonly mailServer: MailServer | undefined
}

const placements = new Map<string, Promise<StorePlacement>>()

/** The variables that make a portal use the servers of this test run, or the named ones. */
export async function storesFor(
  dataDir: string,
  on: readonly StoreServer[] = wanted,
): Promise<Readonly<Record<string, string>>> {
  const known = placements.get(dataDir)
  if (known) return (await known).variables
  const place = createPlacement(basename(dataDir), placements.size, on)
  placements.set(dataDir, place)
  return (await place).variables
}

/** The mails that the mail server of a folder's portals received, oldest first; undefined if mails are files. */
export async function takenByMailServer(dataDir: string): Promise<readonly Uint8Array[] | undefined> {
  return (await placements.get(dataDir))?.mailServer?.delivered
}

/** The keys of the files that a folder's portals store. */
export async function keysOfFiles(dataDir: string): Promise<string[]> {
  const bucket = (await placements.get(dataDir))?.variables['S3_URL']
  if (bucket !== undefined) return keysInBucket(bucket)
  const folder = embeddedPaths.files(dataDir)
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found.flatMap((entry) => (entry.isFile() ? [relative(folder, join(entry.parentPath, entry.name))] : []))
}

async function keysInBucket(address: string): Promise<string[]> {
  const { server, bucket, accessKey, secretKey, region } = parseS3Location(address)
  const { Client } = await import('minio')
  const client = new Client({
    endPoint: server.hostname,
    port: Number(server.port),
    useSSL: false,
    accessKey,
    secretKey,
    region,
  })
  // The first file creates the bucket.
  if (!(await client.bucketExists(bucket))) return []
  const keys: string[] = []
  for await (const { name } of client.listObjectsV2(bucket, '', true)) if (typeof name === 'string') keys.push(name)
  return keys
}

async function createPlacement(name: string, number: number, on: readonly StoreServer[]): Promise<StorePlacement> {
  const mailServer = on.includes('smtp') ? await startMailServer() : undefined
  const variables: Record<string, string> = {
    ...(mailServer && { SMTP_URL: mailServer.url.href }),
    ...(on.includes('eventstore') && { EVENTSTORE_URL: await newLog() }),
    ...(on.includes('mongodb') && { MONGODB_URL: (await (mongodb ??= startMongoDb())).urlOf(name) }),
    ...(on.includes('redis') && { REDIS_URL: `${(await (redis ??= startRedis())).url}/${number}` }),
    ...(on.includes('s3') && (await bucketsIn(await (s3 ??= startS3()), number))),
    // With keys on a server the folder has no master key.
    ...(on.includes('mongodb') && { MASTER_KEY: 'a master key for tests only, nowhere else' }),
  }
  return { variables, mailServer }
}

/** Each portal has its own log, and tests open several portals. */
async function newLog(): Promise<string> {
  const { limits } = await import('#infra/event-store/eventstoredb-connection.ts')
  const { newEventStore } = await import('./servers/event-store.ts')
  limits.servers = Number.POSITIVE_INFINITY
  return (await newEventStore()).url
}

async function bucketsIn({ urlOf }: S3Server, number: number): Promise<Record<string, string>> {
  const { s3Credentials } = await import('./servers/s3.ts')
  return { S3_URL: urlOf(`files-${number}`), SEALS_URL: urlOf(`seals-${number}`, { credentials: s3Credentials.seals }) }
}
