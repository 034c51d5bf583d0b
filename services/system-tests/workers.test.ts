import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Unavailable } from '#infra/failures.ts'
import { openSqlite } from '#infra/sqlite/sqlite.ts'
import { embeddedPaths } from '#services/process/data-folder.ts'
import { after } from '#test-support/http-calls.ts'
import { type Browser, browser } from '#test-support/http-client.ts'
import { expectMailFiles, expectUnbrokenChains, expectReadModelsMatchLog } from '#test-support/chaos/log-inspection.ts'
import { decodeEvents, readLog, withStores } from '#test-support/stores.ts'
import { newEmail, registration } from '#test-support/portal.ts'
import { promptly } from '#test-support/promptly.ts'
import { ADMIN_KEY, buildProgram, type Program, startProgram, temporaryFolder } from '#test-support/program.ts'
import { startProxy } from '#test-support/proxy.ts'
import { until } from '#test-support/until.ts'
import { readSealStatus } from '#services/proof/seal-status.ts'

beforeAll(buildProgram, 600_000)

/** How soon another worker has taken over, in ms, and what a machine that does other things may add. */
const TAKEOVER = 10_000
const SLACK = 5_000

/** What a worker leads, as its log calls it. */
const LED = ['projector', 'sender of mail', 'sealer']

interface Firm {
  readonly dataDir: string
  /** Two command services and two query services behind it. */
  readonly url: string
  readonly admin: Browser
  readonly worker: () => Promise<Program>
}

async function openFirm(): Promise<Firm> {
  const dataDir = temporaryFolder()
  const one = (service: 'command' | 'query' | 'worker') =>
    startProgram({ dataDir, service, environment: { LOG_LEVEL: 'info', SEAL_SECONDS: '1' } })
  const [firstCommand, secondCommand, firstQuery, secondQuery] = await Promise.all([
    one('command'),
    one('command'),
    one('query'),
    one('query'),
  ])
  const proxy = await startProxy(() => ({
    command: [firstCommand.url, secondCommand.url],
    query: [firstQuery.url, secondQuery.url],
  }))
  const admin = browser(proxy.url)
  expect((await admin.post('/api/admin/login', { accessKey: ADMIN_KEY })).status).toBe(200)
  return { dataDir, url: proxy.url, admin, worker: () => one('worker') }
}

/** Waits until a worker leads everything, and others stand by. */
const leads = (worker: Program) =>
  until(
    async () => LED.every((name) => worker.output().includes(`The ${name} is at work`)),
    'the worker to lead everything',
  )

/**
 * Stops a process as a machine that hangs. Not in the middle of a transaction: on one machine, in files that all share,
 * that would lock everybody out until it goes on, as nothing but a server can end it.
 */
async function pauseBetweenTransactions({ dataDir }: Firm, worker: Program): Promise<void> {
  const files = [embeddedPaths.events, embeddedPaths.keys, embeddedPaths.views, embeddedPaths.mail].map((path) =>
    path(dataDir),
  )
  await until(async () => {
    worker.pause()
    if (files.every(isFree)) return true
    worker.resume()
    return false
  }, 'the worker to be between two transactions')
}

/** Whether a transaction could write there, now or very soon. */
function isFree(path: string): boolean {
  const file = openSqlite(path, { part: 'test', durability: 'normal', busyTimeout: 500 })
  try {
    file.transaction(() => {})
    return true
  } catch (error) {
    if (error instanceof Unavailable) return false
    throw error
  } finally {
    file.close()
  }
}

