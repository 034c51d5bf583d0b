import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LINK_HEADER, TOTAL_HEADER } from '#services/framework/api/headers.ts'
import { HIDDEN } from '#services/framework/api/text.ts'
import { Finding } from '#services/trading/findings/finding-api.ts'
import { after, read } from '#test-support/http-calls.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import {
  publishedProgramme,
  tradeAt,
  watchedTerms,
  type WatchedTrader,
  watchedTrader,
} from '#test-support/programme-account.ts'
import { AccountHistory, OwnAccount } from '../account-api.ts'
import { AccountTrade, Standing } from '../standing-api.ts'

let portal: Portal
let admin: Browser
let programme: string

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
  programme = await publishedProgramme(admin, watchedTerms())
})
afterAll(() => portal.stop())

const enrolled = () => watchedTrader(portal, admin, programme)
const history = async ({ trader }: WatchedTrader, answer: Answer) =>
  read(AccountHistory, await trader.get('/api/user/account/history', after(answer)))
const standing = async ({ trader }: WatchedTrader, answer: Answer) =>
  read(Standing, await trader.get('/api/user/account/standing', after(answer)))
const numbersOf = async ({ account }: WatchedTrader, type: string) =>
  (await portal.events(`account-${account}`))
    .filter((event) => event.type === type)
    .map(({ position }) => Number(position))

/** In three trading days of New York, which begin at 22:00 UTC; sent later and in another order. */
const rows = [
  tradeAt('T3', '2026-01-06T22:30:00Z', '-400.00'),
  tradeAt('T1', '2026-01-05T21:59:00Z', '900.00'),
  tradeAt('T2', '2026-01-05T22:00:00Z', '100.00'),
]

describe('the history of an account under a programme', () => {
  it('follows the instants of the observations, in the trading days of the programme', async () => {
    const traded = await enrolled()
    await traded.observe(rows)
    const answer = await traded.observe([tradeAt('T0', '2026-01-05T12:00:00Z', '-50.00')])
    const [begun] = await numbersOf(traded, 'StageBegun')
    const [first, second] = await numbersOf(traded, 'ObservationsRecorded')
    const { points, days, periods, calendar } = await history(traded, answer)
    expect(points.map(({ at, balance, traded: sum, number }) => [at, balance, sum, number])).toEqual([
      ['2026-01-04T22:00:00.000Z', '100000.00', '0.00', begun],
      ['2026-01-05T12:00:00.000Z', '99950.00', '-50.00', second],
      ['2026-01-05T21:59:00.000Z', '100850.00', '850.00', first],
      ['2026-01-05T22:00:00.000Z', '100950.00', '950.00', first],
      ['2026-01-06T22:30:00.000Z', '100550.00', '550.00', first],
    ])
    expect(days).toEqual([
      { date: '2026-01-04', closing: '100850.00', result: '850.00' },
      { date: '2026-01-05', closing: '100950.00', result: '100.00' },
      { date: '2026-01-06', closing: '100550.00', result: '-400.00' },
    ])
    expect(periods.all).toEqual({
      result: '550.00',
      best: { date: '2026-01-04', result: '850.00' },
      worst: { date: '2026-01-06', result: '-400.00' },
      winningDays: 2,
      losingDays: 1,
      deepestFall: '400.00',
      curve: {
        ...{ from: '2026-01-04T22:00:00.000Z', balance: '100000.00', index: 1, movedOtherwise: false },
        traded: ['-50.00', '850.00', '950.00', '550.00'],
      },
    })
    expect(calendar).toMatchObject({ zone: 'America/New_York', startsAt: '17:00' })
    expect(calendar?.days[0]).toEqual({
      ...days[0],
      startsAt: '2026-01-04T22:00:00.000Z',
      endsAt: '2026-01-05T22:00:00.000Z',
      counts: true,
      trades: 2,
      limits: [],
      event: first,
    })
  })

  it('says of a day which limit was reached, with the event', async () => {
    const traded = await enrolled()
    const answer = await traded.observe([
      tradeAt('T1', '2026-01-06T10:00:00Z', '300.00'),
      tradeAt('T2', '2026-01-07T10:00:00Z', '-5300.00'),
    ])
    const [event] = await numbersOf(traded, 'ObservationsRecorded')
    const { calendar } = await history(traded, answer)
    expect(calendar?.days.map(({ date, limits }) => [date, limits])).toEqual([
      ['2026-01-05', []],
      ['2026-01-06', [{ kind: 'daily-loss', title: 'Daily loss', state: 'breached', event }]],
    ])
  })

  it('takes what staff book for no result, and marks it with its event', async () => {
    const traded = await enrolled()
    await traded.observe([tradeAt('T1', '2026-01-06T10:00:00Z', '300.00')])
    const booked = await admin.post(`/api/admin/accounts/${traded.account}/ledger`, {
      ...{ kind: 'fee', amount: '-100.00', reference: 'F-1', reason: 'Platform fee' },
    })
    expect(booked.status).toBe(201)
    const [number] = await numbersOf(traded, 'EntryBooked')
    const { points, periods } = await history(traded, booked)
    expect(points.at(-1)).toMatchObject({ balance: '100200.00', traded: '300.00', number })
    expect(periods.all).toMatchObject({ result: '300.00', curve: { movedOtherwise: true } })
    expect(periods.all.curve?.traded.at(-1)).toBe('300.00')
  })

  it('has no calendar without a programme', async () => {
    const trader = await portal.trader()
    const set = await admin.patch(`/api/admin/user/${trader.id}/account`, { balance: '100.00' })
    const answer = await trader.get('/api/user/account/history', after(set))
    expect(read(AccountHistory, answer).calendar).toBeNull()
    expect((await trader.get('/api/user/account/trades', after(set))).body).toEqual([])
  })
})

