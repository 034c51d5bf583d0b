import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Libsql from 'libsql'
import { expect, it, onTestFinished, vi } from 'vitest'
import { System } from '#services/operations/installation/installation-api.ts'
import { askedStores } from '#services/proof/foreign-content.ts'
import { read } from '#test-support/http-calls.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { seal, verified } from '#test-support/small-firm.ts'
import { verifyLog } from '#services/proof/log-verification.ts'
import { until } from '#test-support/until.ts'

/** Who can write to the embedded stores puts there what no row shows: triggers, leases of the far future, far positions. */

const settings = { VERIFY_SECONDS: '1', SEAL_SECONDS: '86400', EVENTSTORE_URL: '', MONGODB_URL: '', REDIS_URL: '' }
vi.setConfig({ testTimeout: 240_000 })

async function running(dataDir?: string): Promise<Portal> {
  const portal = await openPortal({ environment: settings, ...(dataDir !== undefined && { dataDir }) })
  onTestFinished(() => portal.stop())
  return portal
}

function tamper(dataDir: string, file: string, sql: string): void {
  const database = new Libsql(join(dataDir, file))
  database.exec(sql)
  database.close()
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-foreign-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

it('a ban that a trigger would swallow is not answered, and the portal says so and does not start', async () => {
  const dataDir = await newFolder()
  const portal = await running(dataDir)
  const [admin, trader] = [await portal.admin(), await portal.trader()]
  tamper(
    dataDir,
    'events.sqlite',
    "CREATE TRIGGER thief BEFORE INSERT ON events WHEN NEW.type = 'UserBanned' BEGIN SELECT RAISE(IGNORE); END",
  )
  const ban = () => admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'Fraud' })
  expect((await ban()).status).toBe(503)
  const { eventStore, publishedTree } = portal.running.parts
  const { finding } = await verifyLog({
    eventStore,
    publishedTree,
    keys: [],
    stores: askedStores(portal.running.parts),
  })
  expect(finding?.says).toContain("has the trigger 'thief', which is not ours")
  await portal.stop()
  await expect(running(dataDir)).rejects.toThrow('event store')
  tamper(dataDir, 'events.sqlite', 'DROP TRIGGER thief')
  const again = await running(dataDir)
  const banned = await (
    await again.admin()
  ).patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'Fraud' })
  expect(banned.status).toBe(200)
})

it('a trigger in the outbox, a lease for ever and a row far behind the log are met within a round', async () => {
  const portal = await running()
  const { parts } = portal.running
  const admin = await portal.admin()
  const system = async () => read(System, await admin.get('/api/admin/system'))
  await portal.trader()
  await seal(parts)
  await until(async () => (await system()).installation.lastVerification, 'the first round', 100_000)
  tamper(portal.dataDir, 'views.sqlite', `UPDATE leases SET holder = 'elsewhere:1:x', until = ${10 ** 15}`)
  tamper(
    portal.dataDir,
    'mail.sqlite',
    "CREATE TRIGGER thief AFTER INSERT ON jobs BEGIN UPDATE jobs SET state = 'sent'; END",
  )
  const problem = (text: string) =>
    until(
      async () =>
        (await system()).proof.problems.find(({ kind, says }) => kind === 'log-altered' && says.includes(text)),
      text,
      100_000,
    )
  await problem("has the trigger 'thief'")
  tamper(portal.dataDir, 'mail.sqlite', 'DROP TRIGGER thief')
  tamper(
    portal.dataDir,
    'events.sqlite',
    "INSERT INTO events SELECT 9007199254740991, 'account-x-a1', 0, id, type, data, metadata FROM events LIMIT 1",
  )
  await problem('at position 9007199254740991')
  // Nobody is kept from deciding meanwhile.
  await portal.trader()
  expect(await seal(parts)).toBe(1)
  tamper(portal.dataDir, 'events.sqlite', 'DELETE FROM events WHERE position = 9007199254740991')
  expect((await verified(parts)).finding).toBeNull()
})
