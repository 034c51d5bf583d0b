import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isWanted } from './images.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** FerretDB speaks MongoDB's protocol and can be built without a MongoDB. */
export interface FerretDb extends ServerProcess {
  /** The address of a new database. */
  newUrl(): string
  urlOf(database: string): string
}

/** Whether a real MongoDB replaces it. */
const isInContainer = isWanted('mongodb') || isWanted('mongodb-replica-set')

/** Why FerretDB cannot run here, undefined if it can. In CI a missing one fails its start. */
export const whyNoFerretDb = ((): string | undefined => {
  if (isInContainer || process.env['CI'] === 'true') return undefined
  const missing = ['go', 'flock'].find((command) => spawnSync('which', [command]).status !== 0)
  return missing && `there is no ${missing} to build FerretDB with`
})()

/**
 * Starts a FerretDB on a free port with a folder of its own. The first start builds it, which takes minutes. It ends with the
 * process that started it, if it was not closed before.
 */
export async function startFerretDb(): Promise<FerretDb> {
  const server = await (isInContainer ? startImage() : startProgram())
  const set = isWanted('mongodb-replica-set') ? '?replicaSet=tests' : ''
  const urlOf = (database: string) => `mongodb://127.0.0.1:${server.port}/${database}${set}`
  let databases = 0
  return { ...server, urlOf, newUrl: () => urlOf(`test_${(databases += 1)}`) }
}

async function startImage(): Promise<ServerProcess> {
  return (await import('./containers.ts')).startMongoDbContainer()
}

async function startProgram(): Promise<ServerProcess> {
  const { stdout } = await promisify(execFile)('bash', [fileURLToPath(new URL('ferretdb/build.sh', import.meta.url))])
  return startServerProcess({ command: stdout.trim(), argumentsFor: (port, folder) => [`127.0.0.1:${port}`, folder] })
}