describe('the age of what is known', () => {
  it('is that of the newest observation, and the equity is that of the last report', async () => {
    const traded = await enrolled()
    await portal.atEnd()
    const begun = read(Standing, await traded.trader.get('/api/user/account/standing'))
    expect(begun).toMatchObject({ asOf: null, reported: null })
    const state = { at: '2026-01-05T12:00:00Z', kind: 'state', balance: '100000.00', equity: '99600.00', open: true }
    const guess = { ...state, at: '2026-01-05T12:30:00Z', equity: '90000.00', quality: 'estimated' }
    const sent = await traded.observe([state, guess, tradeAt('T1', '2026-01-05T13:00:00Z', '-100.00')])
    const reported = { at: '2026-01-05T12:00:00.000Z', equity: '99600.00', floating: '-400.00' }
    expect(await standing(traded, sent)).toMatchObject({ asOf: '2026-01-05T13:00:00.000Z', reported })
    // What staff book is known here, and says nothing of the platform.
    const entry = { kind: 'fee', amount: '-50.00', reference: 'F-2', reason: 'Platform fee' }
    const booked = await admin.post(`/api/admin/accounts/${traded.account}/ledger`, entry)
    expect(await standing(traded, booked)).toMatchObject({ asOf: '2026-01-05T13:00:00.000Z', reported })
    const late = await traded.observe([tradeAt('T0', '2026-01-04T23:00:00Z', '10.00')])
    expect((await standing(traded, late)).asOf).toBe('2026-01-05T13:00:00.000Z')
  })
})

describe('the trades of an account', () => {
  it('are paged, the newest first, each with its balance and event', async () => {
    const traded = await enrolled()
    const answer = await traded.observe(rows)
    const [event] = await numbersOf(traded, 'ObservationsRecorded')
    const page = await traded.trader.get('/api/user/account/trades?limit=2', after(answer))
    expect(read(AccountTrade.array(), page)).toEqual([
      {
        ...{ id: 'T3', openedAt: '2026-01-06T21:30:00.000Z', closedAt: '2026-01-06T22:30:00.000Z', volume: '1.00' },
        ...{ result: '-400.00', balance: '100600.00', event },
        ...{ symbol: null, side: null, openPrice: null, closePrice: null, hits: [], counts: null },
      },
      expect.objectContaining({ id: 'T2', balance: '101000.00' }),
    ])
    expect(page.headers.get(TOTAL_HEADER)).toBe('3')
    const [, next = ''] = /<([^>]+)>/.exec(page.headers.get(LINK_HEADER) ?? '') ?? []
    await traded.observe([tradeAt('T4', '2026-01-08T10:00:00Z', '1.00')])
    const rest = await traded.trader.get(next, await portal.atEnd())
    expect(read(AccountTrade.array(), rest).map(({ id }) => id)).toEqual(['T1'])
    expect(rest.headers.get(LINK_HEADER)).toBeNull()
    const staff = await admin.get(`/api/admin/accounts/${traded.account}/trades?limit=1`)
    expect(read(AccountTrade.array(), staff).map(({ id }) => id)).toEqual(['T4'])
  })

  it("are their trader's own, and staff of any role read them", async () => {
    const [one, other] = [await enrolled(), await enrolled()]
    expect((await other.trader.get(`/api/user/account/trades?account=${one.account}`)).status).toBe(404)
    expect((await other.trader.get(`/api/admin/accounts/${one.account}/trades`)).status).toBe(401)
    expect((await (await portal.auditor()).get(`/api/admin/accounts/${one.account}/trades`)).status).toBe(200)
  })
})

