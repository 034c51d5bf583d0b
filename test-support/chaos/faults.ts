import { type Service, services } from '#services/cli/server.ts'
import { type Installation, type RelayedServer, type Server, servers } from '#test-support/installation.ts'

/** A failure of an installation while clients write. */
export interface Fault {
  readonly name: string
  /** The processes and servers that it affects. */
  readonly touches: readonly string[]
  /** The number of processes that it kills. */
  readonly kills: number
  /** Whether a delivered mail may stay unrecorded: a worker or the connection to the mail server breaks. */
  readonly breaksMail: boolean
  /** Whether traders can still read: sessions and read models stay available. */
  readonly leavesReads: boolean
  begin(): Promise<void>
  end(): Promise<void>
}

/** The delay in ms of a slow network. */
const SLOW_MS = 40

/** All faults by name. */
export function createFaults(installation: Installation): ReadonlyMap<string, Fault> {
  const { programs, mail } = installation
  const killed = services.flatMap((service) => [0, 1].map((which) => serviceKilled(installation, service, which)))
  const onWorker = { kills: 0, breaksMail: true, leavesReads: true }
  const paused = programs.worker.map((_, which): Fault => {
    const name = `worker ${which + 1}`
    // The other worker takes over, and this one continues in the middle of its work.
    return {
      ...onWorker,
      name: `${name} paused`,
      touches: [name],
      begin: async () => programs.worker[which]?.pause(),
      end: async () => programs.worker[which]?.resume(),
    }
  })
  const mailAway = {
    ...onWorker,
    name: 'the mail server cut off',
    touches: ['mail'],
    begin: async () => mail.relay.refuse(),
    end: async () => mail.relay.accept(),
  }
  const faults = [
    ...killed,
    { ...combineFaults(...killed), name: 'every service killed' },
    ...paused,
    ...servers.flatMap((server) => serverFaults(server, installation.servers[server])),
    mailAway,
  ]
  return new Map(faults.map((fault) => [fault.name, fault]))
}

/** Several faults at once. */
export function combineFaults(...faults: readonly Fault[]): Fault {
  const touches = faults.flatMap((fault) => fault.touches)
  return {
    name: faults.map(({ name }) => name).join(', '),
    touches,
    kills: faults.reduce((sum, { kills }) => sum + kills, 0),
    breaksMail: faults.some(({ breaksMail }) => breaksMail),
    leavesReads:
      faults.every(({ leavesReads }) => leavesReads) &&
      !['query 1', 'query 2'].every((process) => touches.includes(process)),
    begin: async () => void (await Promise.all(faults.map((fault) => fault.begin()))),
    end: async () => void (await Promise.all(faults.map((fault) => fault.end()))),
  }
}

function serviceKilled(installation: Installation, service: Service, which: number): Fault {
  const name = `${service} ${which + 1}`
  const effects = { kills: 1, breaksMail: service === 'worker', leavesReads: true }
  return {
    ...effects,
    name: `${name} killed`,
    touches: [name],
    begin: () => installation.kill(service, which),
    end: () => installation.start(service, which),
  }
}

function serverFaults(name: Server, { server, relay }: RelayedServer): Fault[] {
  const effects = { touches: [name], kills: 0, breaksMail: false, leavesReads: name === 'event store' || name === 'S3' }
  return [
    // Redis has no disk here and returns empty.
    { ...effects, name: `${name} killed`, kills: 1, begin: () => server.kill(), end: () => server.start() },
    { ...effects, name: `${name} paused`, begin: async () => server.pause(), end: async () => server.resume() },
    { ...effects, name: `${name} cut off`, begin: async () => relay.refuse(), end: async () => relay.accept() },
    { ...effects, name: `${name} frozen`, begin: async () => relay.freeze(), end: async () => relay.thaw() },
    { ...effects, name: `${name} slow`, begin: async () => relay.delay(SLOW_MS), end: async () => relay.delay(0) },
    {
      ...effects,
      name: `${name}'s answers lost`,
      begin: async () => relay.loseAnswers(),
      end: async () => relay.cut(),
    },
  ]
}
