import { basename } from 'node:path'
import { type FerretDb, startFerretDb } from '../../infra/testing/ferretdb.ts'
import { type RedisServer, startRedis } from '../../infra/testing/redis.ts'

/** The servers that portals of this process are to use, beside the stores in their folders: none, `mongodb`, `redis` or both. */
const wanted = (process.env['PROOFDESK_TEST_STORES'] ?? '').split(',').filter(Boolean)

/** Whether these tests' portals have a store on a server. */
export function isElsewhere(store: string): boolean {
  return wanted.includes(store)
}

/** One for all tests of this process; it ends with it. */
let mongodb: Promise<FerretDb> | undefined
let redis: Promise<RedisServer> | undefined

/** The database of each folder in it. */
const databases = new Map<string, number>()

/** The variables that put a portal on the servers that a run of the tests is to use. One folder has one database for good. */
export async function storesFor(dataDir: string): Promise<Record<string, string>> {
  return { ...(await mongodbFor(dataDir)), ...(await redisFor(dataDir)) }
}

async function mongodbFor(dataDir: string): Promise<Record<string, string>> {
  if (!isElsewhere('mongodb')) return {}
  mongodb ??= startFerretDb()
  return { MONGODB_URL: `mongodb://127.0.0.1:${(await mongodb).port}/${basename(dataDir)}`, MASTER_KEY: 'a master key for tests only, nowhere else' }
}

async function redisFor(dataDir: string): Promise<Record<string, string>> {
  if (!isElsewhere('redis')) return {}
  redis ??= startRedis().then((server) => {
    process.once('exit', () => void server.kill())
    return server
  })
  const database = databases.get(dataDir) ?? databases.size
  databases.set(dataDir, database)
  return { REDIS_URL: `${(await redis).url}/${database}` }
}
