import { execFileSync } from 'node:child_process'
import { isWanted } from './images.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** A real Redis for tests. */
export interface RedisServer extends ServerProcess {
  readonly url: string
}

export interface RedisServerOptions {
  /** It keeps its data over a restart; otherwise it is empty then. */
  readonly keepsData?: boolean
}

/** Why Redis cannot run here, undefined if it can. With CI=true it must be installed. */
export const whyNoRedis: string | undefined = isWanted('redis') || isInstalled() ? undefined : 'redis-server is not installed'

/** Starts Debian's redis-server, or the image, on a free port. */
export async function startRedis({ keepsData = false }: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await (isWanted('redis') ? startImage(keepsData) : startProgram(keepsData))
  return { ...server, url: `redis://127.0.0.1:${server.port}` }
}

async function startImage(keepsData: boolean): Promise<ServerProcess> {
  return (await import('./containers.ts')).startRedisContainer({ keepsData })
}

function startProgram(keepsData: boolean): Promise<ServerProcess> {
  return startServerProcess({
    command: 'redis-server',
    argumentsFor: (port, folder) => [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--databases', '4096'],
      ...(keepsData ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']),
    ],
  })
}

function isInstalled(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' })
    return true
  } catch (error) {
    if (process.env['CI'] === 'true') throw new Error('redis-server is not installed', { cause: error })
    return false
  }
}
