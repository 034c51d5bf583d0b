import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AccountTrade, Standing } from '#services/trading/accounts/standing-api.ts'
import { after, programOf, read } from '#test-support/http-calls.ts'
import { wholeLogin } from '#test-support/programme-account.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal, type Trader } from '#test-support/portal.ts'
import { FeedRow } from '../observation-api.ts'

const PROGRAMME = 'two-step-100000'

let portal: Portal
let admin: Browser
let bridge: Browser
let logins = 70_000_000

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
  bridge = await programOf(portal, admin, { name: 'Bridge', scopes: ['feed'] })
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

const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString()
const trade = (id: string, minutesAgo = 1, profit = '10.00') => ({
  ...{ at: at(minutesAgo), kind: 'trade', id, openedAt: at(minutesAgo + 1), profit, volume: '1.00' },
})
const state = (balance: unknown) => ({ at: at(1), kind: 'state', balance, equity: '100000.00', open: false })
const send = (rows: readonly unknown[]): Promise<Answer> => bridge.post('/api/feed/observations', { rows })
const outcomes = (answer: Answer) => read(FeedRow.array(), answer).map(({ outcome }) => outcome)
const recorded = async (trader: Trader) =>
  (await portal.events(`account-${accountOf(trader)}`)).filter(({ type }) => type === 'ObservationsRecorded')

const dayOf = (equity: string, lowestEquity: string, highestEquity: string) => ({
  ...{ kind: 'day', at: '2026-02-27T20:00:00Z', date: '2026-02-27', trades: 1 },
  ...{ balance: '1.00', equity, lowestEquity, highestEquity },
})

