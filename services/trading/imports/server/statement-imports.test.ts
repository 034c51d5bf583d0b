import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AccountObservation } from '#services/trading/observations/observation-api.ts'
import { dealsOf, mt5Html } from '#test-support/statements/metatrader-5.ts'
import { fixtures, managerDays, mt5, written } from '#test-support/statements/fixtures.ts'
import { managerDaily } from '#test-support/statements/manager-reports.ts'
import { RETRY_HEADER } from '#services/framework/api/headers.ts'
import { limits } from '#services/framework/http/limits.ts'
import { read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { uploadForm } from '#test-support/statement-form.ts'
import { until } from '#test-support/until.ts'
import { ConflictsDecided, ImportAccount, ImportAnswer, ImportRow, StatementImport } from '../import-api.ts'

const IMPORTS = '/api/admin/imports'
const ZONE = 'America/New_York+7'

let portal: Portal
let admin: Browser
let logins = 70_100_000

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
})
afterAll(() => portal.stop())

async function enrolled(login = String(++logins), server = 'Example-Live') {
  const { id } = await portal.trader()
  await admin.post(`/api/admin/user/${id}/enrolments`, { programme: 'two-step-100000' })
  const account = `${id}-a1`
  await admin.patch(`/api/admin/accounts/${account}`, { login, server })
  return { id, account, login }
}

const upload = (bytes: Uint8Array | string, fields: Readonly<Record<string, string>> = {}) =>
  admin.send('POST', IMPORTS, uploadForm(bytes, fields))
const preview = async (bytes: Uint8Array | string, fields: Readonly<Record<string, string>> = {}) => {
  const answer = await upload(bytes, fields)
  expect(answer).toMatchObject({ status: 201 })
  return read(ImportAnswer, answer)
}
const rowsOf = async (id: string) => read(ImportRow.array(), await admin.get(`${IMPORTS}/${id}/rows`))
const record = async (id: string, body: object = {}) => {
  expect(await admin.post(`${IMPORTS}/${id}/confirm`, body)).toMatchObject({ status: 202 })
  return until(async () => {
    const found = read(StatementImport, await admin.get(`${IMPORTS}/${id}`, await portal.atEnd()))
    return found.state === 'done' ? found : undefined
  }, 'the import to be done')
}
const observed = async (account: string) =>
  read(
    AccountObservation.array(),
    await admin.get(`/api/admin/accounts/${account}/observations?limit=100`, await portal.atEnd()),
  )
const eventsOf = async (account: string, type: string) =>
  (await portal.events(`account-${account}`)).filter((event) => event.type === type)

const report = (login: string, changes: object = {}) => mt5Html({ ...mt5, login, ...changes })
const small = (login: string, trade: object = {}) => {
  const trades = [written({ login, ...trade })]
  return mt5Html({ ...mt5, login, positions: trades, deals: dealsOf(trades, []) })
}

