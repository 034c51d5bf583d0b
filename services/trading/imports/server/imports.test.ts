import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { Standing } from '#services/trading/accounts/standing-api.ts'
import { AccountObservation } from '#services/trading/observations/observation-api.ts'
import { read } from '#test-support/http-calls.ts'
import { wholeLogin } from '#test-support/programme-account.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { type StatementFields, statementForm } from '#test-support/statement-form.ts'
import { until } from '#test-support/until.ts'
import { ImportAnswer, ImportRow, STATEMENT_FIELD, StatementImport } from '../import-api.ts'
import { expirePreviews, PREVIEW_KEPT } from './expired-previews.ts'

const PROGRAMME = 'two-step-100000'
const IMPORTS = '/api/admin/imports'

let portal: Portal
let admin: Browser
let logins = 80_000_000

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
})
afterAll(() => portal.stop())

const accountOf = ({ id }: Pick<Trader, 'id'>) => `${id}-a1`

async function enrolled(): Promise<Trader & { readonly login: string }> {
  const trader = await portal.trader()
  const login = String(++logins)
  await admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme: PROGRAMME })
  await admin.patch(`/api/admin/accounts/${accountOf(trader)}`, wholeLogin(login))
  return { ...trader, login }
}

const platform = {
  ...{ delimiter: ';', decimal: ',', zone: 'Europe/Prague', dates: 'YYYY.MM.DD HH:mm:ss', server: 'Broker-MT5' },
  columns: {
    login: 'Login',
    id: 'Deal',
    openedAt: 'Open Time',
    at: 'Close Time',
    profit: ['Profit', 'Commission', 'Swap'],
    volume: 'Volume',
  },
}
const header = 'Login;Deal;Open Time;Close Time;Volume;Profit;Commission;Swap'

function upload(
  text: string | Uint8Array<ArrayBuffer>,
  fields: StatementFields,
  who: Browser = admin,
): Promise<Answer> {
  return who.send('POST', IMPORTS, statementForm(text, fields))
}
const trades = (rows: readonly string[], mapping: object = platform) =>
  upload([header, ...rows, ''].join('\r\n'), { kind: 'trades', mapping })
const rowsOf = async (id: string, outcome = '') =>
  read(ImportRow.array(), await admin.get(`${IMPORTS}/${id}/rows${outcome && `?outcome=${outcome}`}`))
const confirm = (id: string) => admin.post(`${IMPORTS}/${id}/confirm`)
const done = (id: string) =>
  until(async () => {
    const found = read(StatementImport, await admin.get(`${IMPORTS}/${id}`, await portal.atEnd()))
    return found.state === 'done' ? found : undefined
  }, 'the import to be done')
const recorded = async (trader: Trader) =>
  (await portal.events(`account-${accountOf(trader)}`)).filter(({ type }) => type === 'ObservationsRecorded')

