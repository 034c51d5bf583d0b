import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Libsql from 'libsql'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openEventStoreDb } from '#infra/event-store/eventstoredb-event-store.ts'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { Readiness } from '#services/framework/api/health-schemas.ts'
import type { ProofProblem, ProofProblemKind } from '#services/framework/api/proof-schemas.ts'
import { eventHash } from '#services/event-sourcing/codec/hash-chain.ts'
import { System } from '#services/operations/installation/installation-api.ts'
import { streamPrefixes } from '#services/oversight/event-catalogue.ts'
import { parseVerifierKey, verifierKeyText } from '#services/proof/verifier-key.ts'
import { logKey } from '#services/proof/witness-cosignature.ts'
import { sealingKeys } from '#services/proof/account-export.ts'
import { SEALS_ID, recordRestoration, sealStreams } from '#services/proof/seal.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { runCommand } from '#test-support/command-line.ts'
import { AdminPayout, Payout } from '#services/payments/payouts/payout-api.ts'
import { eligibleTrader, read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type PortalOptions } from '#test-support/portal.ts'
import { newEventStore } from '#test-support/servers/event-store.ts'
import { freePort } from '#test-support/servers/ports.ts'
import { seal } from '#test-support/small-firm.ts'
import { storesFor } from '#test-support/portal-stores.ts'
import { withRawDocuments } from '#test-support/raw-documents.ts'
import { storedEvents, withDependencies } from '#test-support/stores.ts'
import { until } from '#test-support/until.ts'
import { openTestWitness } from '#test-support/witnessed-log.ts'

/** Attackers who can write to the storage of a portal that runs, and have no key. The portal itself says so. */

/** Rounds follow each other at once; seals are made when a test says so. */
const settings = { VERIFY_SECONDS: '1', SEAL_SECONDS: '86400', LOG_ORIGIN: 'portal.example/log' }

