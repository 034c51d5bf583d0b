import { Redis } from 'ioredis'
import { MongoClient } from 'mongodb'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type EventStoreDouble, startDouble } from '#test-support/eventstoredb-double/double.ts'
import { useMailServer } from '#test-support/servers/mail-server.ts'
import { startFerretDb, whyNoFerretDb } from '#test-support/servers/ferretdb.ts'
import { whyNoRedis, startRedis } from '#test-support/servers/redis.ts'
import { s3Credentials, startS3 } from '#test-support/servers/s3.ts'
import { searchFolder, searchText } from '#test-support/byte-search.ts'
import { openPortal } from '#test-support/portal.ts'
import { temporaryFolder } from '#test-support/program.ts'
import { person, createUserWithAllData, retainedTexts } from '#test-support/erasure-scenario.ts'
import { until } from '#test-support/until.ts'

const missing = whyNoFerretDb ?? whyNoRedis

/**
 * What is looked for: whole, as everywhere, and the pieces of texts that documents are found by. In quotes, as no
 * sealed bytes are by chance.
 */
const theirs = {
  ...person,
  'a piece of the last name': '"ishqu"',
  'a piece of the email': '"elind"',
  'a piece of the street': '"uietf"',
}

describe.skipIf(missing)(
  `a deleted person, with everything on servers${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    it('is in no document, key, object, event or file', async () => {
      const [mongodb, redis, s3, double] = await Promise.all([startFerretDb(), startRedis(), startS3(), startDouble()])
      for (const server of [mongodb, redis, s3, double]) onTestFinished(() => server.close())
      const [dataDir, url] = [temporaryFolder(), mongodb.newUrl()]
      const environment = {
        EVENTSTORE_URL: double.url,
        MONGODB_URL: url,
        REDIS_URL: redis.url,
        S3_URL: s3.urlOf('files'),
        SEALS_URL: s3.urlOf('seals', { credentials: s3Credentials.seals }),
        SMTP_URL: (await useMailServer()).url.href,
        MASTER_KEY: 'the master key of an installation on servers',
        SEAL_SECONDS: '1',
      }
      const portal = await openPortal({ dataDir, environment })
      onTestFinished(() => portal.stop())

      /** Where something of a person is. */
      const placesOf = async (texts: Readonly<Record<string, string>>): Promise<Record<string, readonly string[]>> => {
        const everything = {
          MongoDB: searchText(await documentsIn(url), texts),
          Redis: searchText(await keysIn(redis.url), texts),
          S3: (await searchFolder(s3.buckets, texts)).finds,
          log: searchText(factsIn(double), texts),
          folder: (await searchFolder(dataDir, texts)).finds,
        }
        return Object.fromEntries(
          Object.entries(everything).flatMap(([place, finds]) =>
            finds.length > 0 ? [[place, [...new Set(finds.map(({ what }) => what))].sort()]] : [],
          ),
        )
      }

      const { admin, trader, id } = await createUserWithAllData(portal)
      const before = await placesOf(theirs)
      expect(Object.keys(before)).toEqual(['MongoDB', 'S3'])
      expect(before['MongoDB']).toEqual(
        expect.arrayContaining(['a piece of the email', 'a piece of the last name', 'city', 'email', 'last name']),
      )
      expect(before['S3']).toEqual(['content of a certificate'])

      expect((await admin.delete(`/api/admin/user/${id}`)).status).toBe(200)
      expect((await trader.get('/api/user')).status).toBe(401)
      await portal.mailed()
      const gone = async () => Object.keys(await placesOf(theirs)).length === 0
      await until(gone, 'nothing of the person to be left', 60_000).catch(async (error: unknown) =>
        expect(await placesOf(theirs), String(error)).toEqual({}),
      )
      // Another person's is still found, and of this one only that they existed.
      expect(Object.keys(await placesOf(retainedTexts))).toEqual(['MongoDB'])
      expect(Object.keys(await placesOf({ id }))).toEqual(expect.arrayContaining(['MongoDB', 'log']))
    })
  },
)

/** Every document of a database, of every collection, as one text. */
async function documentsIn(url: string): Promise<string> {
  const client = new MongoClient(url)
  try {
    const texts: string[] = []
    for (const { name } of await client.db().listCollections().toArray())
      for await (const document of client.db().collection(name).find())
        texts.push(`${name} ${JSON.stringify(document)}`)
    return texts.join('\n')
  } finally {
    await client.close()
  }
}

/** Every key of a Redis with all that is in it, as one text. */
async function keysIn(url: string): Promise<string> {
  const redis = new Redis(url)
  const contentOf: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
    string: (key) => redis.get(key),
    hash: (key) => redis.hgetall(key),
    list: (key) => redis.lrange(key, '0', '-1'),
    set: (key) => redis.smembers(key),
    zset: (key) => redis.zrange(key, '0', '-1'),
    stream: (key) => redis.xrange(key, '-', '+'),
    // It has gone meanwhile.
    none: async () => null,
  }
  try {
    const texts: string[] = []
    for (const key of await redis.keys('*')) {
      const type = await redis.type(key)
      texts.push(`${key} ${JSON.stringify(await (contentOf[type] ?? expect.fail(`What is a ${type}?`))(key))}`)
    }
    expect(texts.length).toBeGreaterThan(0)
    return texts.join('\n')
  } finally {
    redis.disconnect()
  }
}

/** Every event that the event store has, the server's own among them, as one text. */
function factsIn({ log }: EventStoreDouble): string {
  return log.events
    .map(
      ({ stream, type, data, metadata }) =>
        `${stream} ${type} ${Buffer.from(data).toString()} ${Buffer.from(metadata).toString()}`,
    )
    .join('\n')
}
