import { join } from 'node:path'
import { quantile } from '#test-support/quantile.ts'
import { startEventStore } from '#test-support/servers/event-store.ts'
import { jsonHeaders, load, loadAtRate, type LoadRequest, untilCaughtUp } from './clients.ts'
import {
  atLeast,
  below,
  byTurns,
  type Figure,
  median,
  percentiles,
  ratio,
  type Settings,
  type Subject,
  whole,
} from './figures.ts'
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
      floor: await floor({ kind: 'embedded log', path: join(scratchFolder('floor'), 'events.sqlite'), grouped: false }),
      'grouping floor': await floor({
        kind: 'embedded log',
        path: join(scratchFolder('floor'), 'events.sqlite'),
        grouped: true,
      }),
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
    const rates = (ours: keyof typeof sides, other: keyof typeof sides) =>
      `${whole(median(seen(ours)))} and ${whole(median(seen(other)))} a second`
    return [
      ...(['together', 'apart'] as const).map((how) =>
        below(
          `embedded log, services ${how}, at ${whole(WRITERS.perSecond)} changes a second by ${WRITERS.connections} writers, p95`,
          15,
          quantile(paced[how], 0.95),
          'ms',
          percentiles(paced[how], 0.5, 0.99),
        ),
      ),
      atLeast(
        'embedded log, to express, zod and one append a request',
        LEAST,
        ratio(seen('embedded'), seen('floor')),
        rates('embedded', 'floor'),
      ),
      {
        what: '  to a floor whose appends share commits, as ours do',
        value: `${ratio(seen('embedded'), seen('grouping floor')).text}, ${rates('embedded', 'grouping floor')}`,
      },
      atLeast(
        "log on EventStoreDB (double), to express, zod and the bare client's append",
        LEAST,
        ratio(seen('eventstoredb'), seen('client floor')),
        rates('eventstoredb', 'client floor'),
      ),
    ]
  },
}

async function portal(environment: Readonly<Record<string, string>>): Promise<Side> {
  const started = await startPortal(TRADERS, environment)
  return { ...started, requests: changesOf(started), rest: () => untilCaughtUp(started.url, started.admin) }
}

/** The times of changes at the rate of the goal while command and worker are processes on the same embedded stores. */
async function pacedApart(): Promise<number[]> {
  const portal = await startPortal(TRADERS)
  await portal.stop()
  const [command, worker] = [
    await startService('command', portal.dataDir),
    await startService('worker', portal.dataDir),
  ]
  const times = await loadAtRate(command.url, changesOf(portal), WRITERS)
  await command.stop()
  await worker.stop()
  return times
}

/** A floor gets the same requests; it does not ask who sends them. */
async function floor(options: unknown): Promise<Side> {
  const cookie = `proofdesk-session=${'x'.repeat(43)}`
  const requests = changesOf({
    admin: cookie,
    traders: Array.from({ length: TRADERS }, () => ({ id: 'x'.repeat(24), cookie })),
  })
  return { ...(await startFloor(options)), requests, rest: async () => {} }
}

/** For each trader a payout request and a change of the account, each of which is one event. */
export function changesOf({ traders, admin }: Pick<Portal, 'traders' | 'admin'>): LoadRequest[] {
  const payout = JSON.stringify({
    amount: '250.00',
    paymentMethod: 'bank',
    paymentDetails: 'IBAN DE89 3704 0044 0532 0130 00',
  })
  return traders.flatMap(({ cookie }, n): LoadRequest[] => {
    const other = traders[(n + traders.length / 2) % traders.length]
    return [
      {
        method: 'POST',
        path: '/api/user/payouts',
        headers: { ...jsonHeaders(cookie), 'idempotency-key': 'bench-{n}' },
        body: payout,
      },
      {
        method: 'PATCH',
        path: `/api/admin/user/${other?.id}/account`,
        headers: jsonHeaders(admin),
        body: JSON.stringify({ balance: '{n}.50' }),
      },
    ]
  })
}
