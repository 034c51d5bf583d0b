import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { z } from 'zod'
import { openSqliteEventStore } from '#infra/event-store/sqlite-event-store.ts'
import { toCheckpoint, toPosition } from '#infra/event-store/event-store.ts'
import { openSqliteTreeStore } from '#infra/tree-store/sqlite-tree-store.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { verifyExport } from '#services/oversight/audit/export-verification.ts'
import { noticeStreams } from '#services/identity/users/seen-notices.ts'
import { createSealer } from '#services/proof/sealer.ts'
import { System } from '#services/operations/installation/installation-api.ts'
import { embeddedPaths } from '#services/process/data-folder.ts'
import {
  type AccountState,
  type AccountStreamEvent,
  accountStateDecider,
  accountStreams,
} from '#services/trading/stream/account-aggregate.ts'
import { accountIdOf, type UserId } from '#services/framework/ids.ts'
import { type AnyEvent, eventRegistry } from '#services/oversight/event-catalogue.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import { decodeEvent, type RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { readLog } from '#services/event-sourcing/read-log.ts'
import { createRandom } from '../demo/random.ts'
import { createEventTree } from '#services/proof/event-tree.ts'
import { leafOf } from '#services/proof/merkle-tree.ts'
import { TreeWriter } from '#services/proof/tree-blocks.ts'
import { multiProof } from '#services/proof/tree-proofs.ts'
import { ADMIN_KEY } from '#test-support/program.ts'
import { collect } from '#test-support/sample-events.ts'
import { withDependencies } from '#test-support/stores.ts'
import { until } from '#test-support/until.ts'
import {
  below,
  byTurns,
  type Figure,
  median,
  p95,
  percentiles,
  rates,
  ratio,
  type Settings,
  type Subject,
  whole,
} from './figures.ts'
import { prepared, writeBusyFirm } from './histories.ts'
import { openPortal, projectAll, runCommand, scratchFolder } from './programs.ts'

const LONG = 10_000
const REQUESTS = 300
/** Leaves of the tree, and of them those that one export proves. */
const LEAVES = 10_000_000
const PROVEN = 10_000
/** Leaves that are written together. */
const BATCH = 16_384

/** How fast the questions of an auditor are answered. */
export const audit: Subject = {
  name: 'audit',
  about: `an account of ${whole(LONG)} events, the verification of a log, and proofs`,

  async measure(settings: Settings): Promise<readonly Figure[]> {
    return [...(await longAccount(settings)), ...(await verification(settings)), ...(await proofs(settings))]
  },
}

async function longAccount({ say }: Settings): Promise<Figure[]> {
  const dataDir = scratchFolder('audit')
  say('writing a long account')
  const owner = await longLived(dataDir, LONG)
  const replay = await compareReplay(dataDir, owner)
  const { read, times, stop } = await openPortal(dataDir)
  const account = `/api/audit/accounts/${owner}`
  const { numbers } = await read(z.object({ numbers: z.array(z.int()) }), 'GET', `${account}/moments`)
  const atMoment = await times(REQUESTS, (n) => `${account}?at=${numbers[(n * 7_919) % numbers.length]}`)
  const page = await times(REQUESTS, () => `${account}/events?limit=100`)
  await stop()
  return [
    replay,
    p95('the account at any moment over HTTP', 20, atMoment),
    p95('its first 100 entries over HTTP', 20, page),
  ]
}

/** Writes a log of one trader with so many events, and returns the trader. */
async function longLived(dataDir: string, events: number): Promise<UserId> {
  const [owner] = await writeBusyFirm(dataDir, events, events)
  if (!owner) throw new Error('Nobody joined')
  return owner
}