async function open({ environment, ...options }: PortalOptions = {}): Promise<Portal> {
  const portal = await openPortal({ environment: { ...settings, ...environment }, ...options })
  onTestFinished(() => portal.stop())
  return portal
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-problems-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** One for each portal: each sign-in is an event more to verify. */
const administrators = new WeakMap<Portal, Promise<Browser>>()
async function system(portal: Portal): Promise<System> {
  const admin = administrators.get(portal) ?? portal.admin()
  administrators.set(portal, admin)
  return read(System, await (await admin).get('/api/admin/system'))
}

/** A round takes at most 4 % of a core, and waits for one that is busy. In ms. */
const ROUND = 100_000
vi.setConfig({ testTimeout: 2 * ROUND })

/** The problem of this kind that says this, once the system page shows it. */
function problemOf(portal: Portal, kind: ProofProblemKind, text = ''): Promise<ProofProblem> {
  return until(
    async () =>
      (await system(portal)).proof.problems.find((problem) => problem.kind === kind && problem.says.includes(text)),
    `the problem ${kind} ${text}`,
    ROUND,
  )
}

const withoutProblems = (portal: Portal): Promise<boolean> =>
  until(async () => (await system(portal)).proof.problems.length === 0, 'all problems to be gone', ROUND)

/** A trader with three sealed events of an account, the seals around them, and a round that found nothing. */
async function sealedTrader(portal: Portal) {
  const trader = await portal.trader()
  const admin = await portal.admin()
  const { parts } = portal.running
  for (const balance of ['10000.00', '20000.00', '30000.00']) {
    await admin.patch(`/api/admin/user/${trader.id}/account`, { balance })
    await seal(parts)
  }
  await until(async () => (await system(portal)).installation.lastVerification, 'the first round')
  expect((await system(portal)).proof.problems).toEqual([])
  const events = (await storedEvents(parts)).filter(({ stream }) => stream === `account-${trader.id}-a1`)
  const [changed, last] = [events.find(({ data }) => data.includes('20000')), events.at(-1)]
  if (!changed || !last) throw new Error('The account has too few events')
  return { trader, changed, last }
}

/** Writes to the embedded log. */
function tamper({ dataDir }: Portal, statement: string, ...values: readonly (string | number)[]): void {
  const database = new Libsql(join(dataDir, 'events.sqlite'))
  database.prepare(statement).run(...values)
  database.close()
}

describe('an event altered in the log', () => {
  it('is named with its stream and revision everywhere that an operator looks, until it is as it was', async () => {
    const port = await freePort()
    const portal = await open({ environment: { METRICS_PORT: String(port) } })
    const { trader, changed } = await sealedTrader(portal)
    const gauge = async () => /^proofdesk_proof_problems\{kind="log-altered"\} (\d+)$/m.exec(await metrics())?.[1]
    const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    expect(await gauge()).toBe('0')

    tamper(portal, `UPDATE events SET data = replace(data, '20000', '99999') WHERE position = ?`, changed.position)
    const { says, todo, since } = await problemOf(portal, 'log-altered')
    expect(says).toContain(`Event ${changed.position} (${changed.type}, ${changed.stream}#${changed.revision})`)
    expect(todo).toContain('docs/broken-proof.md')
    expect(Date.now() - Date.parse(since ?? '')).toBeLessThan(60_000)

    // It still serves, so it stays in use. The public learns no more than that.
    const answer = await until(async () => {
      const degraded = await portal.browser().get('/readyz')
      return degraded.text.includes('degraded') && degraded
    }, 'the portal to be degraded')
    expect([answer.status, answer.text]).toEqual([200, '{"status":"degraded"}'])
    // Whom it is about is for the system page.
    const readiness = await (await portal.auditor()).get('/readyz')
    expect(read(Readiness, readiness).parts?.['proof']).toMatchObject({
      // A fold of an altered log differs from what is served, too.
      problems: expect.arrayContaining([expect.objectContaining({ kind: 'log-altered', todo, since })]),
    })
    expect(readiness.text).toContain(`Event ${changed.position} (${changed.type}, account-…`)
    expect(readiness.text).not.toContain(trader.id)
    expect(await gauge()).toBe('1')
    const { stdout } = await runCommand(['status'], {
      ...settings,
      DATA_DIR: portal.dataDir,
      METRICS_PORT: String(port),
    })
    expect(stdout).toContain(`PROBLEM with the proof: ${says}`)
    expect(stdout).toMatch(/^Portal: ready, but mails wait, or something is wrong with the proof: see below, up for /m)

    tamper(portal, 'UPDATE events SET data = ? WHERE position = ?', changed.data, changed.position)
    await withoutProblems(portal)
    await until(
      async () => (await portal.browser().get('/readyz')).text === '{"status":"ok"}',
      'the portal to be ready',
    )
  })

  it('is still known after a restart', async () => {
    const dataDir = await temporaryFolder()
    const first = await open({ dataDir })
    const { changed } = await sealedTrader(first)
    tamper(first, `UPDATE events SET data = replace(data, '20000', '99999') WHERE position = ?`, changed.position)
    const found = await problemOf(first, 'log-altered')
    await first.stop()
    // No worker looks again.
    const second = await open({ dataDir, services: ['command', 'query'] })
    expect(await problemOf(second, 'log-altered')).toEqual(found)
  })
})

describe('an event removed from the log', () => {
  it('is named when another of its stream follows', async () => {
    const portal = await open()
    const { changed } = await sealedTrader(portal)
    tamper(portal, 'DELETE FROM events WHERE position = ?', changed.position)
    const { says } = await problemOf(portal, 'log-altered')
    // A round that comes to the end first knows its position, one from the beginning its place in the stream.
    const names = [`${changed.stream}#${changed.revision}`, `event ${changed.position} is missing`]
    expect(
      names.filter((name) => says.includes(name)),
      says,
    ).not.toEqual([])
    expect(says).toContain('is missing')
  })

  it('is seen when it was the last of its stream', async () => {
    const portal = await open()
    const { last } = await sealedTrader(portal)
    tamper(portal, 'DELETE FROM events WHERE position = ?', last.position)
    const { says } = await problemOf(portal, 'log-altered')
    const names = [`Event ${last.id} is missing`, `event ${last.position} is missing`]
    expect(
      names.filter((name) => says.includes(name)),
      says,
    ).not.toEqual([])
  })
})

describe('an event inserted into EventStoreDB', () => {
  it('is named', async () => {
    const { url, close } = await newEventStore()
    onTestFinished(close)
    const portal = await open({ environment: { EVENTSTORE_URL: url } })
    const { last } = await sealedTrader(portal)
    const store = openEventStoreDb(url, { prefixes: streamPrefixes, onDrop: () => {} })
    onTestFinished(() => store.close())
    await store.append(last.stream, last.revision, [forgedAfter(last)])
    const { says } = await problemOf(portal, 'log-altered')
    expect(says).toContain(`${last.stream}#${last.revision + 1}) does not count`)
  })
})

describe('a document of a read model', () => {
  it('that is removed while the portal runs is told in the next round of the worker, and made again', async () => {
    const port = await freePort()
    const portal = await open({ environment: { METRICS_PORT: String(port) } })
    const metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const admin = await portal.admin()
    const trader = await eligibleTrader(portal, admin)
    const request = { amount: '50.00', paymentMethod: 'paypal', paymentDetails: trader.email }
    const { id } = read(Payout, await trader.post('/api/user/payouts', request))
    const listed = async () => {
      const answer = await admin.get(`/api/admin/payouts?userId=${trader.id}`, await portal.atEnd())
      return read(AdminPayout.array(), answer).map((payout) => payout.id)
    }
    expect(await listed()).toEqual([id])
    const serving = async () => (await portal.running.parts.readModelStore.projections.load('payouts'))?.serving
    const before = await serving()

    await withRawDocuments(portal, 'payouts', (documents) => documents.remove(id))
    expect(await listed()).toEqual([])
    const { says, todo } = await problemOf(portal, 'read-model-altered')
    expect(says).toBe(
      'The read model payouts is not what the log says, in a document: the log of the worker names them',
    )
    expect(todo).toContain('It is rebuilt by itself.')
    const told = await metrics()
    expect(told).toMatch(/^proofdesk_proof_problems\{kind="read-model-altered"\} 1$/m)
    expect(told).toMatch(/^proofdesk_forged_rows_total\{store="read models"\} 1$/m)

    await until(async () => (await serving()) !== before, 'payouts to be made again')
    await until(async () => (await listed()).includes(id), 'the payout to be listed again')
    await withoutProblems(portal)
    expect(await metrics()).toMatch(/^proofdesk_proof_problems\{kind="read-model-altered"\} 0$/m)
  })
})

function forgedAfter({ stream, revision, type, data, metadata, ...event }: StoredEvent) {
  const previous = `"previous":"${eventHash(stream, revision, { ...event, type, data, metadata })}"}`
  return { id: crypto.randomUUID(), type, data, metadata: metadata.replace(/"previous":.*\}$/, previous) }
}

