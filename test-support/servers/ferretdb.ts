import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ContainerProgram } from './containers.ts'
import { isWanted } from './images.ts'
import { startServer } from './server-process.ts'
import { describeServer, whyNotInstalled } from './server-suite.ts'

export type FerretDb = Awaited<ReturnType<typeof startFerretDb>>

/** Whether a real MongoDB replaces it. */
const isInContainer = isWanted('mongodb', 'mongodb-replica-set')

/** Why FerretDB cannot be built and run here, undefined if it can. */
export const whyNoFerretDb = isInContainer
  ? undefined
  : (whyNotInstalled('go', 'version') ?? whyNotInstalled('flock', '--version'))

/** MongoDB. Its port is the same inside: a member of a replica set is known by its address. */
function mongod(options: readonly string[], prepare: (port: number) => string): ContainerProgram {
  return {
    commandFor: (port) => ['mongod', '--bind_ip_all', '--port', String(port), ...options],
    ready: {
      commandFor: (port) =>
        `mongosh --quiet --port ${port} --eval "${prepare(port)}db.hello().isWritablePrimary || quit(1)"`,
    },
  }
}

/**
 * Starts a FerretDB, which speaks MongoDB's protocol and can be built without one, on a free port with a folder of its
 * own. The first start builds it, which takes minutes. It ends with the process that started it, if it was not closed
 * before.
 */
export async function startFerretDb() {
  const script = fileURLToPath(new URL('ferretdb/build.sh', import.meta.url))
  const server = await startServer({
    command: isInContainer ? '' : (await promisify(execFile)('bash', [script])).stdout.trim(),
    argumentsFor: (port, folder) => [`127.0.0.1:${port}`, folder],
    // Go would spend half of a small server's processor time on collecting garbage.
    environment: { GOGC: '500', GOMEMLIMIT: '512MiB' },
    images: {
      mongodb: mongod([], () => ''),
      'mongodb-replica-set': mongod(
        ['--replSet', 'tests'],
        (port) =>
          `try { rs.status() } catch { rs.initiate({ _id: 'tests', members: [{ _id: 0, host: '127.0.0.1:${port}' }] }) }; `,
      ),
    },
  })
  const set = isWanted('mongodb-replica-set') ? '?replicaSet=tests' : ''
  const urlOf = (database: string) => `mongodb://127.0.0.1:${server.port}/${database}${set}`
  let databases = 0
  return { ...server, urlOf, /** The address of a new database. */ newUrl: () => urlOf(`test_${(databases += 1)}`) }
}

/** Tests that share a FerretDB. Without one they are skipped and name the reason. */
export function describeFerretDb(name: string, tests: (shared: () => FerretDb) => void): void {
  describeServer(name, whyNoFerretDb, startFerretDb, tests)
}
