import { readFileSync } from 'node:fs'
import { openRedis, type Redis } from '#infra/redis/redis-connection.ts'
import { isWanted } from './images.ts'
import { startServer } from './server-process.ts'
import { describeServer, whyNotInstalled } from './server-suite.ts'

export type RedisServer = Awaited<ReturnType<typeof startRedis>>

export interface RedisServerOptions {
  /** It keeps its data over a restart; otherwise it is empty then. */
  readonly keepsData?: boolean
  /** Its users, as rules of an ACL. Those of the compose file are {@link composeUsers}. */
  readonly users?: readonly string[]
}

/** The password of the portal's user in {@link composeUsers}. */
const PASSWORD = 'redis-password-of-tests'

/** The users that the compose file creates. */
export const composeUsers: readonly string[] = [
  ...readFileSync(new URL('../../infra/deploy/compose.yaml', import.meta.url), 'utf8').matchAll(/^ +user (\S.*)$/gm),
].map(([, rules = '']) => rules.replace('$$(cat /run/secrets/redis_password)', PASSWORD))

/** Why Redis cannot run here, undefined if it can. */
export const whyNoRedis: string | undefined = isWanted('redis')
  ? undefined
  : whyNotInstalled('redis-server', '--version')

/** Starts Debian's redis-server, or the image, on a free port. */
export async function startRedis({ keepsData = false, users = [] }: RedisServerOptions = {}) {
  const settings = [
    '--save',
    '',
    '--databases',
    '4096',
    '--appendonly',
    ...(keepsData ? ['yes', '--appendfsync', 'always'] : ['no']),
    ...users.flatMap((rules) => ['--user', ...rules.split(' ')]),
  ]
  const server = await startServer({
    command: 'redis-server',
    argumentsFor: (port, folder) => ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...settings],
    images: {
      redis: {
        inside: 6379,
        commandFor: () => ['redis-server', ...settings],
        ready: { commandFor: () => 'redis-cli ping' },
      },
    },
  })
  const credentials = users.length > 0 ? `proofdesk:${PASSWORD}@` : ''
  return { ...server, url: `redis://${credentials}127.0.0.1:${server.port}` }
}

/** Tests that share a real Redis and a connection to it. Without one they are skipped and name the reason. */
export function describeRedis(
  name: string,
  tests: (shared: () => { readonly server: RedisServer; readonly redis: Redis }) => void,
): void {
  const open = async () => {
    const server = await startRedis()
    const redis = openRedis(server.url)
    const close = async (): Promise<void> => {
      await redis.close()
      await server.close()
    }
    return { server, redis, close }
  }
  describeServer(name, whyNoRedis, open, tests)
}
