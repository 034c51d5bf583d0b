import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { activity } from '../activity-read-model.ts'
import { AuditAccountFound, AuditMoments, AuditState, PersonalExport } from '../audit-api.ts'
import { AuditChange, AuditEvent } from '../audit-event-api.ts'
import {
  LINK_HEADER,
  nextCursor,
  POSITION_COOKIE,
  POSITION_HEADER,
  TOTAL_HEADER,
} from '#services/framework/api/headers.ts'
import { initialState } from '#services/event-sourcing/read-models/blue-green-rebuild.ts'
import { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { Payout } from '#services/payments/payouts/payout-api.ts'
import type { Browser, RequestOptions } from '#test-support/http-client.ts'
import { after, eligibleTrader, read, uploadCertificate } from '#test-support/http-calls.ts'
import { openPortal } from '#test-support/portal.ts'

const portal = await openPortal()
const admin = await portal.admin()
const auditor = await portal.auditor()
afterAll(() => portal.stop())

const Entries = z.array(AuditEvent)
const Changes = z.array(AuditChange)

const stateOf = async (id: string, query = '') =>
  read(AuditState, await auditor.get(`/api/audit/accounts/${id}${query}`))
const eventsOf = async (id: string, query = '') =>
  read(Entries, await auditor.get(`/api/audit/accounts/${id}/events${query}`))

/** All pages of a list. */
async function allPages(who: Browser, path: string, options: RequestOptions = {}) {
  const pages: z.infer<typeof Entries>[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const answer = await who.get(`${path}&cursor=${cursor}`, options)
    pages.push(read(Entries, answer))
    cursor = nextCursor(answer.headers.get(LINK_HEADER))
  }
  return pages
}

/** A trader with some of every kind of event. */
async function livedThrough() {
  const trader = await eligibleTrader(portal, admin)
  const set = (changes: object) => admin.patch(`/api/admin/user/${trader.id}/account`, changes)
  await set({
    balance: '5000.00',
    status: 'active',
    phase: 'Phase 1',
    login: '900100',
    masterPassword: 'the-master-password',
  })
  const { id: payout } = read(
    Payout,
    await trader.post('/api/user/payouts', { amount: '50.00', paymentMethod: 'bank', paymentDetails: 'IBAN 1' }),
  )
  await admin.patch(`/api/admin/payouts/${payout}`, { status: 'rejected', adminNotes: 'Proof of address is missing' })
  await uploadCertificate(admin, { userId: trader.id, name: 'Phase 1 passed' })
  await set({ status: 'breached', balance: '4400.00', dailyDrawdownLimit: '5% / $250' })
  await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: true, banReason: 'For a test' })
  await admin.patch(`/api/admin/user/${trader.id}/ban`, { banned: false })
  return { trader, payout }
}

/** The rows of a CSV file without line breaks in its cells, by their headings. */
function csvRows(text: string): Record<string, string>[] {
  const [headings = [], ...rows] = text
    .replace('\ufeff', '')
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
      ),
    )
  return rows.map((row) => Object.fromEntries(headings.map((heading, index) => [heading, row[index] ?? ''])))
}

