import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { NO_DAY } from '#services/framework/api/pagination-schemas.ts'
import { AuditEvent } from '#services/oversight/audit/audit-event-api.ts'
import { LINK_HEADER, nextCursor, TOTAL_HEADER } from '#services/framework/api/headers.ts'
import { AccountHistory, OwnAccount } from '#services/trading/accounts/account-api.ts'
import { Standing } from '#services/trading/accounts/standing-api.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { verifyExport } from '#services/oversight/audit/export-verification.ts'
import { accountIdOf, userId } from '#services/framework/ids.ts'
import { LedgerEntry } from '#services/trading/accounts/ledger-api.ts'
import { hashedTerms } from '#services/programmes/programmes/server/terms-hash.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { observation } from '#services/rules/observation.ts'
import { after, read } from '#test-support/http-calls.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { until } from '#test-support/until.ts'
import { AccountObservation } from '../observation-api.ts'
import { recordObservations } from '#services/trading/stream/observation.ts'

const PROGRAMME = 'two-step-100000'
const { hash } = hashedTerms(presetTerms('two-step', 100_000))

let portal: Portal
let admin: Browser

beforeAll(async () => {
  portal = await openPortal({ environment: { SEAL_SECONDS: '1' } })
  admin = await portal.admin()
})
afterAll(() => portal.stop())

const accountOf = ({ id }: Pick<Trader, 'id'>) => accountIdOf(userId.parse(id), 1)

async function enrolled(): Promise<Trader> {
  const trader = await portal.trader()
  await admin.post(`/api/admin/user/${trader.id}/enrolments`, { programme: PROGRAMME })
  return trader
}

/** Records rows as the feed does. */
async function record(trader: Trader, rows: readonly object[]) {
  const read = rows.map((row) => observation.parse(row))
  await portal.running.parts.repositories
    .of(accountStreams)
    .decide(accountOf(trader), systemContext('test', 'test'), (state) => [
      ...recordObservations(state, read, 'feed').events,
    ])
  return portal.atEnd()
}

const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString()
const trade = (id: string, minutesAgo: number, profit: string) => ({
  ...{ at: at(minutesAgo), kind: 'trade', id, openedAt: at(minutesAgo + 1), profit, volume: '1.00' },
})
const typesOf = async (trader: Trader) => (await portal.events(`account-${accountOf(trader)}`)).map(({ type }) => type)
const numberOf = async (trader: Trader, type: string) =>
  Number((await portal.events(`account-${accountOf(trader)}`)).findLast((event) => event.type === type)?.position)
const observations = (trader: Trader, query = '', options: Parameters<Browser['get']>[1] = {}) =>
  admin.get(`/api/admin/accounts/${accountOf(trader)}/observations${query}`, options)
const standing = async (trader: Trader, options: Parameters<Browser['get']>[1]) =>
  read(Standing, await trader.get('/api/user/account/standing', options))

describe('an account under a programme', () => {
  it('is where the engine says, with the event that set each limit', async () => {
    const trader = await enrolled()
    const end = await record(trader, [trade('T1', 2, '1300.00'), trade('T2', 1, '-100.50')])
    const line = await standing(trader, end)
    const event = await numberOf(trader, 'StageBegun')
    expect(line).toMatchObject({
      ...{ account: accountOf(trader), balance: '101199.50', equity: '101199.50', status: 'in-progress' },
      programme: { id: PROGRAMME, version: 1, hash },
      ...{ stage: 0, nearest: 'daily-loss', cause: null, payout: null },
      rules: [
        {
          kind: 'maximum-loss',
          state: 'kept',
          floor: '90000.00',
          room: '11199.50',
          amount: '10000.00',
          lost: '0.00',
          event,
        },
        { kind: 'daily-loss', state: 'kept', amount: '5000.00', event },
        { kind: 'profit-target', state: 'open', target: '108000.00', missing: '6800.50', amount: '8000.00', event },
      ],
      progress: { target: '8000.00', percent: 14.9, remaining: '6800.50' },
    })
    expect(Date.parse(line.resetsAt)).toBe(Date.parse(line.day) + 86_400_000)
    const staff = read(Standing, await admin.get(`/api/admin/accounts/${accountOf(trader)}/standing`, end))
    expect({ ...staff, at: line.at }).toEqual(line)
    expect(read(OwnAccount, await trader.get('/api/user/account', end))).toMatchObject({
      ...{ balance: '101199.50', profitLoss: '1199.50' },
      ...{ dailyDrawdownLimit: '5% / $5000.00', overallLossLimit: '10% / $10000.00', profitTarget: '8000.00' },
    })
  })

  it('is known before anything was observed', async () => {
    const trader = await enrolled()
    expect(await standing(trader, await portal.atEnd())).toMatchObject({
      ...{ balance: '100000.00', status: 'in-progress' },
      result: { today: '0.00', phase: '0.00', total: '0.00' },
    })
  })

  it('is breached with the cause that the engine names', async () => {
    const trader = await enrolled()
    const end = await record(trader, [trade('T1', 3, '-4000.00'), trade('T2', 2, '-1000.00'), trade('T3', 1, '900.00')])
    expect(await standing(trader, end)).toMatchObject({
      status: 'breached',
      cause: { kind: 'daily-loss', floor: '95000.00', measured: '95000.00', observation: 1 },
    })
  })

  it('takes a typed balance as a state of now, with its entry of the ledger, and no unchanged one', async () => {
    const trader = await enrolled()
    const change = (body: object) => admin.patch(`/api/admin/accounts/${accountOf(trader)}`, body)
    const changed = await change({ balance: '101250.50', status: 'active' })
    expect((await typesOf(trader)).slice(-3)).toEqual([
      'ObservationsRecorded',
      'BalanceChanged',
      'AccountStatusChanged',
    ])
    expect((await change({ balance: '101250.50', status: 'active' })).status).toBe(200)
    expect(await typesOf(trader)).toHaveLength(6)
    const [typed] = read(AccountObservation.array(), await observations(trader, '', after(changed)))
    expect(typed?.observation).toMatchObject({ kind: 'state', balance: '101250.50', equity: '101250.50', open: false })
    const entries = read(LedgerEntry.array(), await trader.get('/api/user/ledger', after(changed)))
    expect(entries.map(({ kind, amount, balance }) => [kind, amount, balance])).toEqual([
      ['deposit', '100000.00', '100000.00'],
      ['trade-result', '1250.50', '101250.50'],
    ])
    const history = read(AccountHistory, await trader.get('/api/user/account/history', after(changed)))
    expect(history.points.at(-1)).toMatchObject({ balance: '101250.50', traded: '1250.50' })
  })
})