describe('a seal', () => {
  it('removed from the log is missed', async () => {
    const portal = await open()
    await sealedTrader(portal)
    const events = await portal.events('seals-this')
    const seals = events.flatMap(({ type, revision }) => (type === 'TreeCheckpointSigned' ? [revision] : []))
    tamper(portal, `DELETE FROM events WHERE stream = 'seals-this' AND revision = ${seals[1]}`)
    expect((await problemOf(portal, 'seals-lost')).says).toBe(
      `Checkpoint 2 is missing or was replaced: checkpoint 3 is in its place (seals-this#${seals[2]})`,
    )
  })

  it('that another history was published with stops the sealing, which is reported at once', async () => {
    const portal = await open({ environment: { SEAL_SECONDS: '1', VERIFY_SECONDS: '86400' } })
    const trader = await portal.trader()
    await until(async () => (await system(portal)).seals.newest, 'a seal')
    const other = await open()
    await other.trader()
    await seal(other.running.parts)
    await cp(join(other.dataDir, 'seals', 'checkpoint'), join(portal.dataDir, 'seals', 'checkpoint'))
    expect((await trader.patch('/api/user/profile', { city: 'Paris' })).status).toBe(200)
    // A round may name the tiles that the other checkpoint lacks here.
    await problemOf(portal, 'seals-lost', 'the log has lost it')
  })

  it('that nobody makes is missed', async () => {
    const portal = await open({ services: ['command', 'query'], environment: { SEAL_SECONDS: '1' } })
    await portal.trader()
    const { says } = await until(
      async () => (await system(portal)).proof.problems.find(({ kind }) => kind === 'sealing-stopped'),
      'the stopped sealing',
      40_000,
    )
    expect(says).toMatch(/^Events wait for a seal since .*, and there should be one every 1 s$/)
  })
})