describe('a report of MetaTrader 5', () => {
  it('is recognised, goes to the account with its login, and says what it brings', async () => {
    const { account, login } = await enrolled()
    const bytes = report(login)
    expect(await upload(bytes)).toMatchObject({
      status: 400,
      body: {
        errors: { zone: expect.stringContaining('time zone') },
        recognised: { format: 'mt5-report', login, server: 'Example-Live' },
      },
    })
    const { id, ...answer } = await preview(bytes, { zone: ZONE })
    expect(answer).toMatchObject({
      ...{ state: 'preview', kind: 'trades', format: 'mt5-report', zone: { name: ZONE, from: 'given' } },
      ...{ account, login, server: 'Example-Live', currency: 'USD' },
      says: `MetaTrader 5 report of login ${login}, Example-Live: 5 trades, 3 ledger rows, 1 skipped; agrees with itself.`,
      counts: { recorded: 5, transfer: 2, duplicate: 0, skipped: 2, refused: 0, conflict: 0 },
    })
    const rows = await rowsOf(id)
    expect(rows.filter(({ outcome }) => outcome === 'skipped').map(({ reason }) => reason)).toEqual([
      'the opening deposit',
      'a credit',
    ])
    expect(rows.find(({ row }) => row?.row === 'trade')).toMatchObject({
      ...{ account, outcome: 'recorded', row: { symbol: 'EURUSD', side: 'buy', openPrice: '1.08410' } },
    })
    const [summary] = read(ImportAccount.array(), await admin.get(`${IMPORTS}/${id}/accounts`))
    expect(summary).toMatchObject({ account, login, trades: 5, transfers: '-1000.05', balanceBefore: '100000.00' })
    expect(await observed(account)).toEqual([])

    await record(id)
    const recorded = await observed(account)
    expect(recorded.filter(({ observation }) => observation.kind === 'trade')).toHaveLength(5)
    expect(recorded.find(({ observation }) => observation.kind === 'transfer')).toMatchObject({
      observation: { id: expect.any(String), why: expect.any(String) },
    })
    expect((await admin.get(`/api/admin/accounts/${account}/standing`)).body).toMatchObject({
      balance: summary?.balanceAfter,
    })
    expect(await eventsOf(account, 'LedgerRowsMatched')).toMatchObject([
      { data: { importId: id, rows: [{ observation: { id: '9001' }, payout: null }] } },
    ])
    // Once more: nothing is new, and the opening deposit is still that row.
    const again = await preview(bytes, { zone: ZONE })
    expect(again.counts).toMatchObject({ recorded: 0, transfer: 0, duplicate: 7, skipped: 2, conflict: 0 })
  })

  it('with a deposit as large as the account after its first trade warns of it, and records it', async () => {
    const { account, login } = await enrolled()
    const trades = [written({ login })]
    const deposit = {
      id: '9001',
      login,
      at: '2026-11-02 18:00:00',
      type: 'balance',
      comment: 'Deposit',
      amount: '100000.00',
    }
    const bytes = mt5Html({ ...mt5, login, positions: trades, deals: dealsOf(trades, [deposit]) })
    const { id, counts, hints } = await preview(bytes, { zone: ZONE })
    expect(counts).toMatchObject({ recorded: 1, transfer: 1, skipped: 0 })
    expect(hints).toEqual([
      expect.stringMatching(
        `^The deposit of \\$100,000\\.00 on 2 Nov 2026 is as large as the account ${login} itself, and is not its opening`,
      ),
    ])
    await record(id, { acceptDisagreement: 'A test' })
    expect((await admin.get(`/api/admin/accounts/${account}/standing`)).body).toMatchObject({ balance: '200012.50' })
    // Before the trade it is the opening one.
    const other = await enrolled()
    const first = { ...deposit, login: other.login, at: '2026-11-02 08:00:00' }
    const own = [written({ login: other.login })]
    const before = mt5Html({ ...mt5, login: other.login, positions: own, deals: dealsOf(own, [first]) })
    expect(await preview(before, { zone: ZONE })).toMatchObject({ hints: [], counts: { skipped: 1 } })
  })

  it('that disagrees with itself is recorded only for a reason, which its event keeps', async () => {
    const { login } = await enrolled()
    const fixture = fixtures['mt5-history-utf8.html']
    const text = Buffer.from(fixture?.bytes ?? [])
      .toString('utf8')
      .replaceAll('70000001', login)
    const { id, checks, says } = await preview(text.replace(/(>)12\.50(<)/, '$1912.50$2'), { zone: ZONE })
    expect(checks.some(({ agrees }) => !agrees)).toBe(true)
    expect(says).toMatch(/disagrees with itself\.$/)
    expect(await admin.post(`${IMPORTS}/${id}/confirm`)).toMatchObject({
      status: 400,
      body: { errors: { acceptDisagreement: expect.any(String) } },
    })
    const found = await record(id, { acceptDisagreement: 'The broker confirmed the figure by mail' })
    expect(found.acceptedDisagreement).toBe('The broker confirmed the figure by mail')
    const [event, confirmed] = await portal.events(`import-${id}`)
    expect(event?.data).toMatchObject({ statement: { format: 'mt5-report', disagreements: expect.any(Number) } })
    expect(confirmed?.data).toEqual({ acceptedDisagreement: 'The broker confirmed the figure by mail' })
  })

  it('of another login or server than the account is refused, and so is a file nobody has named an account for', async () => {
    const { account, login } = await enrolled()
    expect(await upload(report('70199999'), { zone: ZONE, account })).toMatchObject({
      status: 400,
      body: { errors: { account: expect.stringContaining(login) } },
    })
    expect(await upload(report(login, { server: 'Other-Live' }), { zone: ZONE, account })).toMatchObject({
      status: 400,
      body: { errors: { account: expect.stringContaining('Other-Live') } },
    })
    const { bytes = '', options } = fixtures['ftmo.csv'] ?? {}
    expect(await upload(bytes, { ...options })).toMatchObject({
      status: 400,
      body: { errors: { account: expect.any(String) } },
    })
    // An account is named by its login, too.
    expect(await preview(bytes, { ...options, account: login })).toMatchObject({ account, format: 'ftmo' })
    // The login of no account: each row says so.
    expect((await preview(report('70199998'), { zone: ZONE })).counts).toMatchObject({ recorded: 0, refused: 8 })
  })
})