describe('the observations of an account', () => {
  it('are listed newest first, page by page, each with its event', async () => {
    const trader = await enrolled()
    await record(trader, [trade('T1', 5, '1.00'), trade('T2', 2, '2.00')])
    const end = await record(trader, [trade('T3', 3, '3.00')])
    const event = await numberOf(trader, 'ObservationsRecorded')
    const page = await observations(trader, '?limit=2', end)
    expect(page.headers.get(TOTAL_HEADER)).toBe('3')
    const rows = read(AccountObservation.array(), page)
    // The one recorded last was observed before another.
    expect(rows.map(({ id }) => id)).toEqual([`${accountOf(trader)}-o2`, `${accountOf(trader)}-o3`])
    expect(rows[1]).toMatchObject({ event, observation: { kind: 'trade', id: 'T3', profit: '3.00', volume: '1.00' } })
    const rest = read(
      AccountObservation.array(),
      await observations(trader, `?limit=2&cursor=${nextCursor(page.headers.get(LINK_HEADER))}`, end),
    )
    expect(rest.map(({ id }) => id)).toEqual([`${accountOf(trader)}-o1`])
  })

  it('say where they came from, and are found by kind and by day', async () => {
    const trader = await enrolled()
    await record(trader, [trade('T1', 3 * 1_440, '1.00'), trade('T2', 2 * 1_440, '2.00')])
    const recorded = await numberOf(trader, 'ObservationsRecorded')
    const typed = await admin.patch(`/api/admin/accounts/${accountOf(trader)}`, { balance: '101250.50' })
    const listed = async (query: string) =>
      read(AccountObservation.array(), await observations(trader, query, after(typed)))
    expect((await listed('')).map(({ source, corrected }) => [source, corrected])).toEqual([
      [expect.objectContaining({ kind: 'staff', by: 'admin', name: expect.any(String), import: null }), null],
      [expect.objectContaining({ kind: 'feed', by: 'system', number: recorded, import: null }), null],
      [expect.objectContaining({ kind: 'feed', by: 'system', number: recorded, import: null }), null],
    ])
    const numbers = async (query: string) => (await listed(query)).map(({ id }) => id.split('-').at(-1))
    expect(await numbers('?kind=trade')).toEqual(['o2', 'o1'])
    expect(await numbers('?kind=state')).toEqual(['o3'])
    expect(await numbers(`?from=${at(2 * 1_440).slice(0, 10)}`)).toEqual(['o3', 'o2'])
    expect(await numbers(`?to=${at(3 * 1_440).slice(0, 10)}`)).toEqual(['o1'])
    const first = await observations(trader, '?kind=trade&limit=1', after(typed))
    const cursor = nextCursor(first.headers.get(LINK_HEADER))
    expect(await numbers(`?kind=trade&limit=1&cursor=${cursor}`)).toEqual(['o1'])
    const wrong = await observations(trader, '?kind=payout&from=soon', after(typed))
    expect(wrong).toMatchObject({ status: 400, body: { errors: { kind: expect.anything(), from: NO_DAY } } })
  })

  it('show their content in the audit, of many the first rows', async () => {
    const trader = await enrolled()
    const end = await record(
      trader,
      Array.from({ length: 23 }, (_, n) => trade(`T${n}`, 60 - n, '-1.50')),
    )
    const path = `/api/audit/accounts/${accountOf(trader)}/events?type=ObservationsRecorded`
    const [entry] = read(AuditEvent.array(), await (await portal.member('auditor')).get(path, end))
    expect(entry?.content).toMatchObject({ rows: { length: 20 }, more: 3 })
    expect(entry?.content?.rows[0]).toMatch(/^Trade T0 closed \d{4}-\d\d-\d\dT.*profit -\$1\.50$/)
  })

  it('are corrected by staff, with a reason', async () => {
    const trader = await enrolled()
    const [right, wrong] = [trade('T1', 2, '-600.00'), trade('T1', 2, '-6000.00')]
    await record(trader, [{ ...right, profit: wrong.profit }])
    const correct = (body: object, who: Browser = admin): Promise<Answer> =>
      who.post(`/api/admin/accounts/${accountOf(trader)}/observations/${accountOf(trader)}-o1/correction`, body)
    expect(await correct({ observation: right })).toMatchObject({
      status: 400,
      body: { errors: { reason: 'Please say why this observation is corrected' } },
    })
    expect(await correct({ observation: { ...right, profit: 600 }, reason: 'x' })).toMatchObject({
      status: 400,
      body: { errors: { 'observation.profit': expect.stringContaining('expected') } },
    })
    expect((await correct({ observation: { kind: 'clock', at: at(1) }, reason: 'x' })).status).toBe(400)
    expect((await correct({ observation: { ...right, at: at(-6) }, reason: 'x' })).status).toBe(400)
    const impossible = { ...right, openedAt: at(1) }
    expect(await correct({ observation: impossible, reason: 'x' })).toMatchObject({
      status: 400,
      body: {
        errors: { 'observation.openedAt': expect.stringMatching(/^the trade opens at .*, after it closes at /) },
      },
    })
    expect((await correct({ observation: right, reason: 'x' }, await portal.member('payouts'))).status).toBe(403)
    expect(await typesOf(trader)).not.toContain('ObservationCorrected')
    const corrected = await correct({ observation: right, reason: 'A digit too much' }, await portal.member('support'))
    expect(corrected.status).toBe(200)
    const events = await portal.events(`account-${accountOf(trader)}`)
    const correction = events.findIndex(({ type }) => type === 'ObservationCorrected')
    expect(events.slice(correction, correction + 2)).toMatchObject([
      { type: 'ObservationCorrected', data: { observation: 1, reason: 'A digit too much' } },
      { type: 'BalanceChanged', data: { from: 94_000_00, to: 99_400_00, kind: 'trade-result' } },
    ])
    expect(await standing(trader, after(corrected))).toMatchObject({ balance: '99400.00', status: 'in-progress' })
    expect(read(AccountObservation.array(), await observations(trader, '', after(corrected)))).toMatchObject([
      {
        ...{ event: await numberOf(trader, 'ObservationCorrected'), observation: { profit: '-600.00' } },
        source: { number: await numberOf(trader, 'ObservationsRecorded') },
        corrected: { reason: 'A digit too much', by: 'admin', number: await numberOf(trader, 'ObservationCorrected') },
      },
    ])
    const away = await correct({ observation: null, reason: 'Of another account' })
    expect(read(AccountObservation.array(), await observations(trader, '', after(away)))).toEqual([])
    expect((await correct({ observation: right, reason: 'x' }, await portal.member('auditor'))).status).toBe(403)
  })

  it('are of nobody else: unknown ones answer 404', async () => {
    const [trader, other] = [await enrolled(), await enrolled()]
    await record(trader, [trade('T1', 2, '1.00')])
    const path = `/api/admin/accounts/${accountOf(other)}/observations`
    for (const id of [`${accountOf(trader)}-o1`, `${accountOf(other)}-o1`, 'o1', `${accountOf(other)}-o01`])
      expect((await admin.post(`${path}/${id}/correction`, { observation: null, reason: 'x' })).status).toBe(404)
    expect((await admin.get('/api/admin/accounts/nobody00-a1/observations')).status).toBe(404)
    expect((await trader.get(path)).status).toBe(401)
  })

  it('are in the file of a history, which can be verified', async () => {
    const trader = await enrolled()
    await record(trader, [trade('T1', 2, '1300.00')])
    const verdict = await until(async () => {
      const file = (await admin.get(`/api/audit/accounts/${accountOf(trader)}/export`)).text
      const found = await verifyExport(file)
      const isWhole = found.outcome === 'genuine' && found.proven === found.entries.length
      return isWhole && { found, file }
    }, 'a proven history')
    expect(verdict.file).toContain('\\"kind\\":\\"trade\\",\\"id\\":\\"T1\\"')
    const { entries, ledgers } = verdict.found
    expect(entries.map(({ type }) => type)).toContain('ObservationsRecorded')
    expect(ledgers).toMatchObject([{ sum: 101_300_00, faultAt: null }])
  })
})
