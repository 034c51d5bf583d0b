import { join } from 'node:path'
import { processorTime } from '#test-support/processor-time.ts'
import { startEventStore } from '#test-support/servers/event-store.ts'
import { jsonHeaders, load, loadAtRate, type LoadRequest, untilCaughtUp } from './clients.ts'
import { below, byTurns, type Figure, p95, rates, ratio, type Settings, type Subject, whole } from './figures.ts'
import { type Portal, scratchFolder, type Server, startFloor, startPortal, startService } from './programs.ts'

const TRADERS = 100
const ROUNDS = 5
const LEAST = 0.6
/** The goal of users: so many changes, by so many writers at once. */
const WRITERS = { connections: 50, perSecond: 1_500 }

/** A server under load. */
interface Side extends Server {
  readonly requests: readonly LoadRequest[]
  /** Waits for background work that the load left. */
  rest(): Promise<void>
}

/** How many changes a second, against the least that a service could do for them. */
export const commands: Subject = {
  name: 'commands',
  about:
    'changes over HTTP, half payout requests, half account changes, 32 connections, the whole portal in one process',

  async measure({ say }: Settings): Promise<readonly Figure[]> {
    const double = await startEventStore()
    // The portal would take the floor's events for forged ones.
    const doubleOfFloor = await startEventStore()
    const sides = {
      embedded: await portal({}),
      floor: await embeddedFloor(false),
      'grouping floor': await embeddedFloor(true),
      eventstoredb: await portal({ EVENTSTORE_URL: double.url }),
      'client floor': await floor({ kind: 'eventstoredb', url: doubleOfFloor.url }),
    }
    const names = ['embedded', 'floor', 'grouping floor', 'eventstoredb', 'client floor'] as const
    const seen = await byTurns(ROUNDS, names, async (name) => {
      const { url, requests, rest } = sides[name]
      const { perSecond, p99 } = await load(url, requests)
      say(`${name}: ${whole(perSecond)}/s, p99 ${p99.toFixed(0)} ms`)
      await rest()
      return perSecond
    })
    const { url, requests } = sides.embedded
    const paced = { together: await loadAtRate(url, requests, WRITERS), apart: await pacedApart() }
    for (const { stop } of Object.values(sides)) await stop()
    for (const { close } of [double, doubleOfFloor]) await close()
    const grouping = '  to a floor whose appends share commits, as ours do'
    const writers = `at ${whole(WRITERS.perSecond)} changes a second by ${WRITERS.connections} writers`
    const bare = "log on EventStoreDB (double), to express, zod and the bare client's append"
    return [
      p95(`embedded log, services together, ${writers}`, 15, paced.together),
      p95(`embedded log, services apart, ${writers}`, 15, paced.apart),
      rates('embedded log, to express, zod and one append a request', LEAST, seen, 'embedded', 'floor'),
      { what: grouping, value: rates(grouping, 0, seen, 'embedded', 'grouping floor').value },
      rates(bare, LEAST, seen, 'eventstoredb', 'client floor'),
    ]
  },
}

async function portal(environment: Readonly<Record<string, string>>): Promise<Side> {
  const started = await startPortal(TRADERS, environment)
  return { ...started, requests: changesOf(started), rest: () => untilCaughtUp(started.url, started.admin) }
}

/** The times of changes at the rate of the goal while command and worker are processes on the same embedded stores. */
async function pacedApart(): Promise<number[]> {
  const { stop, dataDir, ...prepared } = await startPortal(TRADERS)
  await stop()
  const command = await startService('command', dataDir)
  const worker = await startService('worker', dataDir)
  const times = await loadAtRate(command.url, changesOf(prepared), WRITERS)
  await command.stop()
  await worker.stop()
  return times
}

const embeddedFloor = (grouped: boolean) =>
  floor({ kind: 'embedded log', path: join(scratchFolder('floor'), 'events.sqlite'), grouped })

/** A floor gets the same requests; it does not ask who sends them. */
async function floor(options: unknown): Promise<Side> {
  const admin = `proofdesk-session=${'x'.repeat(43)}`
  const traders = Array.from({ length: TRADERS }, () => ({ id: 'x'.repeat(24), cookie: admin }))
  return { ...(await startFloor(options)), requests: changesOf({ admin, traders }), rest: async () => {} }
}

/** For each trader a payout request and a change of the account, each of which is one event. */
export function changesOf({ traders, admin }: Pick<Portal, 'traders' | 'admin'>): LoadRequest[] {
  const details = 'IBAN DE89 3704 0044 0532 0130 00'
  const payout = JSON.stringify({ amount: '250.00', paymentMethod: 'bank', paymentDetails: details })
  return traders.flatMap(({ cookie }, n): LoadRequest[] => {
    const other = traders[(n + traders.length / 2) % traders.length]
    const key = { 'idempotency-key': 'bench-{n}' }
    const body = JSON.stringify({ balance: '{n}.50' })
    return [
      { method: 'POST', path: '/api/user/payouts', headers: { ...jsonHeaders(cookie), ...key }, body: payout },
      { method: 'PATCH', path: `/api/admin/user/${other?.id}/account`, headers: jsonHeaders(admin), body },
    ]
  })
}

/** A hundred times as often as by default. */
const SEAL_SECONDS = 3

/** What sealing, with the ends of streams, costs those who decide: changes with many seals, against those without. */
export const sealing: Subject = {
  name: 'sealing',
  about: `changes over HTTP while the log is sealed every ${SEAL_SECONDS} s, a hundred times as often as by default`,

  async measure({ say }: Settings): Promise<Figure[]> {
    const start = (seconds: number) => startPortal(TRADERS, { SEAL_SECONDS: String(seconds) })
    const sides = { sealed: await start(SEAL_SECONDS), unsealed: await start(86_400) }
    const changes: Record<keyof typeof sides, number[]> = { sealed: [], unsealed: [] }
    const cost = await byTurns(9, ['sealed', 'unsealed'], async (side) => {
      const { url, pid, admin } = sides[side]
      const before = processorTime(pid)
      const { answered, perSecond } = await load(url, changesOf(sides[side]))
      changes[side].push(perSecond)
      await untilCaughtUp(url, admin)
      const each = ((processorTime(pid) - before) * 1_000) / answered
      say(`${side}: ${whole(perSecond)} changes a second, ${whole(each)} µs of processor time each`)
      return each
    })
    for (const { stop } of Object.values(sides)) await stop()
    const share = ratio(cost('sealed'), cost('unsealed'))
    const seen = (side: keyof typeof sides) => changes[side]
    return [
      rates('changes a second, to those without seals', 0.9, seen, 'sealed', 'unsealed'),
      below('  the processor time of one, to that of one without seals', 1.1, share.median, '', share.text),
    ]
  },
}
