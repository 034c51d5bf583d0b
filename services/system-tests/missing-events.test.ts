import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Libsql from 'libsql'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { EventStore } from '#infra/event-store/event-store.ts'
import { openSqliteEventStore } from '#infra/event-store/sqlite-event-store.ts'
import { runCommand } from '#test-support/command-line.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { freePort } from '#test-support/servers/ports.ts'
import { seal } from '#test-support/small-firm.ts'
import { MissingEvents } from '#services/event-sourcing/missing-events.ts'
import { verifyExport } from '#services/oversight/audit/export-verification.ts'

/** Who can write to the storage, and has no key, takes sealed events away. The stores are those of one machine. */

const settings = { SEAL_SECONDS: '86400', EVENTSTORE_URL: '', MONGODB_URL: '', REDIS_URL: '' }

const newFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-missing-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

const tamper = (folder: string, sql: string, ...values: string[]) => {
  const database = new Libsql(join(folder, 'events.sqlite'))
  const { changes } = database.prepare(sql).run(...values)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  return changes
}

const withEventStore = async <Result>(folder: string, work: (store: EventStore) => Promise<Result>) => {
  const store = openSqliteEventStore(join(folder, 'events.sqlite'))
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

const lastOf = 'DELETE FROM events WHERE position = (SELECT max(position) FROM events WHERE stream = ?)'

/** A trader whose account is breached, and a revoked administrator; all sealed. */
async function breached(dataDir: string, environment = settings) {
  const portal = await openPortal({ dataDir, environment })
  const trader = await portal.trader()
  const admin = await portal.admin()
  const account = `/api/admin/user/${trader.id}/account`
  await admin.patch(account, { balance: '5000.00', status: 'active', payoutEnabled: true })
  await admin.patch(account, { status: 'breached', reason: 'Lost too much' })
  const revoked = await portal.member('admin')
  expect((await admin.delete(`/api/admin/staff/${revoked.id}`)).status).toBeLessThan(300)
  const other = await portal.trader()
  await seal(portal.running.parts)
  return { portal, trader, other, revoked }
}

const request = { amount: '50.00', paymentMethod: 'bank', paymentDetails: 'IBAN 1' }
const signIn = async (portal: Portal, who: { email: string; password: string }) => {
  const browser = portal.browser()
  await browser.post('/api/login', { email: who.email, password: who.password })
  return browser
}

describe('a sealed breach that was deleted', () => {
  it.each(['while the portal runs', 'while it is stopped'])(
    'pays nothing and gives no file: %s',
    async (when) => {
      const folder = await newFolder()
      const port = await freePort()
      const environment = { ...settings, METRICS_PORT: String(port) }
      const { portal, trader, other } = await breached(folder, environment)
      const stream = `account-${trader.id}-a1`
      let running = portal
      if (when === 'while it is stopped') await portal.stop()
      expect(tamper(folder, lastOf, stream)).toBe(1)
      if (when === 'while it is stopped') running = await openPortal({ dataDir: folder, environment })
      try {
        const own = await signIn(running, trader)
        expect((await own.post('/api/user/payouts', request)).status).toBeGreaterThanOrEqual(403)
        const proof = await own.get('/api/user/history/proof')
        if (proof.status === 200) expect((await verifyExport(proof.text)).outcome).not.toBe('genuine')
        else expect(proof.status).toBe(500)
        const admin = await running.admin()
        const answer = await admin.patch(`/api/admin/user/${trader.id}/account`, { balance: '6000.00' })
        expect([answer.status, answer.body]).toEqual([500, { message: expect.stringContaining('events are missing') }])
        // Neither the audit nor a download shows what is left as if it were all.
        const account = `/api/audit/accounts/${trader.id}-a1`
        for (const path of [
          `${account}/events`,
          `${account}/export`,
          `/api/audit/accounts/${trader.id}`,
          '/api/audit/events',
          '/api/audit/events.csv',
        ])
          expect([path, (await admin.get(path)).status]).toEqual([path, 500])
        expect((await own.get('/api/user/history')).status).toBe(500)
        expect((await admin.get(`/api/audit/accounts/${other.id}-a1/events`)).status).toBe(200)
        // Operators are told.
        const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
        expect(metrics).toMatch(/^proofdesk_refused_streams_total [1-9]/m)
        // Another's record works, and is proven.
        const others = await (await signIn(running, other)).get('/api/user/history/proof')
        expect((await verifyExport(others.text)).outcome).toBe('genuine')
      } finally {
        await running.stop()
      }
    },
    60_000,
  )
})

describe('a sealed revocation that was deleted', () => {
  it('makes nobody an administrator again', async () => {
    const folder = await newFolder()
    const { portal, revoked } = await breached(folder)
    await portal.stop()
    expect(tamper(folder, lastOf, `admin-${revoked.id}`)).toBe(1)
    const running = await openPortal({ dataDir: folder, environment: settings })
    try {
      const someone = running.browser()
      expect((await someone.post('/api/admin/login', { accessKey: revoked.accessKey })).status).toBe(500)
      expect((await someone.get('/api/admin/users')).status).toBe(401)
    } finally {
      await running.stop()
    }
  }, 60_000)
})

describe('a sealed event that was deleted from the stream of a member of staff', () => {
  it.each([['change', '--name', 'Someone else'], ['rotate'], ['revoke']])(
    'refuses to decide on the command line: %s',
    async (verb, ...options) => {
      const folder = await newFolder()
      const { portal, revoked } = await breached(folder)
      await portal.stop()
      expect(tamper(folder, lastOf, `admin-${revoked.id}`)).toBe(1)
      const { code, stderr } = await runCommand(['admin-key', verb, revoked.id, ...options], {
        ...settings,
        DATA_DIR: folder,
      })
      expect([code, stderr]).toEqual([1, expect.stringContaining(`admin-${revoked.id} has lost events`)])
    },
    60_000,
  )
})

describe('a sealed stream of the installation that was deleted', () => {
  it('is not begun anew by a start, nor on the command line', async () => {
    const folder = await newFolder()
    const { portal } = await breached(folder)
    await portal.stop()
    expect(tamper(folder, 'DELETE FROM events WHERE stream = ?', 'installation-this')).toBeGreaterThan(0)
    const end = () => withEventStore(folder, (store) => store.end())
    const before = await end()
    await expect(openPortal({ dataDir: folder, environment: settings })).rejects.toThrow(MissingEvents)
    expect(await end()).toBe(before)
    const { code, stderr } = await runCommand(['master-key', 'rotate'], { ...settings, DATA_DIR: folder })
    expect([code, stderr]).toEqual([1, expect.stringContaining('installation-this has lost events')])
    expect(await runCommand(['status'], { ...settings, DATA_DIR: folder })).toMatchObject({ code: expect.any(Number) })
    expect(await end()).toBe(before)
  }, 60_000)
})

describe('a log that was set back', () => {
  it('does not start, unless the restoration is recorded, which every file then says', async () => {
    const [folder, backup, restored, published] = [
      await newFolder(),
      await newFolder(),
      await newFolder(),
      await newFolder(),
    ]
    const environment = { ...settings, SEALS_DIR: published }
    const first = await openPortal({ dataDir: folder, environment })
    const trader = await first.trader()
    await seal(first.running.parts)
    await first.stop()
    const key = { SEALS_DIR: published }
    expect(await runCommand(['backup', backup, '--with-master-key'], { ...key, DATA_DIR: folder })).toMatchObject({
      code: 0,
    })
    const second = await openPortal({ dataDir: folder, environment })
    await (await second.admin()).patch(`/api/admin/user/${trader.id}/account`, { balance: '7.00' })
    await seal(second.running.parts)
    const { position: sealed } = (await second.events('seals-this')).at(-3) ?? {}
    await second.stop()

    // Someone cuts the log off: everything after the first checkpoint.
    const whole = tamper(folder, 'DELETE FROM events WHERE position > ? - 3', String(sealed))
    expect(whole).toBeGreaterThan(0)
    await expect(openPortal({ dataDir: folder, environment })).rejects.toThrow(MissingEvents)
    const out = join(folder, 'export.json')
    for (const command of [
      ['export', trader.id, '--out', out],
      ['export', trader.id, '--format', 'csv', '--out', out],
      ['account', trader.id],
      ['account', trader.id, '--json'],
      ['diff', trader.id, '1', '5'],
    ])
      expect(await runCommand(['audit', ...command], { ...key, DATA_DIR: folder })).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('lost events'),
      })
    await expect(access(out)).rejects.toThrow('ENOENT')

    expect(
      await runCommand(['restore', backup, '--reason', 'The disk broke'], { ...key, DATA_DIR: restored }),
    ).toMatchObject({ code: 0, stdout: expect.stringContaining('What was sealed in between is lost') })
    const third = await openPortal({ dataDir: restored, environment })
    try {
      await seal(third.running.parts)
      expect(
        await runCommand(['audit', 'export', trader.id, '--out', out], { ...key, DATA_DIR: restored }),
      ).toMatchObject({ code: 0, stdout: expect.stringContaining('with their proof') })
      const proof = await (await signIn(third, trader)).get('/api/user/history/proof')
      expect(await verifyExport(proof.text)).toMatchObject({
        outcome: 'genuine',
        restorations: [{ reason: 'The disk broke', from: expect.any(Number), to: expect.any(Number) }],
      })
    } finally {
      await third.stop()
    }
  }, 120_000)

  it('starts from a backup that was made before the first seal', async () => {
    const [folder, backup, restored] = [await newFolder(), await newFolder(), await newFolder()]
    const first = await openPortal({ dataDir: folder, environment: settings, services: ['command', 'query'] })
    const trader = await first.trader()
    await first.stop()
    for (const [command, dataDir] of [
      [['backup', backup, '--with-master-key'], folder],
      [['restore', backup, '--reason', 'The disk broke'], restored],
    ] as const)
      expect(await runCommand(command, { DATA_DIR: dataDir })).toMatchObject({ code: 0 })
    const second = await openPortal({ dataDir: restored, environment: settings })
    try {
      expect((await (await signIn(second, trader)).get('/api/user')).body).toMatchObject({ id: trader.id })
      await seal(second.running.parts)
    } finally {
      await second.stop()
    }
  }, 120_000)
})
