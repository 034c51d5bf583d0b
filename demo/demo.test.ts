import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AccountHistory, ListedOwnAccount, OwnAccount } from '#services/modules/accounts/account-api.ts'
import { AdminPayout, Payout } from '#services/modules/payouts/payout-api.ts'
import { AuditFact } from '#services/modules/audit/audit-api.ts'
import { ListedBatch } from '#services/modules/batches/batch-api.ts'
import { Certificate } from '#services/modules/certificates/certificate-api.ts'
import { ListedUser } from '#services/modules/users/user-api.ts'
import { Stats } from '#services/modules/statistics/statistics-api.ts'
import { loadProjectionState } from '#services/event-sourcing/read-models/rebuild-request.ts'
import { allProjections } from '#services/modules/index.ts'
import { verifyLog } from '#services/proof/log-verification.ts'
import { signingKeys } from '#services/proof/seal-signing.ts'
import { rebuildNow } from '#services/operations/rebuild-and-wait.ts'
import { type Browser, browser } from '#test-support/http-client.ts'
import { read } from '#test-support/http-calls.ts'
import { storedEvents } from '#test-support/stores.ts'
import { type Demo, startDemo } from './demo.ts'
import { demoKeys } from './demo-firm.ts'

const folder = mkdtempSync(join(tmpdir(), 'proofdesk-demo-'))
const dataDir = join(folder, 'demo')
const until = Date.UTC(2026, 4, 20, 15, 30)
const variables = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' }
const startHere = () => startDemo({ variables, say: () => {}, traders: 120, until })

let demo: Demo
let admin: Browser

beforeAll(async () => {
  demo = await startHere()
  admin = browser(demo.address)
  await admin.post('/api/admin/login', { accessKey: demoKeys[0]?.accessKey })
})
afterAll(async () => {
  await demo.stop()
  rmSync(folder, { recursive: true, force: true })
})

const users = async () => read(z.array(ListedUser), await admin.get('/api/admin/users'))
const password = () => /password for all: (.*)\)/.exec(demo.signIns)?.[1]
/** The address of the trader whose line in the list says this. */
const emailOf = (see: string) =>
  demo.signIns
    .split('\n')
    .find((row) => row.includes(see))
    ?.trim()
    .split(' ')[0] ?? ''

async function signedIn(see: string): Promise<Browser> {
  const trader = browser(demo.address)
  expect((await trader.post('/api/login', { email: emailOf(see), password: password() })).status, see).toBe(200)
  return trader
}

/** All documents of the read models, as stored. */
async function documents(): Promise<unknown> {
  const { documents, projections } = demo.parts.readModelStore
  return Promise.all(
    allProjections.map(
      async (view) =>
        (await documents.find((await loadProjectionState(projections, view)).serving, { limit: 10_000 })).documents,
    ),
  )
}

