import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runCommand } from '#test-support/command-line.ts'
import { startDouble } from '#test-support/eventstoredb-double/double.ts'
import type { EventLog } from '#test-support/eventstoredb-double/log.ts'
import { openPortal } from '#test-support/portal.ts'
import { freePort } from '#test-support/servers/ports.ts'
import { seal, verified } from '#test-support/small-firm.ts'

/** Who has rights on an EventStoreDB deletes streams, or lets their metadata hide events, without touching the log. */

const ways: Readonly<Record<string, (log: EventLog, stream: string) => void>> = {
  'deleted for ever': (log, stream) => log.tombstone(stream),
  'deleted until the next event': (log, stream) => log.softDelete(stream),
  'cut to its newest event': (log, stream) => log.setMetadata(stream, { $maxCount: 1 }),
  'cut at the beginning': (log, stream) => log.setMetadata(stream, { $tb: 1 }),
}

async function open() {
  const { url, log, close } = await startDouble()
  onTestFinished(close)
  const dataDir = await mkdtemp(join(tmpdir(), 'proofdesk-hidden-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const metricsPort = await freePort()
  const environment = { SEAL_SECONDS: '86400', EVENTSTORE_URL: url, METRICS_PORT: String(metricsPort) }
  const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const verify = () => runCommand(['audit', 'verify'], { EVENTSTORE_URL: url, DATA_DIR: dataDir })
  return { log, metrics, verify, start: () => openPortal({ dataDir, environment }) }
}

it('an account whose stream hides events is blocked, which is told, and others work', async () => {
  const { log, metrics, verify, start } = await open()
  const first = await start()
  const admin = await first.admin()
  const accountOf = (id: string) => `/api/admin/user/${id}/account`
  const traders = []
  for (const hide of [...Object.values(ways), undefined]) {
    const trader = await first.trader()
    await admin.patch(accountOf(trader.id), { balance: '5000.00' })
    traders.push({ trader, hide })
  }
  await seal(first.running.parts)
  expect((await verified(first.running.parts)).finding).toBeNull()
  await first.stop()
  for (const { trader, hide } of traders) hide?.(log, `account-${trader.id}-a1`)

  const portal = await start()
  try {
    const again = await portal.admin()
    for (const { trader, hide } of traders) {
      const { status, body } = await again.patch(accountOf(trader.id), { balance: '6000.00' })
      if (!hide) expect(status).toBe(200)
      else expect([status, body]).toEqual([500, { message: expect.stringContaining('events are missing') }])
    }
    expect(await metrics()).toMatch(/^proofdesk_refused_streams_total [4-9]/m)
    const { finding } = await verified(portal.running.parts)
    expect(finding).toMatchObject({ kind: 'missing', stream: expect.stringMatching(/^account-/) })
  } finally {
    await portal.stop()
  }
  const { code, stdout } = await verify()
  expect([code, stdout]).toEqual([1, expect.stringContaining('NOT as it was recorded (missing)')])
}, 300_000)

it('seals whose stream was deleted for ever are missed, and nothing is sealed on', async () => {
  const { log, start } = await open()
  const portal = await start()
  onTestFinished(() => portal.stop())
  const trader = await portal.trader()
  await seal(portal.running.parts)
  log.tombstone('seals-this')
  expect((await trader.patch('/api/user/profile', { city: 'Paris' })).status).toBe(200)
  await expect(seal(portal.running.parts)).rejects.toThrow('seals-this has lost events')
  expect((await verified(portal.running.parts)).finding).toMatchObject({ kind: 'missing', stream: 'seals-this' })
}, 300_000)