/** Decodes and folds all events of the account, and parses the same texts. */
async function compareReplay(dataDir: string, owner: UserId): Promise<Figure> {
  const { stored, key } = await withDependencies(
    { DATA_DIR: dataDir, ADMIN_ACCESS_KEY: ADMIN_KEY },
    async ({ eventStore, personKeys }) => ({
      stored: (await collect(eventStore.readStream(streamName(accountStreams, accountIdOf(owner, 1))))).flat(),
      key: (await personKeys.get([owner])).get(owner),
    }),
  )
  const isOfAccount = (event: RecordedEvent<AnyEvent>): event is Extract<RecordedEvent<AnyEvent>, AccountStreamEvent> =>
    Object.hasOwn(accountStreams.definitions, event.type)
  const sides = {
    replay() {
      const events = stored.map((event) => decodeEvent(eventRegistry, event, key)).filter(isOfAccount)
      if (!events.reduce<AccountState>(accountStateDecider.evolve, accountStateDecider.initial).account.open)
        throw new Error('The account is not open')
    },
    parse() {
      for (const { data, metadata } of stored)
        if (typeof JSON.parse(data) !== typeof JSON.parse(metadata)) throw new Error('These are no objects')
    },
  }
  const times = await byTurns(60, ['replay', 'parse'], async (side) => {
    const began = performance.now()
    sides[side]()
    return performance.now() - began
  })
  // V8 compiles what runs often: the first rounds warm up.
  const [replay, parse] = [times('replay').slice(20), times('parse').slice(20)]
  const what = 'replay of its events, as a multiple of JSON.parse of the same texts'
  return below(what, 2, ratio(replay, parse).median, '', `${median(replay).toFixed(1)} ms`)
}

/** Verifies a whole sealed log, and takes SHA-256 of the same bytes. */
async function verification({ events, say }: Settings): Promise<Figure[]> {
  const { dataDir } = await prepared(`sealed-${events}`, z.null(), async (folder) => {
    say(`writing a log of ${whole(events)} events`)
    await writeBusyFirm(folder, events)
    await sealAll(folder)
    return null
  })
  const printed = /\(([\d.]+) s\)/
  const store = openSqliteEventStore(embeddedPaths.events(dataDir))
  const seen = await byTurns(3, ['verify', 'hash'], async (side) => {
    // 1: the certificates of a made-up history have no files.
    if (side === 'verify')
      return events / Number(printed.exec((await runCommand(['audit', 'verify'], dataDir, { codes: [1] })).output)?.[1])
    const began = performance.now()
    for await (const batch of readLog(store))
      for (const { stream, type, id, data, metadata } of batch.events)
        createHash('sha256')
          .update(stream + type + id + data + metadata)
          .digest()
    return (events * 1_000) / (performance.now() - began)
  })
  await store.close()
  const sample = `measured with ${whole(events)} events`
  return [
    below('a full verification of a million events', 120, 1_000_000 / median(seen('verify')), 's', sample),
    rates('verifying a log, to SHA-256 of the same bytes', 0.5, seen, 'verify', 'hash'),
  ]
}

/** The indexes and the proof of an account's events, spread over a large log, each time with nothing in memory. */
async function proofs({ say }: Settings): Promise<Figure[]> {
  // With gaps, as in EventStoreDB, positions say less.
  const positionOf = (index: number): number => index * 3 + (index % 2)
  const openTree = (dataDir: string) => openSqliteTreeStore(join(dataDir, 'tree.sqlite'))
  const { dataDir } = await prepared(`tree-${LEAVES}`, z.null(), async (folder) => {
    say(`writing a tree of ${whole(LEAVES)} leaves`)
    const tree = openTree(folder)
    const writer = new TreeWriter(0, new Map())
    while (writer.size < LEAVES) {
      const to = Math.min(LEAVES, writer.size + BATCH)
      for (let n = writer.size; n < to; n++)
        writer.append({ hash: leafOf(String(n)), position: positionOf(n), id: '00000000-0000-4000-8000-000000000000' })
      await tree.write(writer.takeChanged(), {
        size: to,
        pending: to,
        position: toPosition(String(positionOf(to - 1))),
        checkpoint: toCheckpoint(String(to)),
      })
    }
    await tree.close()
    return null
  })
  const store = openTree(dataDir)
  const random = createRandom(1)
  const times: number[] = []
  const blocked: number[] = []
  const delays = monitorEventLoopDelay({ resolution: 1 })
  for (let round = 0; round < 12; round++) {
    const chosen = new Set<number>()
    while (chosen.size < PROVEN) chosen.add(random.whole(0, LEAVES - 1))
    const positions = [...chosen].toSorted((a, b) => a - b).map(positionOf)
    const tree = createEventTree(store)
    delays.reset()
    delays.enable()
    const began = performance.now()
    const indexes = (await tree.indexesOf(positions)).filter((index) => index !== undefined)
    const hashes = await tree.hashesOf(multiProof(indexes, LEAVES))
    times.push(performance.now() - began)
    delays.disable()
    blocked.push(delays.max / 1e6)
    if (indexes.length !== PROVEN || hashes.length < PROVEN) throw new Error('The proof is incomplete')
  }
  await store.close()
  // V8 compiles what runs often: the first rounds warm up.
  const what = `${whole(PROVEN)} of ${whole(LEAVES)} events`
  return [
    below(`the proof of ${what}`, 200, median(times.slice(2)), 'ms', percentiles(times.slice(2), 0.5, 0.95)),
    below('the longest time it blocks the event loop', 20, Math.max(...blocked.slice(2)), 'ms'),
  ]
}