describe('the demo', () => {
  it('names an address that passkeys can be made for', () => {
    expect(new URL(demo.url).hostname).toBe('localhost')
  })

  it('has traders in every state, each with an address of their own', async () => {
    const list = await users()
    expect(list.length).toBeGreaterThan(100)
    const { users: counts, payouts } = read(Stats, await admin.get('/api/admin/stats'))
    const { oldestUnpaidAt, ...sums } = payouts
    expect(oldestUnpaidAt).not.toBeNull()
    for (const [state, count] of Object.entries({ ...counts, ...sums }))
      expect([state, Number(count) > 0]).toEqual([state, true])
    expect(new Set(list.map(({ email }) => email)).size).toBe(list.length)
    expect(new Set(list.map(({ country }) => country)).size).toBe(8)
    expect(new Set(list.map(({ tradingAccount }) => tradingAccount?.phase))).toEqual(
      new Set([null, 'Evaluation', 'Phase 1', 'Phase 2', 'Funded']),
    )
    for (const { banned, banReason } of list) if (banned) expect(banReason).not.toBeNull()
  })

  it('has a history of months in the order of time', async () => {
    const times = (await users()).map(({ createdAt }) => Date.parse(createdAt))
    expect(times).toEqual([...times].sort((a, b) => b - a))
    expect(Math.max(...times)).toBeLessThanOrEqual(until)
    expect(until - Math.min(...times)).toBeGreaterThan(150 * 24 * 60 * 60_000)
    const payouts = read(z.array(AdminPayout), await admin.get('/api/admin/payouts'))
    for (const { decidedAt, status, adminNotes } of payouts) {
      expect(Date.parse(decidedAt ?? '1970-01-01')).toBeLessThanOrEqual(until)
      if (status === 'rejected') expect(adminNotes).not.toBeNull()
    }
  })

  it('pays in batches, of which one waits for its release, and knows payments in every state', async () => {
    const payouts = read(z.array(AdminPayout), await admin.get('/api/admin/payouts?limit=1000'))
    const states = new Set(payouts.flatMap(({ payment }) => payment?.state ?? []))
    for (const state of ['open', 'in-batch', 'sent', 'paid', 'failed', 'returned'])
      expect(states, state).toContain(state)
    expect(payouts.filter(({ hold }) => hold !== null).length).toBeGreaterThan(0)
    const batches = read(z.array(ListedBatch), await admin.get('/api/admin/batches'))
    expect(new Set(batches.map(({ format }) => format))).toEqual(new Set(['pain.001', 'paypal', 'crypto', 'csv']))
    expect(batches.filter(({ state }) => state === 'open')).toHaveLength(1)
    for (const { maker, releaser } of batches) expect(releaser).not.toBe(maker)
    for (const format of ['pain.001', 'paypal', 'crypto', 'csv'] as const) {
      const newest = batches.find((batch) => batch.format === format && batch.file !== null)
      const file = await admin.get(`/api/admin/batches/${newest?.id}/file`)
      expect(createHash('sha256').update(file.bytes).digest('hex'), format).toBe(newest?.file?.sha256)
    }
    const { payouts: figures } = read(Stats, await admin.get('/api/admin/stats'))
    expect(Number(figures.unpaidAmount)).toBeLessThan(Number(figures.approvedAmount) / 3)
    for (const { payment, hold, decidedAt } of payouts)
      if (payment?.state === 'open' && !hold) expect(until - Date.parse(decidedAt ?? '')).toBeLessThan(6 * 86_400_000)
  })

  it('has no dead letters, and its read models equal rebuilt ones', async () => {
    const { readModelStore: store, eventStore, personKeys, log } = demo.parts
    expect(await store.deadLetters.list()).toEqual([])
    const before = await documents()
    await rebuildNow({
      store,
      eventStore,
      personKeys,
      log,
      projections: allProjections,
      signal: new AbortController().signal,
    })
    expect(await documents()).toEqual(before)
  })

  it('has a log whose hash chains and seals verify', async () => {
    const { eventStore, publishedTree } = demo.parts
    const { facts, finding, seals } = await verifyLog({
      eventStore,
      publishedTree,
      keys: await signingKeys(demo.parts.personKeys),
    })
    expect(finding).toBeNull()
    expect(facts).toBeGreaterThan(5_000)
    expect(seals).toBe(1)
  })

  it('sends no mail about its past', async () => {
    expect(await demo.parts.outbox.counts()).toMatchObject({ waiting: 0, sent: 0 })
    expect(readdirSync(join(dataDir, 'outbox')).filter((name) => name.endsWith('.eml'))).toEqual([])
  })

  it('has a trader with a breached, a funded and eligible account, and one in Phase 2', async () => {
    const trader = await signedIn('three accounts')
    const accounts = read(z.array(ListedOwnAccount), await trader.get('/api/user/accounts'))
    expect(accounts).toMatchObject([
      { phase: 'Phase 2', status: 'active', open: true, current: false },
      { phase: 'Funded', status: 'active', open: true, current: true },
      { status: 'breached', open: true, current: false },
    ])
    expect(new Set(accounts.map(({ login }) => login)).size).toBe(3)
    expect(read(OwnAccount, await trader.get('/api/user/account'))).toMatchObject({ payoutEnabled: true })
    expect(read(z.array(Payout), await trader.get('/api/user/payouts')).length).toBeGreaterThan(0)
  })

  it('opens for every access key that it prints', async () => {
    for (const { accessKey, role } of demoKeys)
      expect((await browser(demo.address).post('/api/admin/login', { accessKey })).body).toMatchObject({ role })
  })
})