describe('rows that a program sends', () => {
  it('are recorded once for each account and call, by account or by server and login', async () => {
    const [one, other] = [await enrolled(), await enrolled()]
    const rows = [
      { account: accountOf(one), ...trade('T2', 1) },
      { server: 'Broker-MT5', login: other.login, ...trade('T1') },
      { server: 'Broker-MT5', login: one.login, ...trade('T1', 2, '-4.50') },
    ]
    const answer = await send(rows)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual([0, 1, 2].map((index) => ({ index, outcome: 'recorded', reason: null })))
    const [event, ...more] = await recorded(one)
    expect(more).toEqual([])
    expect(event).toMatchObject({
      data: { first: 1, source: 'feed', importId: null, observations: [{ id: 'T1' }, { id: 'T2' }] },
      metadata: { actor: { kind: 'program', label: 'Bridge' } },
    })
    expect(read(Standing, await one.get('/api/user/account/standing', after(answer))).balance).toBe('100005.50')
    expect(outcomes(await send(rows))).toEqual(['duplicate', 'duplicate', 'duplicate'])
    expect(await recorded(one)).toHaveLength(1)
  })

  it('are refused one by one, with the reason, and the others count', async () => {
    const trader = await enrolled()
    const plain = await portal.trader()
    const account = accountOf(trader)
    const rows: readonly (readonly [row: unknown, reason: string | null])[] = [
      [{ account, ...trade('T1') }, null],
      [{ account, ...state(100_000) }, 'balance: expected an amount like "2000.00" or "-2000.00"'],
      [{ account, ...state('100000.5') }, 'balance: expected an amount like "2000.00" or "-2000.00"'],
      [
        { account, ...state('100000.00'), at: '2026-03-02T09:00:00' },
        'at: expected an instant like "2026-11-02T09:30:00Z"',
      ],
      [{ account, ...trade('T2', -6) }, 'at: expected an instant that is at most 5 minutes in the future'],
      [{ account, ...trade('T3'), comment: 'x' }, 'comment: expected no such field'],
      [
        { account, kind: 'payout', at: at(1), amount: '5.00' },
        'kind: expected "state", "trade", "day" or "transfer": the portal knows payouts and the time itself',
      ],
      [
        { account, kind: 'clock', at: at(1) },
        'kind: expected "state", "trade", "day" or "transfer": the portal knows payouts and the time itself',
      ],
      [
        { account, kind: 'quote', at: at(1) },
        'kind: expected "kind" to be one of clock, transfer, payout, trade, day, state',
      ],
      [
        {
          ...{ account, kind: 'day', at: '2026-02-28T20:00:00Z', date: '2026-02-30', trades: 1 },
          ...{ balance: '1.00', equity: '1.00', lowestEquity: '1.00', highestEquity: '1.00' },
        },
        'date: expected a date like "2026-11-02"',
      ],
      [
        { account, ...dayOf('94000.00', '100600.00', '94000.00') },
        'lowestEquity: the lowest equity 100600.00 is above the highest, 94000.00',
      ],
      [{ account, ...dayOf('1.00', '2.00', '3.00') }, 'equity: the equity 1.00 is below the lowest, 2.00'],
      [{ account, ...dayOf('4.00', '2.00', '3.00') }, 'equity: the equity 4.00 is above the highest, 3.00'],
      [
        { account, ...trade('T6'), at: '2026-02-02T09:00:00Z', openedAt: '2026-02-02T09:00:01Z' },
        'openedAt: the trade opens at 2026-02-02T09:00:01Z, after it closes at 2026-02-02T09:00:00Z',
      ],
      [{ account, ...trade('T\u202E4') }, 'id: expected no invisible character (U+202E)'],
      [{ account: 'nobody00-a1', ...trade('T1') }, 'There is no such account'],
      [{ account: '', ...trade('T1') }, 'account: expected a text'],
      [{ server: 'Broker-MT5', login: '1', ...trade('T1') }, 'There is no such account'],
      [{ server: 'Broker-MT5', ...trade('T1') }, 'expected "account", or "server" and "login"'],
      [
        { account, server: 'Broker-MT5', login: trader.login, ...trade('T1') },
        'expected "account", or "server" and "login"',
      ],
      [trade('T1'), 'expected "account", or "server" and "login"'],
      [{ account: accountOf(plain), ...trade('T1') }, 'This account is under no programme'],
      ['a row', 'expected an object'],
      [null, 'expected an object'],
      [{ account, ...trade('T5', -4) }, null],
    ]
    const answer = await send(rows.map(([row]) => row))
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual(
      rows.map(([, reason], index) => ({ index, outcome: reason === null ? 'recorded' : 'refused', reason })),
    )
    expect((await recorded(trader)).map(({ data }) => data)).toMatchObject([
      { observations: [{ id: 'T1' }, { id: 'T5' }] },
    ])
  })

  it.each([
    ['0.10', '0.1'],
    ['2', '2.00'],
    ['07.5', '7.50'],
  ])('are the same trade with another spelling of a number: %s, then %s', async (first, again) => {
    const trader = await enrolled()
    const account = accountOf(trader)
    const row = trade('T1')
    expect((await send([{ account, ...row, volume: first }])).body).toMatchObject([{ outcome: 'recorded' }])
    expect((await send([{ account, ...row, volume: again }])).body).toMatchObject([{ outcome: 'duplicate' }])
    expect((await send([{ account, ...row, volume: '3.33' }])).body).toMatchObject([{ outcome: 'conflict' }])
  })

  it('add the facts of a trade that is known, and name what contradicts them', async () => {
    const trader = await enrolled()
    const account = accountOf(trader)
    const { openedAt, ...bare } = trade('T1')
    const facts = { symbol: 'EURUSD', side: 'buy', openPrice: '1.08410', closePrice: '1.08535' }
    const whole = { account, ...bare, openedAt, ...facts }
    expect(outcomes(await send([{ account, ...bare }]))).toEqual(['recorded'])
    const answer = await send([whole, { account, ...bare }, { ...whole, closePrice: '1.085350' }])
    expect(outcomes(answer)).toEqual(['recorded', 'duplicate', 'duplicate'])
    const again = await send([
      { ...whole, side: 'sell' },
      { ...whole, symbol: null },
    ])
    expect(again.body).toMatchObject([
      { outcome: 'conflict', reason: 'The trade T1 is known with other content' },
      { outcome: 'refused', reason: 'symbol: expected a symbol of 1 to 32 visible characters like "EURUSD"' },
    ])
    const corrections = (await portal.events(`account-${account}`)).filter(
      ({ type }) => type === 'ObservationCorrected',
    )
    expect(corrections).toMatchObject([{ data: { source: 'feed' }, metadata: { actor: { kind: 'program' } } }])
    const seen = read(AccountTrade.array(), await trader.get('/api/user/account/trades', after(answer)))
    expect(seen).toMatchObject([{ id: 'T1', ...facts, openedAt: new Date(openedAt).toISOString() }])
  })

  it('conflict where they are known with other content', async () => {
    const trader = await enrolled()
    const [one, other] = [trade('T1'), trade('T1', 1, '11.00')]
    const row = { account: accountOf(trader), ...one }
    expect(outcomes(await send([row, { ...row, profit: other.profit }, row]))).toEqual([
      'recorded',
      'conflict',
      'duplicate',
    ])
  })

  it('are recorded from before the enrolment, and for a closed account by its login', async () => {
    const trader = await enrolled()
    await admin.post(`/api/admin/accounts/${accountOf(trader)}/close`, { reason: 'Moved' })
    const old = { server: 'Broker-MT5', login: trader.login, ...trade('T1', 60 * 24 * 30) }
    expect(outcomes(await send([old, { account: accountOf(trader), ...trade('T2') }]))).toEqual([
      'recorded',
      'recorded',
    ])
  })

  it('are refused as a whole above 1,000, and above a mebibyte', async () => {
    const trader = await enrolled()
    const rows = Array.from({ length: 1_001 }, (_, n) => ({ account: accountOf(trader), ...trade(`T${n}`) }))
    expect(await send(rows)).toMatchObject({ status: 400, body: { errors: { rows: 'expected at most 1000 rows' } } })
    expect((await bridge.post('/api/feed/observations', {})).status).toBe(400)
    expect(await recorded(trader)).toEqual([])
    expect((await send([{ account: accountOf(trader), why: 'x'.repeat(1_100_000) }])).status).toBe(413)
    const most = rows.slice(1).map((row) => ({ ...row, id: `${row.id}${'-'.repeat(190)}` }))
    const whole = await send(most)
    expect(outcomes(whole).every((outcome) => outcome === 'recorded')).toBe(true)
    expect((await recorded(trader)).map(({ data }) => data)).toMatchObject([{ first: 1 }, { first: 501 }])
  })

  it('need a key with the scope', async () => {
    const shop = await programOf(portal, admin, { name: 'Shop', scopes: ['enrolments'] })
    expect((await shop.post('/api/feed/observations', { rows: [] })).status).toBe(403)
    expect((await admin.post('/api/feed/observations', { rows: [] })).status).toBe(401)
    expect(await send([])).toMatchObject({ status: 200, body: [] })
  })

  it('count once when two calls bring the same at the same moment', async () => {
    const trader = await enrolled()
    const rows = Array.from({ length: 20 }, (_, n) => ({ account: accountOf(trader), ...trade(`T${n}`, 30 - n) }))
    const both = await Promise.all([send(rows), send(rows)])
    const counts = both.flatMap(outcomes)
    expect(counts.filter((outcome) => outcome === 'recorded')).toHaveLength(20)
    expect(counts.filter((outcome) => outcome === 'duplicate')).toHaveLength(20)
  })
})