describe('an account for an auditor', () => {
  it('begins with the sign-up of its person, also where staff had signed in before', async () => {
    await portal.admin()
    const signIn = (await portal.events()).findLast(({ type }) => type === 'AdminSignedIn')
    const { trader } = await livedThrough()
    expect((await auditor.get(`/api/audit/accounts/${trader.id}?at=${signIn?.position}`)).status).toBe(404)
    const [first] = await eventsOf(trader.id)
    expect(first).toMatchObject({ type: 'UserRegistered', userId: trader.id })
    expect((await stateOf(trader.id, `?at=${first?.number}`)).user).toMatchObject({ id: trader.id })
    const moments = read(AuditMoments, await auditor.get(`/api/audit/accounts/${trader.id}/moments`))
    expect(moments.numbers[0]).toBe(first?.number)
  })

  it('is searched by what people read: titles, fields, words, amounts, reasons and names', async () => {
    const { trader, payout } = await livedThrough()
    const found = async (search: string, query = '') =>
      (await eventsOf(trader.id, `?search=${encodeURIComponent(search)}${query}`)).map(({ type }) => type)
    expect(await found('proof of ADDRESS')).toEqual(['PayoutRejected'])
    expect(await found('$4,400.00')).toEqual(['BalanceChanged'])
    expect(await found('4400.00')).toEqual(['BalanceChanged'])
    expect(await found('breached status')).toEqual(['AccountStatusChanged'])
    expect(await found('certificate issued')).toEqual(['CertificateIssued'])
    expect(await found(payout)).toEqual(['PayoutRequested', 'PayoutRejected'])
    expect(await found(payout, '&type=PayoutRejected')).toEqual(['PayoutRejected'])
    expect(await found('the-master-password')).toEqual([])
    const numbers = await eventsOf(trader.id, `?search=%23${(await eventsOf(trader.id))[3]?.number}`)
    expect(numbers).toMatchObject([{ type: 'PayoutsEnabled' }])
    expect(await found('no such words')).toEqual([])
    const matching = await eventsOf(trader.id, '?search=admin_access')
    expect(new Set(matching.map(({ actor }) => actor.label))).toEqual(new Set(['ADMIN_ACCESS_KEY']))
    const moments = await auditor.get(`/api/audit/accounts/${trader.id}/moments?search=admin_access`)
    expect(read(AuditMoments, moments).numbers).toEqual(matching.map(({ number }) => number))
    const page = await auditor.get(`/api/audit/accounts/${trader.id}/events?search=admin_access&limit=1`)
    expect(page.headers.get(TOTAL_HEADER)).toBe(`${matching.length}`)
    // A trader's search reveals no name.
    expect(read(Entries, await trader.get('/api/user/history?search=ADMIN_ACCESS_KEY'))).toEqual([])
    expect(read(Entries, await trader.get('/api/user/history?search=proof'))).toMatchObject([
      { type: 'PayoutRejected' },
    ])
  })

  it('lists every event with actor, time, changes and reason', async () => {
    const { trader, payout } = await livedThrough()
    const entries = await eventsOf(trader.id)
    const ownEvents = entries.filter(({ type }) => type !== 'AdminSignedIn')
    expect(ownEvents.map(({ type }) => type)).toEqual([
      'UserRegistered',
      'AccountAssigned',
      'AccountOpened',
      'PayoutsEnabled',
      'BalanceChanged',
      'PlatformLoginAssigned',
      'PhaseChanged',
      'AccountStatusChanged',
      'PayoutRequested',
      'PayoutRejected',
      'CertificateIssued',
      'BalanceChanged',
      'RiskLimitsChanged',
      'AccountStatusChanged',
      'UserBanned',
      'UserUnbanned',
    ])
    const byType = (type: string) => ownEvents.findLast((event) => event.type === type)
    const dana = { kind: 'admin', label: 'ADMIN_ACCESS_KEY' }
    expect(byType('AccountStatusChanged')).toMatchObject({
      actor: dana,
      changes: [{ field: 'account.status', from: 'active', to: 'breached' }],
      reason: null,
    })
    expect(byType('BalanceChanged')?.changes).toEqual([{ field: 'account.balance', from: '5000.00', to: '4400.00' }])
    expect(byType('PayoutRejected')).toMatchObject({
      actor: dana,
      changes: [{ field: `payouts.${payout}.status`, from: 'pending', to: 'rejected' }],
      reason: 'Proof of address is missing',
    })
    expect(byType('PayoutRequested')?.actor).toEqual({ kind: 'trader', label: trader.id })
    expect(byType('UserBanned')).toMatchObject({
      reason: 'For a test',
      changes: [
        { field: 'user.banned', from: false, to: true },
        { field: 'user.banReason', from: null, to: 'For a test' },
      ],
    })
    const recorded = await portal.events()
    for (const { number, type, at, requestId } of entries) {
      const event = recorded.find(({ position }) => Number(position) === number)
      expect([event?.type, event && new Date(event.at).toISOString(), event?.metadata.requestId]).toEqual([
        type,
        at,
        requestId,
      ])
    }
    expect(entries.map(({ number }) => number)).toEqual(entries.map(({ number }) => number).toSorted((a, b) => a - b))
    expect(JSON.stringify(entries)).not.toContain('the-master-password')
  })

  it('includes only the sign-ins of administrators who changed it', async () => {
    const trader = await portal.trader()
    const own = await portal.admin()
    await portal.admin()
    await own.patch(`/api/admin/user/${trader.id}/account`, { balance: '1.00' })
    const signIns = (await eventsOf(trader.id)).filter(({ type }) => type === 'AdminSignedIn')
    const newest = (await portal.events()).findLast(({ type }) => type === 'AdminSignedIn')
    expect(signIns).toMatchObject([
      { number: Number(newest?.position), actor: { kind: 'admin', label: 'ADMIN_ACCESS_KEY' } },
    ])
  })

  it('can be read as of any event and any time', async () => {
    const { trader, payout } = await livedThrough()
    const entries = await eventsOf(trader.id)
    const rejected = entries.find(({ type }) => type === 'PayoutRejected')
    const then = await stateOf(trader.id, `?at=${rejected?.number}`)
    expect(then).toMatchObject({
      number: rejected?.number,
      at: rejected?.at,
      user: { id: trader.id, email: trader.email, banned: false, deleted: false },
      accounts: [
        {
          id: `${trader.id}-a1`,
          account: {
            open: true,
            status: 'active',
            balance: '5000.00',
            phase: 'Phase 1',
            login: '900100',
            masterPassword: '••••••••',
            payoutEnabled: true,
            dailyDrawdownLimit: null,
          },
          payouts: [
            {
              id: payout,
              amount: '50.00',
              status: 'rejected',
              adminNotes: 'Proof of address is missing',
              paymentDetails: 'IBAN 1',
            },
          ],
          certificates: [],
        },
      ],
    })
    for (const { number, at } of entries) {
      expect((await stateOf(trader.id, `?at=${number}`)).number).toBe(number)
      expect((await stateOf(trader.id, `?at=${at}`)).at).toBe(at)
    }
    const now = await stateOf(trader.id)
    expect(now).toEqual(await stateOf(trader.id, `?at=${new Date().toISOString()}`))
    const [first, ...others] = now.accounts
    expect(others).toEqual([])
    expect(first?.certificates).toMatchObject([{ name: 'Phase 1 passed' }])
    // Banned and unbanned: the trader can read the account again, and sees the same.
    const { masterPassword, payout: _payout, ...own } = read(OwnAccount, await trader.get('/api/user/account'))
    const toAdmin = read(AuditState, await admin.get(`/api/audit/accounts/${trader.id}`))
    const { id, account: fields } = toAdmin.accounts[0] ?? absent()
    expect({ id, ...fields, stamps: own.stamps }).toEqual({ ...own, masterPassword: '••••••••' })
    expect(masterPassword).toBe('the-master-password')
    expect(now).toEqual(toAdmin)
  })

  it('refuses moments of other accounts', async () => {
    const { id } = await portal.trader()
    const status = async (query: string) => (await auditor.get(`/api/audit/accounts/${id}${query}`)).status
    const [first] = await eventsOf(id)
    const another = await portal.trader()
    const [foreign] = await eventsOf(another.id)
    for (const unknown of [
      `${(first?.number ?? 0) - 1}`,
      `${foreign?.number}`,
      '9007199254740991',
      '2001-01-01',
      '2001-01-01T00:00:00Z',
    ])
      expect([unknown, await status(`?at=${encodeURIComponent(unknown)}`)]).toEqual([unknown, 404])
    for (const none of ['0', '-1', '1.5', 'yesterday', '2999-01-01T00:00:00Z', '2026-13-01', '2026-03-03T14:07'])
      expect([none, await status(`?at=${encodeURIComponent(none)}`)]).toEqual([none, 400])
    for (const nobody of ['nobody00000', 'Not-An-Id', '..%2F..'])
      for (const what of ['', '/events', '/moments', '/difference?from=1&to=2', '/export'])
        expect((await auditor.get(`/api/audit/accounts/${nobody}${what}`)).status).toBe(404)
    for (const none of ['from=x', 'to=0', 'to=2999-01-01'])
      expect((await auditor.get(`/api/audit/accounts/${id}/difference?${none}`)).status).toBe(400)
    expect((await auditor.get(`/api/audit/accounts/${id}/difference?from=1&to=2`)).status).toBe(404)
  })

  it('says that a master password changed, and not which one', async () => {
    const { id } = await portal.trader()
    for (const masterPassword of ['the-master-password', 'another-one'])
      await admin.patch(`/api/admin/user/${id}/account`, { masterPassword })
    const events = (await eventsOf(id)).filter(({ type }) => type === 'PlatformLoginAssigned')
    const path = `/api/audit/accounts/${id}/difference?from=${events[0]?.number}&to=${events[1]?.number}`
    for (const who of [admin, auditor]) {
      expect(read(Changes, await who.get(path))).toEqual([
        { field: 'account.masterPassword', from: '••••••••', to: '••••••••', accountId: `${id}-a1` },
      ])
      expect((await who.get(`/api/admin/user/${id}`, await portal.atEnd())).body).toMatchObject({
        tradingAccount: { masterPassword: '••••••••' },
      })
    }
    const { id: without } = await portal.trader()
    expect((await auditor.get(`/api/admin/user/${without}`, await portal.atEnd())).body).toMatchObject({
      tradingAccount: { masterPassword: null },
    })
  })

  it('shows the difference of two moments in both directions', async () => {
    const { trader } = await livedThrough()
    const entries = await eventsOf(trader.id)
    const [from, to] = [entries.find(({ type }) => type === 'PayoutRejected')?.number, entries.at(-1)?.number]
    const between = async (one: unknown, other: unknown) =>
      read(Changes, await auditor.get(`/api/audit/accounts/${trader.id}/difference?from=${one}&to=${other}`))
    const forward = await between(from, to)
    expect(forward.map(({ field }) => field.replace(trader.id, 'id'))).toEqual([
      'account.balance',
      'account.dailyDrawdownLimit',
      'account.status',
      'ledger.entries',
      'ledger.tradeResults',
      'ledger.sum',
      'certificates.id-a1-c1',
    ])
    expect(forward.find(({ field }) => field === 'account.status')).toEqual({
      field: 'account.status',
      from: 'active',
      to: 'breached',
      accountId: `${trader.id}-a1`,
    })
    const backward = await between(to, from)
    expect(backward).toEqual(forward.map((change) => ({ ...change, from: change.to, to: change.from })))
    expect(await between(to, to)).toEqual([])
    const whole = read(Changes, await auditor.get(`/api/audit/accounts/${trader.id}/difference`))
    expect(whole.find(({ field }) => field === 'account.status')).toEqual({
      field: 'account.status',
      from: 'pending',
      to: 'breached',
      accountId: `${trader.id}-a1`,
    })
  })

  it('pages through its events in both orders, with filters', async () => {
    const { trader } = await livedThrough()
    const path = `/api/audit/accounts/${trader.id}/events`
    const entries = await eventsOf(trader.id)
    expect((await allPages(auditor, `${path}?limit=4`)).flat()).toEqual(entries)
    expect((await allPages(auditor, `${path}?limit=4&order=desc`)).flat()).toEqual(entries.toReversed())
    expect((await auditor.get(`${path}?limit=4`)).headers.get(TOTAL_HEADER)).toBe(String(entries.length))
    const [from, to] = [entries[3], entries[7]]
    expect(await eventsOf(trader.id, `?from=${from?.number}&to=${to?.number}`)).toEqual(entries.slice(3, 8))
    expect(await eventsOf(trader.id, `?from=${to?.at}`)).toEqual(entries.filter(({ at }) => at >= (to?.at ?? '')))
    expect(await eventsOf(trader.id, '?type=UserBanned,UserUnbanned')).toEqual(
      entries.filter(({ type }) => /^User(B|Unb)anned$/.test(type)),
    )
    expect(await eventsOf(trader.id, '?actor=trader')).toEqual(entries.filter(({ actor }) => actor.kind === 'trader'))
    expect(await eventsOf(trader.id, '?actor=ADMIN_ACCESS_KEY')).toEqual(
      entries.filter(({ actor }) => actor.kind === 'admin'),
    )
    for (const bad of ['limit=0', 'limit=1001', 'cursor=x', 'order=up', 'type=1', 'from=x'])
      expect((await auditor.get(`${path}?${bad}`)).status, bad).toBe(400)
  })

  it('lists all of its moments at once, with the same filters', async () => {
    const { trader } = await livedThrough()
    const path = `/api/audit/accounts/${trader.id}`
    const entries = await eventsOf(trader.id)
    const momentsOf = (some: typeof entries) => ({
      numbers: some.map(({ number }) => number),
      times: some.map(({ at }) => Date.parse(at)),
    })
    const moments = async (query: string) => read(AuditMoments, await auditor.get(`${path}/moments${query}`))
    expect(await moments('')).toEqual(momentsOf(entries))
    expect(await moments(`?from=${entries[3]?.number}&to=${entries[7]?.number}`)).toEqual(
      momentsOf(entries.slice(3, 8)),
    )
    expect(await moments('?type=UserBanned,UserUnbanned&actor=ADMIN_ACCESS_KEY')).toEqual(
      momentsOf(entries.filter(({ type }) => /^User(B|Unb)anned$/.test(type))),
    )
    expect(await moments('?actor=nobody')).toEqual({ numbers: [], times: [] })
    expect((await auditor.get(`${path}/moments?from=x`)).status).toBe(400)
    // A trader's own moments exclude administrators' sign-ins, and cannot be filtered by their names.
    const own = read(Entries, await trader.get('/api/user/history'))
    expect(read(AuditMoments, await trader.get('/api/user/history/moments'))).toEqual(momentsOf(own))
    expect(read(AuditMoments, await trader.get('/api/user/history/moments?actor=ADMIN_ACCESS_KEY')).numbers).toEqual([])
  })

  it('is found by name, email, the login of any account, and id; after a deletion by id', async () => {
    const trader = await portal.trader({ fullName: 'Grace Hopper-Audit' })
    for (const login of ['70411501', '70411502'])
      await admin.post(`/api/admin/user/${trader.id}/accounts`, { login, server: 'Audit-MT5' })
    let position = admin.cookies.get(POSITION_COOKIE) ?? 'none'
    const find = async (search: string) =>
      read(
        z.array(AuditAccountFound),
        await auditor.get(`/api/audit/accounts?search=${encodeURIComponent(search)}`, {
          headers: { [POSITION_HEADER]: position },
        }),
      )
    for (const search of ['hopper-audit', trader.email, '70411501', '70411502', trader.id, `${trader.id}-a2`])
      expect(await find(search)).toMatchObject([{ userId: trader.id, fullName: 'Grace Hopper-Audit', deleted: false }])
    position = (await admin.delete(`/api/admin/user/${trader.id}`)).headers.get(POSITION_HEADER) ?? 'none'
    expect(await find(trader.id)).toMatchObject([
      { userId: trader.id, fullName: 'erased', email: 'erased', deleted: true },
    ])
    expect(await find('nobody of this name')).toEqual([])
    const entries = await eventsOf(trader.id)
    expect(entries.at(-1)?.type).toBe('AccountClosed')
    expect(JSON.stringify(entries)).not.toMatch(/Hopper|London/)
  })

  it('exports as JSON and safe CSV, without the master password', async () => {
    const trader = await eligibleTrader(portal, admin, { city: '=cmd|calc' })
    await admin.patch(`/api/admin/user/${trader.id}/account`, { masterPassword: 'never-in-a-file' })
    const { id } = read(Payout, await trader.post('/api/user/payouts', { amount: '50.00', paymentMethod: 'bank' }))
    await admin.patch(`/api/admin/payouts/${id}`, {
      status: 'rejected',
      adminNotes: '=HYPERLINK("http://evil.example")',
    })
    const before = await eventsOf(trader.id)
    const json = await auditor.get(`/api/audit/accounts/${trader.id}/export`)
    const { events } = z.object({ events: z.array(z.object({ position: z.string() })) }).parse(json.body)
    const entries = await eventsOf(trader.id)
    // The download is recorded, after what is in the file.
    expect(entries.at(-1)).toMatchObject({
      type: 'HistoryDownloaded',
      actor: { label: 'Ernst & Co' },
      changes: [{ field: 'history.format', to: 'json' }],
    })
    expect(events.map(({ position }) => Number(position))).toEqual(before.map(({ number }) => number))
    const csv = await auditor.get(`/api/audit/accounts/${trader.id}/export?format=csv`)
    expect(csv.headers.get('content-disposition')).toMatch(/^attachment; filename="account-[a-z0-9-]+\.csv"$/)
    const rows = csvRows(csv.text)
    expect(new Set(rows.map((row) => row['Number']))).toEqual(new Set(entries.map(({ number }) => `${number}`)))
    // Flat: a row for each field, also of what was added as a whole.
    expect(csv.text).not.toContain('{')
    expect(rows.filter(({ Type }) => Type === 'PayoutRequested')).toContainEqual(
      expect.objectContaining({ Field: `payouts.${id}.amount`, From: '', To: '50.00', Account: `${trader.id}-a1` }),
    )
    expect(csv.text).toContain(`"'=HYPERLINK(""http://evil.example"")"`)
    expect(csv.text).not.toMatch(/(^|,)"?=/m)
    for (const { text } of [json, csv]) expect(text).not.toContain('never-in-a-file')
    expect((await auditor.get(`/api/audit/accounts/${trader.id}/export?format=xml`)).status).toBe(400)
  })
})

describe('the events of all accounts', () => {
  it('are filtered by actor, newest first', async () => {
    const [one, other] = [await portal.trader(), await portal.trader()]
    for (const { id } of [one, other]) await admin.patch(`/api/admin/user/${id}/account`, { balance: '77.00' })
    const options = await portal.atEnd()
    const everything = (await allPages(auditor, '/api/audit/events?order=asc&limit=7', options))
      .flat()
      .filter(({ type }) => type !== 'MailSent')
    const recorded = await portal.events()
    expect(everything.map(({ number, type }) => [number, type])).toEqual(
      recorded.map(({ position, type }) => [Number(position), type]),
    )
    const byAdmin = (await allPages(auditor, '/api/audit/events?actor=ADMIN_ACCESS_KEY&limit=5')).flat()
    expect(byAdmin).toEqual(everything.filter(({ actor }) => actor.label === 'ADMIN_ACCESS_KEY').toReversed())
    const balances = read(Entries, await auditor.get('/api/audit/events?actor=admin&type=BalanceChanged&limit=2'))
    expect(balances.map(({ userId }) => userId)).toEqual([other.id, one.id])
    const byTrader = read(Entries, await auditor.get(`/api/audit/events?actor=${one.id}`))
    expect(byTrader).toEqual(everything.filter(({ actor }) => actor.label === one.id).toReversed())
    expect(read(Entries, await auditor.get('/api/audit/events?actor=nobody'))).toEqual([])
  })

  it('are filtered by number and by time, alone and together, in pages', async () => {
    await livedThrough()
    const everything = (await allPages(auditor, '/api/audit/events?order=asc&limit=500', await portal.atEnd())).flat()
    const [first, from, to] = [everything[0], everything[3], everything[9]]
    const within = everything.filter(({ at }) => (from?.at ?? '') <= at && at <= (to?.at ?? ''))
    const found = async (query: string) => (await allPages(auditor, `/api/audit/events?limit=2&${query}`)).flat()
    expect(await found(`to=${first?.number}`)).toEqual([first])
    expect(await found(`from=${from?.number}&to=${to?.number}&order=asc`)).toEqual(everything.slice(3, 10))
    expect(await found(`from=${from?.number}&to=${to?.number}`)).toEqual(everything.slice(3, 10).toReversed())
    expect(await found(`from=${from?.at}&to=${to?.at}`)).toEqual(within.toReversed())
    expect(await found(`from=${from?.at}&to=${to?.at}&actor=admin&order=asc`)).toEqual(
      within.filter(({ actor }) => actor.kind === 'admin'),
    )
    expect(await found(`from=${from?.at}&to=${to?.number}&order=asc`)).toEqual(
      everything.filter(({ at, number }) => (from?.at ?? '') <= at && number <= (to?.number ?? 0)),
    )
    expect(await found(`from=2999-01-01`)).toEqual([])
  })

  it('are downloaded as CSV with the filters of the page, in flat columns, and never as a formula', async () => {
    const { trader, payout } = await livedThrough()
    await admin.patch(`/api/admin/payouts/${payout}`, { status: 'approved', adminNotes: '=cmd|calc' })
    const filter = `type=PayoutApproved,PayoutRequested&from=${(await eventsOf(trader.id))[0]?.number}`
    const listed = read(Entries, await auditor.get(`/api/audit/events?${filter}`, await portal.atEnd()))
    const csv = await auditor.get(`/api/audit/events.csv?${filter}`, await portal.atEnd())
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(csv.headers.get('content-disposition')).toMatch(/^attachment; filename="activity-\d{4}-\d\d-\d\d\.csv"$/)
    const rows = csvRows(csv.text)
    expect([...new Set(rows.map((row) => row['Number']))]).toEqual(listed.map(({ number }) => `${number}`))
    expect(rows.find(({ Type }) => Type === 'PayoutApproved')).toMatchObject({
      Event: 'Payout approved',
      'User ID': trader.id,
      Account: `${trader.id}-a1`,
      Actor: 'admin',
      'Actor Name': 'ADMIN_ACCESS_KEY',
      Field: `payouts.${payout}.status`,
      From: 'rejected',
      To: 'approved',
      Reason: "'=cmd|calc",
    })
    const [download] = read(Entries, await auditor.get('/api/audit/events?type=ListDownloaded', await portal.atEnd()))
    expect(download).toMatchObject({ actor: { label: 'Ernst & Co' }, changes: [{ to: 'activity' }] })
  })

  it('are no file for who may not download lists', async () => {
    const support = await portal.member('support')
    expect((await support.get('/api/audit/events')).status).toBe(200)
    expect((await support.get('/api/audit/events.csv')).status).toBe(403)
  })

  it('are seen as soon as the command that caused them was answered, by everyone who carries its position', async () => {
    const trader = await portal.trader()
    const change = await admin.patch(`/api/admin/user/${trader.id}/account`, { phase: 'Phase 7' })
    for (const answer of [
      await admin.get('/api/audit/events?type=PhaseChanged&limit=1'),
      await auditor.get('/api/audit/events?type=PhaseChanged&limit=1', after(change)),
    ])
      expect(read(Entries, answer)).toMatchObject([{ userId: trader.id, changes: [{ to: 'Phase 7' }] }])
  })

  it('say nothing personal about a deleted user, and the read model never did', async () => {
    const trader = await portal.trader({ fullName: 'Grace Murray-Activity' })
    const named = await auditor.get(`/api/audit/events?actor=${trader.id}`, await portal.atEnd())
    expect(read(Entries, named)[0]).toMatchObject({ userName: 'Grace Murray-Activity' })
    const { documents } = portal.running.parts.readModelStore
    const page = await documents.find(initialState(activity).serving, { limit: 1_000 })
    expect(page.documents.length).toBeGreaterThan(10)
    expect(JSON.stringify(page)).not.toMatch(/Murray|Lovelace|example\.com|the-master-password/)
    await admin.delete(`/api/admin/user/${trader.id}`)
    const erased = await auditor.get(`/api/audit/events?actor=${trader.id}`, await portal.atEnd())
    expect(read(Entries, erased)[0]).toMatchObject({ userName: 'erased' })
    expect(erased.text).not.toMatch(/Murray|London/)
  })
})

describe('a trader', () => {
  it("reads their own history without administrators' names and sign-ins", async () => {
    const { trader } = await livedThrough()
    const answer = await trader.get('/api/user/history')
    const entries = read(Entries, answer)
    expect(entries).toHaveLength(16)
    const deciders = new Set(entries.filter(({ actor }) => actor.kind === 'admin').map(({ actor }) => actor.label))
    expect([...deciders]).toEqual([expect.stringMatching(/^admin [0-9a-f]{12}$/)])
    expect(answer.text).not.toMatch(/ADMIN_ACCESS_KEY|AdminSignedIn|the-master-password/)
    expect(entries.find(({ type }) => type === 'PayoutRejected')?.reason).toBe('Proof of address is missing')
    // Filtering by an administrator's name reveals nothing.
    expect(read(Entries, await trader.get('/api/user/history?actor=ADMIN_ACCESS_KEY'))).toEqual([])
    const again = await livedThrough()
    expect((await again.trader.get('/api/user/history')).text).toContain([...deciders][0])
  })

  it('sees their account as of their own events only', async () => {
    const { trader } = await livedThrough()
    const entries = read(Entries, await trader.get('/api/user/history'))
    const breached = entries.find(
      ({ type, changes }) => type === 'AccountStatusChanged' && changes.some(({ to }) => to === 'breached'),
    )
    const then = read(AuditState, await trader.get(`/api/user/history/state?at=${breached?.number}`))
    expect(then).toMatchObject({
      number: breached?.number,
      at: breached?.at,
      accounts: [{ account: { status: 'breached', balance: '4400.00', dailyDrawdownLimit: '5% / $250' } }],
    })
    expect(read(AuditState, await trader.get('/api/user/history/state'))).toMatchObject({
      number: entries.at(-1)?.number,
      user: { banned: false },
    })
    await (await portal.admin()).patch(`/api/admin/user/${trader.id}/account`, { balance: '4300.00' })
    const signIn = (await eventsOf(trader.id)).find(({ type }) => type === 'AdminSignedIn')
    const { trader: other } = await livedThrough()
    for (const number of [signIn?.number, read(Entries, await other.get('/api/user/history'))[0]?.number])
      expect((await trader.get(`/api/user/history/state?at=${number}`)).status).toBe(404)
    expect((await trader.get('/api/user/history/state?at=2999-01-01')).status).toBe(400)
  })

  it('exports all data stored about them', async () => {
    const { trader } = await livedThrough()
    const answer = await trader.get('/api/user/export')
    const { user, accounts, facts: entries } = read(PersonalExport, answer)
    const { payouts, certificates, account } = accounts[0] ?? absent()
    expect(user).toMatchObject({
      id: trader.id,
      email: trader.email,
      fullName: 'Ada Lovelace',
      street: 'St James Square',
    })
    expect(account).toMatchObject({ balance: '4400.00', masterPassword: 'the-master-password' })
    expect([payouts.length, certificates.length, entries.length]).toEqual([1, 1, 16])
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="my-data.json"')
    expect(answer.text).not.toContain('ADMIN_ACCESS_KEY')
  })

  it('cannot read the audit without an access key', async () => {
    const { id } = await portal.trader()
    const other = await portal.trader()
    for (const path of [
      'accounts',
      `accounts/${id}`,
      `accounts/${id}/events`,
      `accounts/${id}/moments`,
      `accounts/${id}/difference?from=1&to=2`,
      `accounts/${id}/export`,
      'events',
      'events.csv',
    ])
      for (const who of [other, portal.browser()]) expect((await who.get(`/api/audit/${path}`)).status, path).toBe(401)
    for (const path of ['history', 'history/state', 'history/moments', 'export']) {
      expect((await portal.browser().get(`/api/user/${path}`)).status).toBe(401)
      expect((await auditor.get(`/api/user/${path}`)).status).toBe(401)
    }
    expect((await other.get('/api/user/history')).text).not.toContain(id)
    await admin.patch(`/api/admin/user/${other.id}/ban`, { banned: true, banReason: 'For a test' })
    expect((await other.get('/api/user/history')).status).toBe(403)
  })

  it('finds the event behind a stamp by its number', async () => {
    const trader = await portal.trader()
    const change = await admin.patch(`/api/admin/user/${trader.id}/account`, { status: 'active' })
    const { stamps } = read(OwnAccount, await trader.get('/api/user/account', after(change)))
    const entries = read(
      Entries,
      await trader.get(`/api/user/history?from=${stamps.status?.number}&to=${stamps.status?.number}`),
    )
    expect(entries).toMatchObject([{ type: 'AccountStatusChanged', at: stamps.status?.at }])
  })
})

function absent(): never {
  throw new Error('There is no account')
}
