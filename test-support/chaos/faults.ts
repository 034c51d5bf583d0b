import { type Service, services } from '../../services/server.ts'
import type { Installation, RelayedServer, Server } from '../installation.ts'
import { servers } from '../installation.ts'

/** What is done to an installation while clients write. */
export interface Fault {
  readonly name: string
  /** Where it is done. */
  readonly touches: readonly string[]
  /** kill -9s of processes. */
  readonly kills: number
  /** Whether a mail may be handed over in it without anybody being left who knows: a worker or the line to the mail server broke. */
  readonly breaksMail: boolean
  /** Whether it leaves what traders' reads need: a session and the views. */
  readonly leavesReads: boolean
  begin(): Promise<void>
  end(): Promise<void>
}

/** How late everything comes by a slow network, in ms. */
const SLOW = 40

/** Every fault there is, by name. */
export function createFaults(installation: Installation): ReadonlyMap<string, Fault> {
  const faults = [
    ...services.flatMap((service) => [0, 1].map((which) => serviceKilled(installation, service, which))),
    everyServiceKilled(installation),
    workerPaused(installation, 0),
    workerPaused(installation, 1),
    ...servers.flatMap((server) => serverFaults(server, installation.servers[server])),
    mailAway(installation),
  ]
  return new Map(faults.map((fault) => [fault.name, fault]))
}

/** Several at once. */
export function combineFaults(...faults: readonly Fault[]): Fault {
  const touches = faults.flatMap((fault) => fault.touches)
  return {
    name: faults.map(({ name }) => name).join(', '),
    touches,
    kills: faults.reduce((sum, { kills }) => sum + kills, 0),
    breaksMail: faults.some(({ breaksMail }) => breaksMail),
    leavesReads: faults.every(({ leavesReads }) => leavesReads) && !['query 1', 'query 2'].every((process) => touches.includes(process)),
    begin: async () => void (await Promise.all(faults.map((fault) => fault.begin()))),
    end: async () => void (await Promise.all(faults.map((fault) => fault.end()))),
  }
}

function serviceKilled(installation: Installation, service: Service, which: number): Fault {
  return {
    name: `${service} ${which + 1} killed`,
    touches: [`${service} ${which + 1}`],
    kills: 1,
    breaksMail: service === 'worker',
    leavesReads: true,
    begin: () => installation.kill(service, which),
    end: () => installation.start(service, which),
  }
}

function everyServiceKilled(installation: Installation): Fault {
  const each = services.flatMap((service) => [0, 1].map((which) => serviceKilled(installation, service, which)))
  return { ...combineFaults(...each), name: 'every service killed' }
}

/** The other one takes over, and this one wakes up in the middle of what it did. */
function workerPaused({ programs }: Installation, which: number): Fault {
  return {
    name: `worker ${which + 1} paused`,
    touches: [`worker ${which + 1}`],
    kills: 0,
    breaksMail: true,
    leavesReads: true,
    begin: async () => programs.worker[which]?.pause(),
    end: async () => programs.worker[which]?.resume(),
  }
}

function serverFaults(name: Server, { server, relay }: RelayedServer): Fault[] {
  const common = { touches: [name], kills: 0, breaksMail: false, leavesReads: name === 'event store' || name === 'S3' }
  return [
    // Redis keeps nothing on a disk here: it comes back empty.
    { ...common, name: `${name} killed`, kills: 1, begin: () => server.kill(), end: () => server.start() },
    { ...common, name: `${name} paused`, begin: async () => server.pause(), end: async () => server.resume() },
    { ...common, name: `${name} cut off`, begin: async () => relay.refuse(), end: async () => relay.accept() },
    { ...common, name: `${name} frozen`, begin: async () => relay.freeze(), end: async () => relay.thaw() },
    { ...common, name: `${name} slow`, begin: async () => relay.delay(SLOW), end: async () => relay.delay(0) },
    { ...common, name: `${name}'s answers lost`, begin: async () => relay.loseAnswers(), end: async () => relay.cut() },
  ]
}

function mailAway({ mail: { relay } }: Installation): Fault {
  const begin = async () => relay.refuse()
  return { name: 'the mail server cut off', touches: ['mail'], kills: 0, breaksMail: true, leavesReads: true, begin, end: async () => relay.accept() }
}