describe('a statement', () => {
  it('is previewed, confirmed and recorded, with an outcome for each row', async () => {
    const [one, other] = [await enrolled(), await enrolled()]
    const rows = [
      `${one.login};D1;2026.03.02 09:00:00;2026.03.02 10:00:00;0,50;1.250,00;-7,00;-0,50`,
      `${other.login};D1;2026.03.02 09:00:00;2026.03.02 10:00:00;1,00;-40;0;0`,
      `${one.login};D1;2026.03.02 09:00:00;2026.03.02 10:00:00;0,50;1.250,00;-7,00;-0,50`,
      `${one.login};D1;2026.03.02 09:00:00;2026.03.02 10:00:00;0,50;1.250,00;-7,00;0`,
      `1;D2;2026.03.02 09:00:00;2026.03.02 10:00:00;1,00;5;0;0`,
      `${one.login};D3;2026.03.29 02:30:00;2026.03.29 10:00:00;1,00;5;0;0`,
      `${one.login};D4;2026.03.02 09:00:00;2026.03.02 10:00:00;1,00;five;0;0`,
      `${one.login};D5;2026.03.02 09:00:00`,
    ]
    const preview = await trades(rows)
    expect(preview.status).toBe(201)
    const { id, state, counts } = read(ImportAnswer, preview)
    expect({ state, counts }).toEqual({
      state: 'preview',
      counts: { recorded: 3, transfer: 0, duplicate: 1, skipped: 0, refused: 4, conflict: 0 },
    })
    const outcomes = [
      { line: 2, outcome: 'recorded', reason: null },
      { line: 3, outcome: 'recorded', reason: null },
      { line: 4, outcome: 'duplicate', reason: null },
      // The same id with other content is another part of the position.
      { line: 5, outcome: 'recorded', reason: null, row: { id: 'D1#2', profit: '1243.00' } },
      { line: 6, outcome: 'refused', reason: 'There is no such account' },
      {
        ...{ line: 7, outcome: 'refused' },
        reason: 'openedAt: this local time comes never in Europe/Prague, where the clock is changed',
      },
      { line: 8, outcome: 'refused', reason: 'profit: expected an amount like 1.234,50, with at most two decimals' },
      { line: 9, outcome: 'refused', reason: 'expected 8 cells, as the header has' },
    ]
    expect(await rowsOf(id)).toMatchObject(outcomes)
    expect((await rowsOf(id))[0]).toEqual({
      ...{ index: 0, line: 2, outcome: 'recorded', reason: null, account: accountOf(one), known: null, taken: null },
      row: {
        ...{ line: 2, row: 'trade', login: one.login, id: 'D1', symbol: null, side: null, volume: '0.50' },
        ...{ openedAt: '2026-03-02T08:00:00Z', at: '2026-03-02T09:00:00Z', openPrice: null, closePrice: null },
        profit: '1242.50',
      },
    })
    expect(await recorded(one)).toEqual([])

    const confirmed = await confirm(id)
    expect(confirmed.status).toBe(202)
    expect(read(ImportAnswer, confirmed)).toMatchObject({ id, state: 'running' })
    expect(await done(id)).toMatchObject({
      ...{ kind: 'trades', account: null, counts, mapping: platform },
      confirmed: { by: 'admin' },
    })
    expect(await rowsOf(id)).toMatchObject(outcomes)
    expect((await rowsOf(id, 'recorded')).map(({ line }) => line)).toEqual([2, 3, 5])
    expect(await recorded(one)).toMatchObject([
      {
        data: {
          ...{ first: 1, source: 'import', importId: id },
          observations: [
            { kind: 'trade', id: 'D1', profit: 1_242_50, volume: '0.50', at: { text: '2026-03-02T09:00:00Z' } },
            { kind: 'trade', id: 'D1#2', profit: 1_243_00 },
          ],
        },
        metadata: { actor: { kind: 'admin' } },
      },
    ])
    // Whoever reads a row finds the file that it came from.
    await portal.atEnd()
    const listed = await admin.get(`/api/admin/accounts/${accountOf(one)}/observations`)
    expect(read(AccountObservation.array(), listed).map(({ source }) => source)).toMatchObject([
      { kind: 'import', by: 'admin', import: id },
      { kind: 'import', by: 'admin', import: id },
    ])
    expect((await confirm(id)).status).toBe(409)
    // Only its hash is kept of the file.
    const [previewed] = await portal.events(`import-${id}`)
    const bytes = [header, ...rows, ''].join('\r\n')
    expect(previewed?.data).toMatchObject({ sha256: createHash('sha256').update(bytes).digest('hex') })
    expect((await portal.files()).filter((key) => key.includes(id)).toSorted()).toEqual([
      expect.stringMatching(`^imports/${id}/accounts/[0-9a-f]{64}\\.jsonl$`),
      expect.stringMatching(`^imports/${id}/outcomes/[0-9a-f]{64}\\.jsonl$`),
    ])
  })

  it('that is imported twice changes nothing', async () => {
    const trader = await enrolled()
    const rows = [`${trader.login};D1;2026.03.02 09:00:00;2026.03.02 10:00:00;0,50;10,00;0;0`]
    for (const expected of [{ recorded: 1 }, { duplicate: 1, recorded: 0 }]) {
      const { id, counts } = read(ImportAnswer, await trades(rows))
      expect(counts).toMatchObject(expected)
      await confirm(id)
      expect((await done(id)).counts).toMatchObject(expected)
    }
    expect(await recorded(trader)).toHaveLength(1)
  })

  it('of days lies in the last second of each, and is of one account where the request says so', async () => {
    const trader = await enrolled()
    const mapping = {
      delimiter: ',',
      columns: { date: 'day', balance: 'bal', equity: 'eq', lowestEquity: 'low', highestEquity: 'high', trades: 'n' },
    }
    const text =
      '\uFEFFday,bal,eq,low,high,n\n2026-03-02,100500.00,100500.00,99800.00,100600.00,3\n2026-03-03,100700.00,100700.00,100100.00,100900.00,2\n'
    const preview = await upload(text, { kind: 'days', account: accountOf(trader), mapping })
    const { id, counts } = read(ImportAnswer, preview)
    expect(counts).toMatchObject({ recorded: 2, duplicate: 0, refused: 0, conflict: 0 })
    await confirm(id)
    await done(id)
    const found = read(
      AccountObservation.array(),
      await admin.get(`/api/admin/accounts/${accountOf(trader)}/observations`, await portal.atEnd()),
    )
    expect(found.map(({ observation }) => [observation.kind, observation.at])).toEqual([
      ['day', '2026-03-03T23:59:59.000Z'],
      ['day', '2026-03-02T23:59:59.000Z'],
    ])
    const standing = read(Standing, await trader.get('/api/user/account/standing', await portal.atEnd()))
    expect(standing.balance).toBe('100700.00')
  })

  it.each([
    ['lines above the headings', 'Trade History Report\nName:,Ada\n\nPositions\n', ''],
    ['the separator of a spreadsheet', 'sep=,\n', ''],
    ['a delimiter at the end', '', ','],
  ])('is read with %s', async (_, above, end) => {
    const account = accountOf(await enrolled())
    const columns = { id: 'id', openedAt: 'open', at: 'close', profit: 'profit', volume: 'volume' }
    const mapping = { delimiter: ',', zone: 'America/New_York+7', dates: 'YYYY.MM.DD HH:mm:ss', columns }
    const text = `${above}id,open,close,profit,volume${end}\n1,2026.03.02 09:00:00,2026.03.02 10:00:00,12.50,0.10${end}\n`
    const { id, counts } = read(ImportAnswer, await upload(text, { kind: 'trades', account, mapping }))
    expect(counts).toMatchObject({ recorded: 1, refused: 0 })
    const line = text.split('\n').findIndex((each) => each.startsWith('1,')) + 1
    expect((await admin.get(`/api/admin/imports/${id}/rows`)).body).toMatchObject([{ line, outcome: 'recorded' }])
  })

  it('of days takes a date beside a time, by the first part of the pattern', async () => {
    const account = accountOf(await enrolled())
    const mapping = {
      ...{ delimiter: ',', zone: 'UTC', dates: 'YYYY.MM.DD HH:mm:ss' },
      columns: { date: 'd', at: 't', balance: 'b', equity: 'e', lowestEquity: 'l', highestEquity: 'h', trades: 'n' },
    }
    const text = 'd,t,b,e,l,h,n\n2026.11.02,2026.11.02 21:00:00,100500.00,100500.00,99800.00,100600.00,3\n'
    const { counts } = read(ImportAnswer, await upload(text, { kind: 'days', account, mapping }))
    expect(counts).toMatchObject({ recorded: 1, refused: 0 })
  })

  it('refuses days that cannot be true, with what contradicts what: two columns may be exchanged', async () => {
    const trader = await enrolled()
    const mapping = {
      delimiter: ',',
      columns: { date: 'd', balance: 'b', equity: 'e', lowestEquity: 'high', highestEquity: 'low', trades: 'n' },
    }
    const text = 'd,b,e,low,high,n\n2026-11-02,100500.00,100500.00,94000.00,100600.00,3\n'
    const { id, counts } = read(ImportAnswer, await upload(text, { kind: 'days', account: accountOf(trader), mapping }))
    expect(counts).toMatchObject({ recorded: 0, refused: 1 })
    expect((await admin.get(`/api/admin/imports/${id}/rows`)).body).toMatchObject([
      {
        outcome: 'refused',
        reason: 'lowestEquity: the lowest equity 100600.00 is above the highest, 94000.00',
      },
    ])
  })

  it('names a heading that comes several times by its number', async () => {
    const trader = await enrolled()
    const report = [
      'Time;Position;Volume;Price;Time;Price;Profit',
      '2026.11.02 09:00:00;51;0.10;1.1;2026.11.02 10:00:00;1.2;12,50',
    ].join('\n')
    const columns = { id: 'Position', openedAt: 'Time (1)', at: 'Time (2)', profit: 'Profit', volume: 'Volume' }
    const mapping = { ...platform, server: null, columns }
    const read = (changes: object) =>
      upload(report, {
        ...{ kind: 'trades', account: accountOf(trader) },
        mapping: { ...mapping, columns: { ...columns, ...changes } },
      })
    expect(await read({})).toMatchObject({ status: 201, body: { counts: { recorded: 1 } } })
    expect(await read({ at: 'Time' })).toMatchObject({
      status: 400,
      body: { errors: { 'mapping.columns.at': expect.stringContaining('like "Time (1)"') } },
    })
    expect(await read({ at: 'Time (3)' })).toMatchObject({
      status: 400,
      body: { errors: { 'mapping.columns.at': 'The file has no column "Time (3)"' } },
    })
  })

  it.each(['utf-16le', 'utf-16be'])('is read in %s, as its byte order mark says', async (encoding) => {
    const trader = await enrolled()
    const row = `${trader.login};D1;2026.03.02 09:00:00;2026.03.02 10:00:00;0,50 Lots;10,00;0;0`
    const bytes = Buffer.from(`\uFEFF${header}\r\n${row}\r\n`, 'utf16le')
    if (encoding === 'utf-16be') bytes.swap16()
    const fields = { kind: 'trades', mapping: platform }
    const preview = read(ImportAnswer, await upload(new Uint8Array(bytes), fields))
    expect(preview.counts).toMatchObject({ recorded: 1, duplicate: 0, refused: 0, conflict: 0 })
  })

  it('that cannot be read is refused as a whole, at the field that is at fault', async () => {
    const trader = await enrolled()
    const row = `${trader.login};D1;2026.03.02 09:00:00;2026.03.02 10:00:00;0,50;10,00;0;0`
    const errors = async (answer: Promise<Answer>) => {
      const { status, body } = await answer
      expect(status).toBe(400)
      return body
    }
    const without = { ...platform, columns: { ...platform.columns, id: 'Ticket' } }
    expect(await errors(trades([row], without))).toMatchObject({
      errors: { 'mapping.columns.id': 'The file has no column "Ticket"' },
    })
    const { id: _id, ...columns } = platform.columns
    expect(await errors(trades([row], { ...platform, columns }))).toMatchObject({
      errors: { 'mapping.columns.id': 'expected a column' },
    })
    expect(await errors(trades([row], { ...platform, zone: 'Prague', decimal: '_' }))).toMatchObject({
      errors: {
        'mapping.zone': expect.stringMatching(/^expected a time zone like "Europe\/Prague"/),
        'mapping.decimal': 'expected "." or ","',
      },
    })
    expect(await errors(trades([]))).toMatchObject({ errors: { [STATEMENT_FIELD]: 'This file has no rows' } })
    expect(await errors(trades([`"${row}`]))).toMatchObject({
      errors: { [STATEMENT_FIELD]: expect.stringContaining('a quotation mark is not closed') },
    })
    const fields = { kind: 'trades', mapping: platform }
    expect(await errors(upload(new Uint8Array([0x50, 0x4b, 3, 4, 0, 0, 0, 0, 8]), fields))).toMatchObject({
      errors: { [STATEMENT_FIELD]: expect.stringContaining('neither text') },
    })
    expect(await errors(upload(new Uint8Array([0x50, 0xff, 0xfe]), fields))).toMatchObject({
      errors: { 'mapping.columns.login': 'The file has no column "Login"' },
    })
    expect(await errors(upload(header, { kind: 'trades', mapping: '{' }))).toMatchObject({
      errors: { mapping: 'expected JSON' },
    })
    expect(await errors(upload(header, { ...fields, account: 'nobody00-a1' }))).toMatchObject({})
    expect(await recorded(trader)).toEqual([])
  })

  it('that nobody records ends after seven days, and its rows are removed', async () => {
    const trader = await enrolled()
    const row = (deal: string) => `${trader.login};${deal};2026.03.02 09:00:00;2026.03.02 10:00:00;0,50;10,00;0;0`
    const { id } = read(ImportAnswer, await trades([row('D1')]))
    const { repositories, readModelStore, fileStore } = portal.running.parts
    const kept = async () => {
      const file = await fileStore.get(`imports/${id}/rows/all.jsonl`)
      file?.content.destroy()
      return file !== undefined
    }
    const expire = (after: number) =>
      expirePreviews(
        {
          ...{ repositories, log: portal.running.parts.log },
          readModels: createReadModels(readModelStore),
          now: () => Date.now() + after,
        },
        new AbortController().signal,
      )
    await admin.get(`${IMPORTS}/${id}`, await portal.atEnd())
    await expire(PREVIEW_KEPT - 60_000)
    expect(await kept()).toBe(true)
    await expire(PREVIEW_KEPT + 60_000)
    await until(async () => !(await kept()), 'the rows to be removed')
    expect((await admin.get(`${IMPORTS}/${id}`, await portal.atEnd())).body).toMatchObject({ state: 'lost' })
    expect(await admin.post(`${IMPORTS}/${id}/confirm`)).toMatchObject({
      status: 409,
      body: { message: 'The rows of this import are gone. Please import the file again.' },
    })
    expect(await recorded(trader)).toEqual([])
  })

  it('that is too large is refused', async () => {
    const fields = { kind: 'trades', mapping: platform }
    const rows = `${header}\n${'1;D;2026.03.02 09:00:00;2026.03.02 10:00:00;1;1;0;0\n'.repeat(100_001)}`
    expect((await upload(rows, fields)).status).toBe(413)
  })

  it('is for administrators and support', async () => {
    const fields = { kind: 'trades', mapping: platform }
    for (const role of ['payouts', 'auditor'] as const)
      expect((await upload(header, fields, await portal.member(role))).status).toBe(403)
    expect((await upload(`${header}\n1;2;3;4;5;6;7;8`, fields, await portal.member('support'))).status).toBe(201)
    expect((await admin.post(`${IMPORTS}/nothere1/confirm`)).status).toBe(404)
    expect((await admin.get(`${IMPORTS}/nothere1`)).status).toBe(404)
  })
})