/** Keeps making changes, each of which a read then has to show, until it is stopped. */
function openLoad({ url, admin }: Firm) {
  let stopped = false
  let changes = 0
  const unexpected: string[] = []
  const client = async (): Promise<void> => {
    const trader = browser(url)
    const email = newEmail()
    const { body } = await trader.post('/api/register', { ...registration, email })
    const { id } = z.looseObject({ id: z.string() }).parse(body)
    for (let n = 0; !stopped; n++) {
      const change = await admin.patch(`/api/admin/user/${id}/account`, { phase: `${n}` })
      if (change.status !== 200) unexpected.push(`change ${change.status}`)
      changes += 1
      if (n % 10 === 0) await trader.post('/api/forgot-password', { email })
      const seen = await trader.get('/api/user/account', after(change))
      // While no worker projects, a read says that it is not up to date; it never shows less than the position it
      // carries.
      if (seen.status === 200) expect(seen.body).toMatchObject({ phase: `${n}` })
      else if (seen.status !== 503) unexpected.push(`read ${seen.status}`)
    }
  }
  const clients = Promise.all(Array.from({ length: 2 }, client))
  clients.catch(() => {})
  return {
    changes: () => changes,
    async stop() {
      stopped = true
      await clients
      expect(unexpected).toEqual([])
    },
  }
}

/** Makes a change and waits until a read shows it. */
async function changeIsShown({ url, admin }: Firm): Promise<void> {
  const trader = browser(url)
  const registered = await trader.post('/api/register', { ...registration, email: newEmail() })
  expect(registered.status).toBe(201)
  await until(
    async () => (await admin.get('/api/admin/users', after(registered))).status === 200,
    'the change to be shown',
    60_000,
  )
}

/** Nothing was lost and nothing counted twice, after all that the workers went through. */
async function expectWhole({ dataDir }: Firm): Promise<void> {
  await withStores(dataDir, async (parts) => {
    const { events } = await readLog(parts)
    expectUnbrokenChains(events)
    const history = await decodeEvents(parts, events)
    await expectReadModelsMatchLog(parts, history)
    await expectMailFiles(dataDir, parts, history)
    expect(await parts.outbox.counts()).toMatchObject({ waiting: 0, failed: 0 })
  })
}

/** Until everything recorded by now is projected, sealed, and its mails handed over. */
const settled = ({ dataDir }: Firm) =>
  until(
    async () =>
      withStores(dataDir, async (parts) => {
        const isMailed =
          (await parts.outbox.checkpoint()) === (await parts.eventStore.checkpointAtEnd()) &&
          (await parts.outbox.counts()).waiting === 0
        const end = Number(await parts.eventStore.end())
        const isShown = [...(await parts.readModelStore.checkpoints.loadAll()).entries()].every(
          ([reader, { position }]) => reader === 'sealer' || Number(position) >= end,
        )
        return isMailed && isShown && (await readSealStatus(parts)).unsealed === 0
      }),
    'everything to be projected, mailed and sealed',
    60_000,
  )

describe('of two workers one is active', () => {
  it('when it is killed, paused or stopped, the other takes over', async () => {
    const firm = await openFirm()
    const first = await firm.worker()
    await leads(first)
    const second = await firm.worker()
    await until(
      async () => LED.every((name) => second.output().includes(`Another ${name} is at work`)),
      'the second to stand by',
    )
    const load = openLoad(firm)
    await until(async () => load.changes() > 20, 'the load to be there')

    // Stopped as a machine that hangs: its lease has to run out.
    await pauseBetweenTransactions(firm, first)
    await promptly(leads(second), TAKEOVER + SLACK)
    await promptly(changeIsShown(firm), TAKEOVER + SLACK)
    const before = load.changes()
    await until(async () => load.changes() > before + 20, 'the load to go on')
    first.resume()
    await until(
      async () => LED.every((name) => first.output().includes(`Another ${name} has taken over`)),
      'the first to notice',
    )

    // Killed as by a loss of power.
    const third = await firm.worker()
    await second.kill()
    const oneLeads = until(
      async () =>
        LED.every(
          (name) =>
            third.output().includes(`The ${name} is at work`) ||
            first.output().split(`The ${name} is at work`).length > 2,
        ),
      'one of those who stood by to lead',
    )
    await promptly(oneLeads, TAKEOVER + SLACK)
    await promptly(changeIsShown(firm), TAKEOVER + SLACK)

    // On a request to end, nothing is left half done.
    expect(await first.stop()).toBe(0)
    await promptly(changeIsShown(firm), TAKEOVER + SLACK)
    await load.stop()
    await settled(firm)
    expect(await third.stop()).toBe(0)
    await expectWhole(firm)
  })
})