describe('each featured trader is in the state that the list says', () => {
  const account = async (who: Browser) => read(OwnAccount, await who.get('/api/user/account'))
  const payouts = async (who: Browser) => read(z.array(Payout), await who.get('/api/user/payouts'))

  it('funded and eligible, with payouts paid and certificates to open', async () => {
    const trader = await signedIn('funded and eligible')
    expect(await account(trader)).toMatchObject({ status: 'active', phase: 'Funded', payoutEnabled: true })
    const asked = await payouts(trader)
    expect(asked.length).toBeGreaterThan(0)
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set(['approved']))
    const certificates = read(z.array(Certificate), await trader.get('/api/user/certificates'))
    expect(certificates.length).toBeGreaterThanOrEqual(2)
    for (const { fileUrl } of certificates)
      expect((await trader.get(fileUrl)).bytes.subarray(0, 5).toString()).toBe('%PDF-')
    expect(read(AccountHistory, await trader.get('/api/user/account/history')).points.length).toBeGreaterThan(60)
  })

  it('close to the daily loss limit', async () => {
    const { points } = read(
      AccountHistory,
      await (await signedIn('close to the daily')).get('/api/user/account/history'),
    )
    const [before, now] = points.slice(-2).map(({ balance }) => Number(balance))
    expect(Number(before) - Number(now)).toBeCloseTo(0.043 * 50_000, 2)
  })

  it('nearly at the profit target', async () => {
    const { profitLoss, profitTarget, phase } = await account(await signedIn('nearly at the profit target'))
    expect(phase).toBe('Phase 1')
    expect(Number(profitLoss) / Number(profitTarget)).toBeGreaterThan(0.8)
    expect(Number(profitLoss)).toBeLessThan(Number(profitTarget))
  })

  it('waiting for a verdict, rejected with a reason, under review, breached, pending', async () => {
    expect((await payouts(await signedIn('waits for its verdict')))[0]?.status).toBe('pending')
    expect((await payouts(await signedIn('a rejected payout')))[0]).toMatchObject({
      status: 'rejected',
      adminNotes: expect.stringMatching(/\w/),
    })
    expect(await account(await signedIn('under review'))).toMatchObject({ status: 'under-review' })
    expect(await account(await signedIn('breached the overall'))).toMatchObject({
      status: 'breached',
      payoutEnabled: false,
    })
    expect(await account(await signedIn('signed up just now'))).toMatchObject({ status: 'pending', balance: '0.00' })
  })

  it('gives the reasons: under review, breached with evidence, and a corrected breach', async () => {
    const { stamps: review } = await account(await signedIn('under review'))
    expect(review.status?.reason).toMatch(/\w/)
    const { stamps: breach, overallLossLimit } = await account(await signedIn('breached the overall'))
    expect(breach.status).toMatchObject({
      reason: expect.stringMatching(/\w/),
      evidence: {
        rule: 'overall-loss',
        limit: overallLossLimit,
        value: expect.stringMatching(/^-\$1\d{3}\.\d\d since/),
      },
    })
    const mistaken = await signedIn('her breach was a mistake')
    const { status, stamps } = await account(mistaken)
    expect(status).toBe('active')
    const [corrected] = read(
      z.array(AuditFact),
      await mistaken.get(`/api/user/history?from=${stamps.status?.corrects}`),
    )
    expect(corrected).toMatchObject({
      number: stamps.status?.corrects,
      changes: [{ to: 'breached' }],
      evidence: { rule: 'daily-drawdown' },
    })
    expect((await account(await signedIn('funded and eligible'))).stamps.limits?.reason).toMatch(/^Scaling plan/)
    for (const { tradingAccount } of await users())
      if (tradingAccount?.status === 'breached') expect(tradingAccount.stamps.status?.evidence).not.toBeNull()
  })

  it('banned, with the reason at sign-in', async () => {
    const answer = await browser(demo.address).post('/api/login', { email: emailOf('banned'), password: password() })
    expect(answer).toMatchObject({
      status: 403,
      body: { banned: true, banReason: 'Copied trades between several accounts' },
    })
  })
})

describe('the folder of the demo', () => {
  it('stays as it is at a second start', async () => {
    // Seals and the records of delivered mails come at any time.
    const recorded = async () =>
      (await storedEvents(demo.parts)).filter(({ stream, type }) => stream !== 'seals-this' && type !== 'MailSent')
        .length
    const [before, facts] = [await users(), await recorded()]
    await demo.stop()
    demo = await startHere()
    expect(demo.created).toBe(false)
    admin = browser(demo.address)
    await admin.post('/api/admin/login', { accessKey: demoKeys[0]?.accessKey })
    expect(await users()).toEqual(before)
    expect((await recorded()) - facts, 'no more than the sign-in').toBeLessThanOrEqual(1)
  })

  it('must not hold other data', async () => {
    const other = join(folder, 'other')
    writeFileSync(join(mkdtempSync(`${other}-`), 'precious.txt'), 'do not touch')
    const [name = ''] = readdirSync(folder).filter((each) => each.startsWith('other-'))
    const mine = join(folder, name)
    await expect(
      startDemo({ variables: { ...variables, DATA_DIR: mine }, say: () => {}, traders: 20, until }),
    ).rejects.toThrow(/^DATA_DIR: .* is left alone/)
    expect(readdirSync(mine)).toEqual(['precious.txt'])
  })
})
