import { ListedUser } from '#services/trading/traders/trader-api.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StoredEvent } from '#infra/event-store/event-store.ts'
import { z } from 'zod'
import { AccountHistory, ListedOwnAccount, OwnAccount } from '#services/trading/accounts/account-api.ts'
import { AdminPayout, Payout } from '#services/payments/payouts/payout-api.ts'
import { Standing } from '#services/trading/accounts/standing-api.ts'
import { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import { verifyExport } from '#services/oversight/audit/export-verification.ts'
import { ListedBatch } from '#services/payments/batches/batch-api.ts'
import { Certificate } from '#services/trading/certificates/certificate-api.ts'
import { Finding } from '#services/trading/findings/finding-api.ts'
import { ImportRow, StatementImport } from '#services/trading/imports/import-api.ts'
import { importOutcomes } from '#services/trading/imports/import-outcome-vocabulary.ts'
import { ListedProgramme } from '#services/programmes/programmes/programme-api.ts'
import { Case } from '#services/trading/cases/case-api.ts'
import { PublishedEntry } from '#services/trading/calendar/calendar-api.ts'
import { ListedReplyTemplate } from '#services/payments/reply-templates/reply-template-api.ts'
import { UserNote } from '#services/identity/user-notes/user-note-api.ts'
import { Task } from '#services/trading/accounts/task-api.ts'
import { Stats } from '#services/oversight/statistics/statistics-api.ts'
import { loadProjectionState } from '#services/event-sourcing/read-models/blue-green-rebuild.ts'
import { allProjections } from '#services/portal/modules.ts'
import { verifyLog } from '#services/proof/log-verification.ts'
import { signingKeys } from '#services/proof/seal-signing.ts'
import { rebuildNow } from '#services/operations/rebuild-and-wait.ts'
import { type Browser, browser } from '#test-support/http-client.ts'
import { read } from '#test-support/http-calls.ts'
import { sampled } from '#test-support/random-seed.ts'
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
  // It is made and projected here: on a busy machine that takes minutes.
}, 300_000)
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
      registry: eventRegistry,
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

  it('has a trader with three enrolments: one breached, one funded and eligible, and one in Phase 2', async () => {
    const trader = await signedIn('three enrolments')
    const accounts = read(z.array(ListedOwnAccount), await trader.get('/api/user/accounts'))
    expect(accounts.map(({ phase, status, open }) => [phase, open ? status : 'closed']).toSorted()).toEqual([
      ['Funded', 'active'],
      ['Phase 1', 'breached'],
      ['Phase 1', 'closed'],
      ['Phase 1', 'closed'],
      ['Phase 2', 'active'],
      ['Phase 2', 'closed'],
    ])
    expect(accounts.find(({ current }) => current)).toMatchObject({ phase: 'Funded' })
    expect(new Set(accounts.map(({ login }) => login)).size).toBe(6)
    expect(read(OwnAccount, await trader.get('/api/user/account'))).toMatchObject({ payoutEnabled: true })
    expect(read(z.array(Payout), await trader.get('/api/user/payouts')).length).toBeGreaterThan(0)
  })

  it('lives on programmes, the presets and its own, and keeps a few accounts without one', async () => {
    const list = read(z.array(ListedProgramme), await admin.get('/api/admin/programmes'))
    expect(list).toHaveLength(13)
    expect(list.find(({ id }) => id === 'sprint-50k')?.versions.map(({ state }) => state)).toEqual([
      'published',
      'draft',
    ])
    const events = await storedEvents(demo.parts)
    const count = (type: string) => events.filter((event) => event.type === type).length
    const [enrolled, traders] = [count('TraderEnrolled'), count('UserRegistered')]
    expect(enrolled).toBeGreaterThan(traders * 0.75)
    expect(traders - enrolled, 'without a programme').toBeGreaterThan(5)
    expect(count('OrderAssigned')).toBeGreaterThan(20)
    expect(enrolled - count('OrderAssigned'), 'by staff').toBeGreaterThan(10)
    expect(count('TermsAccepted')).toBeGreaterThan(10)
    expect(count('StagePassed')).toBeGreaterThan(20)
    expect(count('HitsNoted'), 'trades that were held too short').toBeGreaterThan(0)
    const tasks = read(Task.array(), await admin.get('/api/admin/tasks'))
    expect(new Set(tasks.map(({ kind }) => kind))).toEqual(
      new Set(['platform-login', 'close-on-platform', 'order-not-taken']),
    )
    expect(tasks.length).toBeLessThan(20)
  })

  it('has a case that staff answered, and news that were published the week before', async () => {
    const cases = read(Case.array(), await admin.get('/api/admin/cases'))
    expect(cases).toHaveLength(1)
    expect(cases[0]).toMatchObject({ state: 'answered', subject: { kind: 'rejection' }, messages: [{ from: 'staff' }] })
    const coming = read(PublishedEntry.array(), await admin.get('/api/calendar'))
    expect(coming.length).toBeGreaterThan(100)
    expect(coming.every(({ at, publishedAt }) => publishedAt < at)).toBe(true)
  })

  it('has work for the support desk: a paid order, a note, texts for rejections, and limits that are close', async () => {
    const tasks = read(Task.array(), await admin.get('/api/admin/tasks?kind=order-not-taken'))
    expect(tasks).toMatchObject([{ userName: 'Hannah Oduya', order: { number: 'A-20417', settled: null } }])
    expect(read(ListedReplyTemplate.array(), await admin.get('/api/admin/reply-templates'))).toHaveLength(2)
    const [reviewed] = read(
      z.array(ListedUser),
      await admin.get(`/api/admin/users?search=${encodeURIComponent(emailOf('under review'))}`),
    )
    expect(read(z.array(UserNote), await admin.get(`/api/admin/user/${reviewed?.id}/notes`))).toHaveLength(1)
    const trader = await signedIn('close to the daily')
    const { text } = await trader.get('/api/user/history?limit=100')
    expect(text).toContain('LimitNeared')
  })

  it('has findings in every state, which follow from the rules unless they were dismissed', async () => {
    const found = read(z.array(Finding), await admin.get('/api/admin/findings?limit=1000'))
    for (const { state, follows, id } of found) expect([id, follows], state).toEqual([id, true])
    const of = (kind: string, state: string) => found.filter((each) => each.kind === kind && each.state === state)
    expect(of('breach', 'confirmed').length).toBeGreaterThan(10)
    expect(of('breach', 'confirmed').filter(({ decided }) => decided?.by === 'system').length).toBeGreaterThan(0)
    expect(of('breach', 'confirmed').filter(({ decided }) => decided?.by === 'admin').length).toBeGreaterThan(0)
    expect(of('breach', 'dismissed').length).toBeGreaterThan(0)
    for (const { reason } of of('breach', 'dismissed')) expect(reason).toMatch(/\w/)
    expect(of('breach', 'proposed').length).toBeGreaterThan(0)
    expect(of('pass', 'confirmed').length).toBeGreaterThan(20)
    expect(of('pass', 'proposed').length).toBeGreaterThan(0)
    expect(found.filter(({ state }) => state === 'proposed').length).toBeLessThan(15)
  })

  it('has a report of a platform whose rows came to each outcome but a refusal, and one that waits', async () => {
    const imports = read(z.array(StatementImport), await admin.get('/api/admin/imports'))
    expect(imports.map(({ state }) => state)).toEqual(['preview', 'done'])
    expect(imports[1]).toMatchObject({ format: 'mt5-report', says: expect.stringMatching(/agrees with itself\.$/) })
    // A platform's own report of one account has nothing to refuse.
    for (const outcome of importOutcomes.filter((each) => each !== 'refused'))
      expect(imports[1]?.counts[outcome], outcome).toBeGreaterThan(0)
    const rows = read(z.array(ImportRow), await admin.get(`/api/admin/imports/${imports[1]?.id}/rows`))
    for (const { outcome, reason } of rows) if (outcome !== 'recorded') expect(reason ?? outcome).toMatch(/\w/)
  })

  it('exports accounts with a proof that verifies', { timeout: 300_000 }, async () => {
    for (const { id } of sampled(await users(), 10)) {
      const { text } = await admin.get(`/api/audit/accounts/${id}/export`)
      expect([id, (await verifyExport(text)).outcome]).toEqual([id, 'genuine'])
    }
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
    const requests = await payouts(trader)
    expect(requests.length).toBeGreaterThan(0)
    expect(new Set(requests.map(({ status }) => status))).toEqual(new Set(['approved']))
    const certificates = read(z.array(Certificate), await trader.get('/api/user/certificates'))
    expect(certificates.length).toBeGreaterThanOrEqual(2)
    for (const { fileUrl } of certificates)
      expect((await trader.get(fileUrl)).bytes.subarray(0, 5).toString()).toBe('%PDF-')
    expect(read(AccountHistory, await trader.get('/api/user/account/history')).points.length).toBeGreaterThan(60)
  })

  it('close to the daily loss limit', async () => {
    const trader = await signedIn('close to the daily')
    const { days } = read(AccountHistory, await trader.get('/api/user/account/history'))
    expect(Number(days.at(-1)?.result)).toBeCloseTo(-0.043 * 50_000, 2)
  })

  it('nearly at the profit target', async () => {
    const { profitLoss, profitTarget, phase, balance } = await account(await signedIn('nearly at the profit target'))
    expect([phase, profitTarget]).toEqual(['Phase 1', '2000.00'])
    expect(Number(profitLoss)).toBeCloseTo(Number(balance) - 25_000, 2)
    expect(Number(profitLoss) / Number(profitTarget)).toBeGreaterThan(0.8)
    expect(Number(profitLoss)).toBeLessThan(Number(profitTarget))
  })

  it('at the target, and in the next stage without a login', async () => {
    const trader = await signedIn('staff confirm the pass')
    expect(read(Standing, await trader.get('/api/user/account/standing')).status).toBe('passed')
    expect(await account(trader)).toMatchObject({ phase: 'Phase 1', status: 'active' })
    expect(await account(await signedIn('waits for its login'))).toMatchObject({
      ...{ phase: 'Phase 2', status: 'pending', login: null, balance: '50000.00' },
    })
  })

  it('waiting for a verdict, rejected with a reason, under review, breached, pending', async () => {
    expect((await payouts(await signedIn('waits for its verdict')))[0]?.status).toBe('pending')
    expect((await payouts(await signedIn('a rejected payout')))[0]).toMatchObject({
      status: 'rejected',
      adminNotes: expect.stringMatching(/\w/),
    })
    expect(await account(await signedIn('under review'))).toMatchObject({ status: 'under-review' })
    for (const see of ['breached the overall', 'breached the maximum'])
      expect(await account(await signedIn(see))).toMatchObject({ status: 'breached', payoutEnabled: false })
    expect(await account(await signedIn('staff dismissed'))).toMatchObject({ status: 'active' })
    expect(await account(await signedIn('signed up just now'))).toMatchObject({ status: 'pending', balance: '0.00' })
  })

  it('gives the reasons: under review, breached with evidence, and a corrected breach', async () => {
    const { stamps: review } = await account(await signedIn('under review'))
    expect(review.status).toMatchObject({
      finding: expect.stringMatching(/-f1$/),
      reason: expect.stringMatching(/^Daily/),
    })
    for (const [see, by] of [
      ['breached the overall', 'system'],
      ['breached the maximum', 'admin'],
    ] as const) {
      const { stamps } = await account(await signedIn(see))
      expect(stamps.status).toMatchObject({
        ...{ by, finding: expect.stringMatching(/-f1$/), reason: expect.stringMatching(/ the floor of \$/) },
        evidence: { rule: 'overall-loss', limit: expect.stringMatching(/^\d+\.\d\d$/) },
      })
    }
    const mistaken = await signedIn('her breach was a mistake')
    const { status, stamps } = await account(mistaken)
    expect(status).toBe('active')
    const [corrected] = read(
      z.array(AuditEvent),
      await mistaken.get(`/api/user/history?from=${stamps.status?.corrects}`),
    )
    expect(corrected).toMatchObject({
      number: stamps.status?.corrects,
      changes: [{ to: 'breached' }],
      evidence: { rule: 'daily-drawdown' },
    })
    expect((await account(await signedIn('limits that staff widened'))).stamps.limits?.reason).toMatch(/^Scaling plan/)
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
    // Seals and the records of delivered mails come at any time; its preview of an import is older than a week.
    const comesByItself = ({ stream, type }: StoredEvent) =>
      stream === 'seals-this' || type === 'MailSent' || type === 'ImportLost'
    const recorded = async () => (await storedEvents(demo.parts)).filter((event) => !comesByItself(event)).length
    const [before, events] = [await users(), await recorded()]
    await demo.stop()
    demo = await startHere()
    expect(demo.created).toBe(false)
    admin = browser(demo.address)
    await admin.post('/api/admin/login', { accessKey: demoKeys[0]?.accessKey })
    expect(await users()).toEqual(before)
    expect((await recorded()) - events, 'no more than the sign-in').toBeLessThanOrEqual(1)
  })

  it('must not hold other data', async () => {
    const other = join(folder, 'other')
    writeFileSync(join(mkdtempSync(`${other}-`), 'precious.txt'), 'do not touch')
    const [name = ''] = readdirSync(folder).filter((each) => each.startsWith('other-'))
    const own = join(folder, name)
    await expect(
      startDemo({ variables: { ...variables, DATA_DIR: own }, say: () => {}, traders: 20, until }),
    ).rejects.toThrow(/^DATA_DIR: .* is left alone/)
    expect(readdirSync(own)).toEqual(['precious.txt'])
  })
})
