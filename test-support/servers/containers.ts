import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait, type WaitStrategy } from 'testcontainers'
import { type Image, images, isWanted } from './images.ts'
import { freePort } from './ports.ts'
import type { ServerProcess } from './server-process.ts'

/** Real servers in containers, with the interface of the servers that tests start otherwise. */

export interface ContainerProgram {
  readonly image: Image
  /** The port in the container; by default the same as outside. */
  readonly inside?: number
  readonly entrypoint?: readonly string[]
  readonly commandFor?: (port: number) => readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** How to find out that it is ready. */
  readonly ready: (port: number) => WaitStrategy
}

/** Starts an image. Its data stays in the container when that is killed and restarted. */
export async function startContainer({ image, inside, entrypoint, commandFor, environment = {}, ready }: ContainerProgram): Promise<ServerProcess> {
  const port = await freePort()
  const within = inside ?? port
  // A fixed port: a restarted container would get another one.
  const described = new GenericContainer(images[image])
    .withExposedPorts({ container: within, host: port })
    .withEnvironment(environment)
    .withWaitStrategy(ready(within))
  if (entrypoint) described.withEntrypoint([...entrypoint])
  if (commandFor) described.withCommand([...commandFor(within)])
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-server-'))
  const running = await stopOnExit(await described.start())
  return {
    ...running,
    port,
    folder,
    async close() {
      await running.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A container that tests can kill, pause and restart. */
async function stopOnExit(started: StartedTestContainer): Promise<Omit<ServerProcess, 'port' | 'folder'>> {
  const container = (await getContainerRuntimeClient()).container.getById(started.getId())
  const state = async () => (await container.inspect()).State
  const resume = async (): Promise<void> => {
    if ((await state()).Paused) await container.unpause()
  }
  return {
    async start() {
      if (!(await state()).Running) await started.restart()
    },
    async kill() {
      if (!(await state()).Running) return
      await container.kill()
      await container.wait()
    },
    pause: async () => void (await container.pause()),
    resume,
    async close() {
      await resume()
      await started.stop({ timeout: 5_000 })
    },
  }
}

/** EventStoreDB, one node without certificates. */
export function startEventStoreContainer(): Promise<ServerProcess> {
  const environment = { EVENTSTORE_INSECURE: 'true', EVENTSTORE_RUN_PROJECTIONS: 'None', EVENTSTORE_TELEMETRY_OPTOUT: 'true' }
  return startContainer({ image: 'eventstore', inside: 2113, environment, ready: (port) => Wait.forHttp('/health/live', port).forStatusCode(204) })
}

/** MongoDB standalone, or as a replica set of one. Its port is the same inside: a member of a set is known by its address. */
export function startMongoDbContainer(): Promise<ServerProcess> {
  const isSet = isWanted('mongodb-replica-set')
  const set = "try { rs.status() } catch { rs.initiate({ _id: 'tests', members: [{ _id: 0, host: '127.0.0.1:PORT' }] }) }; "
  const works = 'db.hello().isWritablePrimary || quit(1)'
  return startContainer({
    image: isSet ? 'mongodb-replica-set' : 'mongodb',
    commandFor: (port) => ['mongod', '--bind_ip_all', '--port', String(port), ...(isSet ? ['--replSet', 'tests'] : [])],
    ready: (port) => Wait.forSuccessfulCommand(`mongosh --quiet --port ${port} --eval "${isSet ? set.replace('PORT', String(port)) : ''}${works}"`),
  })
}

/** Redis. Without `keepsData` it is empty after a restart. */
export function startRedisContainer({ keepsData }: { readonly keepsData: boolean }): Promise<ServerProcess> {
  const kept = keepsData ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
  return startContainer({
    image: 'redis',
    inside: 6379,
    commandFor: () => ['redis-server', '--save', '', '--databases', '4096', ...kept],
    ready: () => Wait.forSuccessfulCommand('redis-cli ping'),
  })
}

/** An S3 server with one pair of credentials. */
export function startS3Container(accessKey: string, secretKey: string): Promise<ServerProcess> {
  if (isWanted('minio')) {
    return startContainer({
      image: 'minio',
      inside: 9000,
      environment: { MINIO_ROOT_USER: accessKey, MINIO_ROOT_PASSWORD: secretKey },
      commandFor: () => ['server', '/data'],
      ready: (port) => Wait.forHttp('/minio/health/ready', port),
    })
  }
  return startContainer({
    image: 'versitygw',
    inside: 7070,
    environment: { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
    entrypoint: ['sh', '-c', 'mkdir -p /data && exec versitygw --port :7070 --health /health posix /data'],
    ready: (port) => Wait.forHttp('/health', port),
  })
}

/** Mailpit receives mails at one port and shows them at another. */
export interface MailpitContainer extends Omit<ServerProcess, 'port' | 'folder'> {
  readonly smtpPort: number
  readonly webPort: number
}

/** Starts Mailpit, which keeps its mails over a restart. */
export async function startMailpitContainer(): Promise<MailpitContainer> {
  const [smtpPort, webPort] = [await freePort(), await freePort()]
  const described = new GenericContainer(images.mailpit)
    .withExposedPorts({ container: 1025, host: smtpPort }, { container: 8025, host: webPort })
    .withEnvironment({ MP_DATABASE: '/tmp/mails.db' })
    .withWaitStrategy(Wait.forHttp('/readyz', 8025))
  return { ...(await stopOnExit(await described.start())), smtpPort, webPort }
}
