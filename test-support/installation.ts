import { readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { useMailServer } from './servers/mail-server.ts'
import { startEventStore } from './servers/event-store.ts'
import { startFerretDb } from './servers/ferretdb.ts'
import { startRedis } from './servers/redis.ts'
import { openRelay, type Relay } from './servers/relay.ts'
import { s3Credentials, startS3 } from './servers/s3.ts'
import type { ServerProcess } from './servers/server-process.ts'
import { type Service, services } from '#services/cli/server.ts'
import { type Program, startProgram, temporaryFolder } from './program.ts'
import { startProxy } from './proxy.ts'

/** A firm's installation of real processes: two for each service behind a proxy, and each server behind a relay. */

/** A server of the installation, and the relay in front of it. */
export interface RelayedServer {
  readonly server: Pick<ServerProcess, 'kill' | 'start' | 'pause' | 'resume'>
  readonly relay: Relay
}

export const servers = ['event store', 'MongoDB', 'Redis', 'S3'] as const
export type Server = (typeof servers)[number]

/** A delivered mail: its job, and when it arrived. */
export interface Delivery {
  readonly job: string
  readonly at: number
}

export type Installation = Awaited<ReturnType<typeof openInstallation>>

/** The number of processes for each service. */
const EACH = 2

/** Starts everything on free ports until the test ends. */
export async function openInstallation(variables: Readonly<Record<string, string>>) {
  const dataDir = temporaryFolder()
  const closing = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    onTestFinished(() => part.close())
    return part
  }
  const relayTo = async (port: number): Promise<Relay> => closing(await openRelay(() => port))
  const [eventStore, mongodb, redis, s3] = await Promise.all([
    startEventStore(),
    startFerretDb(),
    startRedis(),
    startS3(),
  ])
  for (const server of [eventStore, mongodb, redis, s3]) closing(server)
  const reached: Readonly<Record<Server, RelayedServer>> = {
    'event store': { server: eventStore, relay: await relayTo(eventStore.port) },
    MongoDB: { server: mongodb, relay: await relayTo(mongodb.port) },
    Redis: { server: redis, relay: await relayTo(redis.port) },
    S3: { server: s3, relay: await relayTo(s3.port) },
  }
  const inbox = await useMailServer()
  const deliveries = (): Delivery[] =>
    inbox.delivered.map((mail, n) => ({
      job: /^Message-ID: <([^@]+)@/im.exec(Buffer.from(mail).toString())?.[1] ?? '',
      at: inbox.deliveredAt[n] ?? 0,
    }))
  const mailRelay = await relayTo(Number(inbox.url.port))
  const portOf = (server: Server) => reached[server].relay.port
  const environment = {
    DATA_DIR: dataDir,
    EVENTSTORE_URL: `esdb://127.0.0.1:${portOf('event store')}?tls=false`,
    MONGODB_URL: `mongodb://127.0.0.1:${portOf('MongoDB')}/proofdesk`,
    REDIS_URL: `redis://127.0.0.1:${portOf('Redis')}`,
    S3_URL: s3.urlOf('files', { port: portOf('S3') }),
    SEALS_URL: s3.urlOf('seals', { port: portOf('S3'), credentials: s3Credentials.seals }),
    SMTP_URL: `smtp://127.0.0.1:${mailRelay.port}`,
    ...variables,
  }
  const one = (service: Service) => startProgram({ dataDir, service, environment })
  const both = async (service: Service): Promise<Program[]> =>
    Promise.all(Array.from({ length: EACH }, () => one(service)))
  const [command, query, worker] = await Promise.all([both('command'), both('query'), both('worker')])
  const programs: Record<Service, Program[]> = { command, query, worker }
  const urlsOf = (service: Service) => programs[service].map(({ url }) => url)
  const proxy = closing(await startProxy(() => ({ command: urlsOf('command'), query: urlsOf('query') })))
  const largest = (line: 'VmHWM' | 'VmRSS') => {
    const sizes = services.flatMap((service) => programs[service]).flatMap(({ pid }) => memoryOf(pid, line) ?? [])
    return sizes.length > 0 ? Math.max(...sizes) : undefined
  }
  return {
    /** Where the proxy listens. */
    url: proxy.url,
    /** The variables of every process. */
    environment,
    servers: reached,
    mail: { relay: mailRelay, deliveries },
    /** The two processes of each service. */
    programs,
    /** Kills one of the two with SIGKILL. */
    kill: async (service: Service, which: number): Promise<void> => programs[service][which]?.kill(),
    /** Starts it again and waits until it is ready. */
    async start(service: Service, which: number): Promise<void> {
      programs[service][which] = await one(service)
    },
    /** The peak memory of the largest running process in MB, undefined if the system does not report it. */
    memory: () => largest('VmHWM'),
    /** The memory of the largest running process in MB. */
    memoryNow: () => largest('VmRSS'),
  }
}

/** The peak (VmHWM) or current (VmRSS) memory of a process in MB. */
function memoryOf(pid: number, line: 'VmHWM' | 'VmRSS'): number | undefined {
  try {
    const [, kilobytes] =
      new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024)
  } catch {
    return undefined
  }
}
