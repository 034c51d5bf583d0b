import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** FerretDB: MongoDB's protocol from a server that can be built where there is no MongoDB. */
export interface FerretDb extends ServerProcess {
  /** The address of a database that nobody else has. */
  newUrl(): string
}

/** Why there can be no FerretDB here; undefined where there can. In CI it has to be there: then its start fails. */
export const whyNoFerretDb = ((): string | undefined => {
  if (process.env['CI'] === 'true') return undefined
  const missing = ['go', 'flock'].find((command) => spawnSync('which', [command]).status !== 0)
  return missing && `there is no ${missing} to build FerretDB with`
})()

/**
 * Starts a FerretDB on a free port with a folder of its own; the first time ever it is built, which takes minutes. It ends
 * with the process that started it, if it was not closed before.
 */
export async function startFerretDb(): Promise<FerretDb> {
  const { stdout } = await promisify(execFile)('bash', [fileURLToPath(new URL('ferretdb/build.sh', import.meta.url))])
  const server = await startServerProcess({ command: stdout.trim(), argumentsFor: (port, folder) => [`127.0.0.1:${port}`, folder] })
  let databases = 0
  return { ...server, newUrl: () => `mongodb://127.0.0.1:${server.port}/test_${(databases += 1)}` }
}