/** Runs the portal until every event is sealed. */
async function sealAll(dataDir: string): Promise<void> {
  const { read, stop } = await openPortal(dataDir, { SEAL_SECONDS: '1' })
  const isSealed = async (): Promise<boolean> => {
    const { seals } = await read(System, 'GET', '/api/admin/system')
    return seals.newest !== null && seals.unsealed === 0
  }
  await until(isSealed, 'the log to be sealed', 600_000)
  await stop()
}

/** Checkpoints of a year, one every five minutes, and the entries of an account that is exported. */
const SEALS = Number(process.env['BENCH_SEALS'] ?? 105_120)
const ENTRIES = 2_300

/** The export of an account under a year of checkpoints, first after a start and then again, and its verification. */
export const exports: Subject = {
  name: 'exports',
  about: `the history of ${whole(ENTRIES)} entries with its proof, under ${whole(SEALS)} checkpoints`,

  async measure({ say }: Settings): Promise<Figure[]> {
    const { dataDir, result: owner } = await prepared(`seals-${SEALS}`, z.string(), async (folder) => {
      say(`writing ${whole(SEALS)} checkpoints`)
      const trader = await longLived(folder, ENTRIES)
      await sealEach(folder)
      say('projecting it')
      await projectAll(folder)
      return trader
    })
    const { readyAfter, ask, stop } = await openPortal(dataDir, { SEAL_SECONDS: '86400' })
    const path = `/api/audit/accounts/${owner}/export`
    // Another request beside it, again and again.
    let [isOver, longest] = [false, 0]
    const beside = (async () => {
      while (!isOver) longest = Math.max(longest, (await ask('GET', '/healthz')).ms)
    })()
    const first = await ask('GET', path)
    isOver = true
    await beside
    const times: number[] = []
    for (let n = 0; n < 12; n++) times.push((await ask('GET', path)).ms)
    await stop()
    const checks: number[] = []
    for (let n = 0; n < 3; n++) {
      const began = performance.now()
      const { outcome } = await verifyExport(first.text)
      checks.push(performance.now() - began)
      if (outcome !== 'genuine') throw new Error('The export is not genuine')
    }
    const what = `an account of ${whole(ENTRIES)} entries under ${whole(SEALS)} checkpoints`
    return [
      { what: 'the start of the program', value: `${(readyAfter / 1_000).toFixed(1)} s` },
      below(`the first export of ${what} after a start`, 500, first.ms, 'ms'),
      below('the longest that another request waits beside it', 50, longest, 'ms'),
      below('the same export later', 100, median(times), 'ms', percentiles(times, 0.5, 0.95)),
      below('its verification', 1_500, median(checks), 'ms'),
    ]
  },
}

/** Seals the log after each of so many further events. */
async function sealEach(dataDir: string): Promise<void> {
  await withDependencies({ DATA_DIR: dataDir, ADMIN_ACCESS_KEY: ADMIN_KEY }, async (parts) => {
    const { repositories, readModelStore, logOrigin } = parts
    const sealer = createSealer({ ...parts, origin: logOrigin, checkpoints: readModelStore.checkpoints })
    const notices = repositories.of(noticeStreams)
    for (let n = 0; n < SEALS; n++) {
      const seen = [{ type: 'NoticesSeen', data: { upTo: n + 1 } } as const]
      await notices.decide('bench000', systemContext('bench', `seal ${n}`), () => seen)
      await sealer.sealAll()
    }
  })
}