it('a log of which a witness has seen more does not start, and is contradicted when that is recorded', async () => {
  const folder = await temporaryFolder()
  const [dataDir, earlier] = [join(folder, 'now'), join(folder, 'earlier')]
  const first = await open({ dataDir })
  await first.trader()
  await seal(first.running.parts)
  const [key] = await sealingKeys(first.running.parts.repositories)
  if (!key) throw new Error('The log has no key')
  await first.stop()
  await cp(dataDir, earlier, { recursive: true })

  const vkey = verifierKeyText(logKey(settings.LOG_ORIGIN, key.publicKey), 'log')
  const witness = await openTestWitness({ folder: join(folder, 'w1'), logs: [parseVerifierKey(vkey, 'log')] })
  const policy = join(folder, 'policy')
  await writeFile(policy, `log ${vkey}\n${witness.policyLine}\nquorum w1\n`)
  const environment = { WITNESS_POLICY: policy, SEAL_SECONDS: '1' }
  const second = await open({ dataDir, environment })
  await second.trader()
  const { size } = (await second.running.parts.transparencyLog.newest()) ?? { size: 0 }
  await until(async () => {
    const newest = await second.running.parts.transparencyLog.newest()
    return newest && newest.size > size && newest.note.includes(witness.key.name)
  }, 'the witness to cosign')
  expect((await system(second)).proof.problems).toEqual([])
  await second.stop()

  await expect(open({ dataDir: earlier, environment })).rejects.toThrow('witness w1 has cosigned')
  const storage = { ...settings, ...(await storesFor(earlier)), DATA_DIR: earlier }
  await withDependencies(storage, async ({ repositories }) => {
    const restored = { note: null, from: size + 100 }
    await repositories
      .of(sealStreams)
      .decide(SEALS_ID, systemContext('test', 'r1'), (state) => recordRestoration(state, restored, 'The disk broke'))
  })
  const setBack = await open({ dataDir: earlier, environment })
  const { says } = await problemOf(setBack, 'witness-contradicts')
  expect(says).toMatch(/^Witness w1 .*(it was set back|it has cosigned another history of this log)/)
})

describe('what the portal noted', () => {
  it('is not believed when it is not what it wrote', async () => {
    const dataDir = await temporaryFolder()
    const first = await open({ dataDir })
    await sealedTrader(first)
    await first.stop()
    await writeFile(
      join(dataDir, 'files', 'operations', 'verification.json'),
      `${'A'.repeat(43)}\n{"round":null,"ended":null,"findings":[]}\n`,
    )
    const second = await open({ dataDir, services: ['command', 'query'] })
    expect((await problemOf(second, 'record-altered')).says).toContain('verification')
    // A worker begins again.
    await second.stop()
    await withoutProblems(await open({ dataDir }))
  })
})