describe('days of a manager', () => {
  it('are of many logins, and become states', async () => {
    const accounts = [await enrolled(), await enrolled(), await enrolled()]
    const days = managerDays.map((day) => ({ ...day, login: accounts[Number(day.login.at(-1)) - 1]?.login ?? '' }))
    const { id, ...answer } = await preview(managerDaily(days), { zone: ZONE })
    expect(answer).toMatchObject({ kind: 'days', format: 'mt5-manager-daily', account: null, counts: { recorded: 4 } })
    expect(answer.says).toMatch(/^MetaTrader 5 days of 3 logins: 4 days; /)
    await record(id, { acceptDisagreement: 'A test' })
    expect(await observed(accounts[0]?.account ?? '')).toMatchObject([
      { observation: { kind: 'state', open: false } },
      { observation: { kind: 'state', open: true } },
    ])
  })
})

describe('a file', () => {
  it('that no format fits has its columns answered, to be mapped', async () => {
    expect(await upload('made;by\n"hand; at home";2\n')).toMatchObject({
      status: 400,
      body: { errors: { mapping: expect.any(String) }, columns: { delimiter: ';', headings: ['made', 'by'] } },
    })
  })

  it('is refused while too many others wait to be read, and read once they are', async () => {
    const { login } = await enrolled()
    const answers = await Promise.all(
      Array.from({ length: limits.statements.waiting + 4 }, () => upload(small(login), { zone: ZONE })),
    )
    const refused = answers.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(0)
    expect(answers.length - refused.length).toBeGreaterThan(limits.statements.waiting)
    expect(refused[0]?.body).toEqual({
      message: 'Several statements are being read right now. Please try again in a moment.',
    })
    expect(refused[0]?.headers.get(RETRY_HEADER)).toBe('10')
    await preview(small(login), { zone: ZONE })
  })

  it('that cannot be read names the field, and one that is too large is refused', async () => {
    const bytes = report('70100001')
    expect(await upload(bytes, { zone: 'EST' })).toMatchObject({
      body: { errors: { zone: expect.stringContaining('America/New_York') } },
    })
    expect(await upload(bytes, { zone: ZONE, format: 'ftmo' })).toMatchObject({
      body: { errors: { format: expect.any(String) } },
    })
    expect(await upload(bytes, { zone: ZONE, format: 'excel' })).toMatchObject({
      body: { errors: { format: expect.any(String) } },
    })
    expect((await upload(new Uint8Array(40 * 1024 * 1024 + 1), { zone: ZONE })).status).toBe(413)
  })
})

