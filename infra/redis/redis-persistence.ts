import type { Redis as Client } from 'ioredis'
import type { Redis } from './redis-connection.ts'

/** Whether a Redis keeps what it confirmed; 'unknown' when its user may not ask. */
export type Persistence = 'keeps' | 'evicts' | 'drops-at-restart' | 'unknown'

/**
 * Asks a Redis what it would lose. A Redis with an append-only file restores transactions and scripts as the user
 * `default`, and drops those that this user may not run, in silence: redis/redis#14541.
 *
 * @throws {Unavailable}
 */
export function readPersistence(redis: Redis): Promise<Persistence> {
  return redis.run('session store', async (client) => {
    const info = await client.info()
    if (!info.includes('maxmemory_policy:noeviction')) return 'evicts'
    if (!info.includes('aof_enabled:1')) return 'keeps'
    return mayDefaultUserWrite(client)
  })
}

async function mayDefaultUserWrite(client: Client): Promise<Persistence> {
  try {
    return (await client.call('ACL', 'DRYRUN', 'default', 'SET', 'proofdesk', '')) === 'OK'
      ? 'keeps'
      : 'drops-at-restart'
  } catch (error) {
    // A user without the right to ask, or a Redis before 7.0.
    if (error instanceof Error && /^(NOPERM|ERR) /.test(error.message)) return 'unknown'
    throw error
  }
}