describe('an account', () => {
  it('is read by staff as its trader sees it, without the password', async () => {
    const traded = await enrolled()
    const path = `/api/admin/accounts/${traded.account}`
    const change = await admin.patch(path, { masterPassword: 'open-sesame', status: 'active', reason: 'Verified' })
    const own = read(OwnAccount, await traded.trader.get('/api/user/account', after(change)))
    const answer = await (await portal.member('support')).get(path, after(change))
    expect(answer.text).not.toContain('open-sesame')
    const seen = read(OwnAccount, answer)
    expect({ ...seen, stamps: null }).toEqual({ ...own, masterPassword: HIDDEN, stamps: null })
    expect([seen.stamps.status?.name, own.stamps.status?.name]).toEqual([expect.any(String), null])
    expect((await (await portal.auditor()).get(path)).status).toBe(200)
    expect((await traded.trader.get(path)).status).toBe(401)
    expect((await admin.get('/api/admin/accounts/nobody00-a1')).status).toBe(404)
  })
})

describe('the standing of an account under a programme', () => {
  it('says what the rules ask for in words, and which event each figure follows from', async () => {
    const traded = await enrolled()
    const answer = await traded.observe(rows)
    const [event] = await numbersOf(traded, 'ObservationsRecorded')
    const { rules, terms, day, dayStartedAt, resetsAt, person } = await standing(traded, answer)
    expect(rules.map(({ kind, percent, terms: said }) => [kind, percent, said?.consequence, said?.asked])).toEqual([
      ['maximum-loss', 0, 'breach', null],
      ['daily-loss', 0, 'breach', null],
      ['profit-target', 7.5, null, null],
      ['minimum-days', 75, null, '4'],
      ['consistency', 100, null, '40'],
    ])
    expect(rules.filter(({ terms: said }) => said?.nearest).map(({ kind }) => kind)).toEqual(['daily-loss'])
    expect(rules.map(({ terms: said }) => said?.proof)).toEqual([null, event, event, event, event])
    expect(rules.map(({ terms: said }) => said?.since)).toEqual([
      null,
      '2026-01-06T22:00:00.000Z',
      '2026-01-06T22:30:00.000Z',
      '2026-01-06T22:30:00.000Z',
      '2026-01-05T21:59:00.000Z',
    ])
    expect(rules.map(({ terms: said }) => said?.text)).toEqual([
      '10% of the account size ($10,000.00): the floor is $90,000.00. When the equity is at or below it, the account is breached.',
      '5% of the account size ($5,000.00) below the balance at the start of the day. When the equity is at or below it, the account is breached.',
      '8% of the account size ($8,000.00) on the balance, with no open position',
      '4 days on which a trade was closed',
      'The best day is at most 40% of the profit. Until then the stage waits.',
    ])
    expect(rules.find(({ kind }) => kind === 'consistency')).toMatchObject({ best: '900.00', share: '150.00' })
    expect(terms).toMatchObject({
      ...{ name: 'Watched 100K', version: 1, stage: 'Phase 1', zone: 'America/New_York', startsAt: '17:00' },
      words: [
        { title: 'Account size', text: '$100,000.00' },
        { title: 'Trading day', text: 'From 17:00 to 17:00 in the time zone America/New_York' },
        { title: 'Breaches' },
        { title: 'Passing a stage' },
      ],
    })
    expect(dayStartedAt.slice(0, 10)).toBe(day)
    expect(Date.parse(resetsAt)).toBeGreaterThan(Date.parse(dayStartedAt))
    expect(person).toBeNull()
  })

  it('says that a person decided: the status, or that a finding does not count', async () => {
    const traded = await enrolled()
    const lost = await traded.observe([tradeAt('T1', '2026-01-07T10:00:00Z', '-5300.00')])
    expect((await standing(traded, lost)).person).toBeNull()
    const [finding] = read(
      Finding.array(),
      await admin.get(`/api/admin/findings?account=${traded.account}`, after(lost)),
    )
    const dismissed = await admin.post(`/api/admin/findings/${finding?.id}/dismiss`, { reason: 'A wrong price' })
    const [dismissal] = await numbersOf(traded, 'FindingDismissed')
    expect((await standing(traded, dismissed)).person).toEqual({ decided: 'finding', event: dismissal })
    const set = await admin.patch(`/api/admin/accounts/${traded.account}`, {
      status: 'under-review',
      reason: 'Checked',
    })
    const { stamps } = read(OwnAccount, await traded.trader.get('/api/user/account', after(set)))
    expect((await standing(traded, set)).person).toEqual({ decided: 'status', event: stamps.status?.number })
  })
})