describe('a conflict', () => {
  const conflicting = async () => {
    const one = await enrolled()
    await record((await preview(small(one.login), { zone: ZONE })).id)
    const { id, counts } = await preview(small(one.login, { profit: '13.50' }), { zone: ZONE })
    expect(counts).toMatchObject({ conflict: 1, recorded: 0 })
    return { ...one, id }
  }
  const decide = (id: string, body: object) => admin.post(`${IMPORTS}/${id}/conflicts`, body)

  it('shows what is known, and the new one is taken as a correction with its reason, once', async () => {
    const { id, account } = await conflicting()
    const [row] = await rowsOf(id)
    expect(row).toMatchObject({
      ...{ index: 0, outcome: 'conflict', taken: null, row: { profit: '13.50' } },
      known: { id: `${account}-o1`, observation: { profit: '12.50' } },
    })
    expect((await decide(id, { take: 'new', rows: [0] })).status).toBe(400)
    const answer = await decide(id, { take: 'new', rows: [0], reason: 'The platform corrected it' })
    expect(read(ConflictsDecided, answer)).toEqual({ decided: 1, refused: [] })
    expect(await eventsOf(account, 'ObservationCorrected')).toMatchObject([
      {
        data: { observation: 1, from: { profit: 12_50 }, to: { profit: 13_50 }, reason: 'The platform corrected it' },
        metadata: { actor: { kind: 'admin' } },
      },
    ])
    expect(await observed(account)).toMatchObject([{ observation: { profit: '13.50', symbol: 'EURUSD' } }])
    expect(await rowsOf(id)).toMatchObject([{ outcome: 'conflict', taken: 'new' }])
    expect(read(StatementImport, await admin.get(`${IMPORTS}/${id}`, await portal.atEnd())).conflictsDecided).toBe(1)
    // A second decision changes nothing.
    expect(read(ConflictsDecided, await decide(id, { take: 'known', rows: [0], reason: 'No' }))).toMatchObject({
      decided: 0,
      refused: [{ index: 0 }],
    })
    // Recorded later, the import repeats nothing.
    await record(id)
    expect(await rowsOf(id)).toMatchObject([{ outcome: 'conflict', taken: 'new' }])
    expect(await eventsOf(account, 'ObservationCorrected')).toHaveLength(1)
  })

  it('keeps the known one in bulk, which the import records', async () => {
    const { id, account } = await conflicting()
    const answer = await decide(id, { take: 'known', rows: null, reason: 'The file is older' })
    expect(read(ConflictsDecided, answer)).toEqual({ decided: 1, refused: [] })
    expect(await eventsOf(account, 'ObservationCorrected')).toEqual([])
    expect((await portal.events(`import-${id}`)).at(-1)).toMatchObject({
      type: 'ImportConflictsDecided',
      data: { rows: [0], take: 'known', reason: 'The file is older' },
    })
  })

  it('is decided on what was seen: what changed since is not replaced', async () => {
    const { id, account } = await conflicting()
    const [known] = await observed(account)
    const observation = { ...known?.observation, profit: '1.00' }
    await admin.post(`/api/admin/accounts/${account}/observations/${known?.id}/correction`, {
      observation,
      reason: 'x',
    })
    expect(read(ConflictsDecided, await decide(id, { take: 'new', rows: null, reason: 'y' }))).toEqual({
      decided: 0,
      refused: [{ index: 0, reason: expect.stringContaining('changed meanwhile') }],
    })
  })

  it('is for who may import', async () => {
    const { id } = await conflicting()
    const body = { take: 'known', rows: null, reason: 'x' }
    for (const role of ['payouts', 'auditor'] as const)
      expect((await (await portal.member(role)).post(`${IMPORTS}/${id}/conflicts`, body)).status).toBe(403)
  })
})
