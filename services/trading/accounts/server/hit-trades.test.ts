import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TOTAL_HEADER } from '#services/framework/api/headers.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import type { ProgrammeTerms, RuleTerms } from '#services/rules/programme.ts'
import { Finding, FindingDetails } from '#services/trading/findings/finding-api.ts'
import { after, read } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { publishedProgramme, type WatchedTrader, watchedTrader } from '#test-support/programme-account.ts'
import { Notices } from '#services/oversight/notices/notice-api.ts'
import { AccountHistory } from '../account-api.ts'
import { AccountTrade, Standing } from '../standing-api.ts'

let portal: Portal
let admin: Browser

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
})
afterAll(() => portal.stop())

const termsWith = (name: string, ...rules: readonly RuleTerms[]): ProgrammeTerms => ({
  ...presetTerms('two-step', 100_000),
  name,
  stages: [{ name: 'Phase 1', funded: false, rules: [...rules] }],
})

/** Held for so many seconds of a minute of 5 January. */
const trade = (id: string, minute: number, seconds: number, profit = '100.00') => {
  const openedAt = Date.UTC(2026, 0, 5, 9, minute)
  return {
    ...{ kind: 'trade', id, openedAt: new Date(openedAt).toISOString() },
    ...{ at: new Date(openedAt + seconds * 1000).toISOString(), profit, volume: '1.00', symbol: 'EURUSD', side: 'buy' },
  }
}

const numbersOf = async ({ account }: WatchedTrader, type: string) =>
  (await portal.events(`account-${account}`))
    .filter((event) => event.type === type)
    .map(({ position }) => Number(position))

describe('the table of trades', () => {
  it('marks the trades that hit a rule: tolerated, warned of, or with profit that does not count', async () => {
    const programme = await publishedProgramme(
      admin,
      termsWith(
        'Excluding',
        { kind: 'holding-time', atLeast: 60, of: 'all', tolerated: 1, consequence: 'excludes-profit', counts: '40' },
        { kind: 'volume', most: '0.50', per: 'trade', symbols: ['EUR*'], tolerated: 3, consequence: 'warning' },
      ),
    )
    const traded = await watchedTrader(portal, admin, programme)
    await traded.observe([trade('880', 0, 30), trade('OK', 5, 600)])
    const answer = await traded.observe([trade('881', 20, 41), trade('882', 30, 5, '-20.00'), trade('883', 40, 90)])
    const [, event] = await numbersOf(traded, 'ObservationsRecorded')
    const page = await traded.trader.get('/api/user/account/trades?only=marked', after(answer))
    const trades = read(AccountTrade.array(), page)
    expect(
      trades.map(({ id, counts, hits }) => [
        id,
        counts,
        hits.map(({ rule, outcome, excluded }) => [rule, outcome, excluded]),
      ]),
    ).toEqual([
      ['883', null, [[1, 'warning', '0.00']]],
      [
        '882',
        null,
        [
          [0, 'excludes-profit', '0.00'],
          [1, 'warning', '0.00'],
        ],
      ],
      [
        '881',
        '40.00',
        [
          [0, 'excludes-profit', '60.00'],
          [1, 'tolerated', '0.00'],
        ],
      ],
      ['OK', null, [[1, 'tolerated', '0.00']]],
      [
        '880',
        null,
        [
          [0, 'tolerated', '0.00'],
          [1, 'tolerated', '0.00'],
        ],
      ],
    ])
    expect(trades[2]?.hits[0]).toMatchObject({
      ...{ kind: 'holding-time', title: 'Holding time', event },
      what: 'Trade 881 of EURUSD was held for 41 s; at least 60 s',
    })
    const standing = read(Standing, await traded.trader.get('/api/user/account/standing'))
    expect(standing.rules[0]).toMatchObject({ hits: 2, tolerated: 1, excluded: '60.00', terms: { proof: event } })
  })

  it('shows only marked ones where asked, to staff too, and counts them', async () => {
    const programme = await publishedProgramme(
      admin,
      termsWith('Warning', { kind: 'holding-time', atLeast: 60, of: 'all', tolerated: 0, consequence: 'warning' }),
    )
    const traded = await watchedTrader(portal, admin, programme)
    const answer = await traded.observe([trade('A', 0, 30), trade('B', 5, 600), trade('C', 20, 41)])
    const page = await admin.get(`/api/admin/accounts/${traded.account}/trades?only=marked&limit=1`, after(answer))
    expect(read(AccountTrade.array(), page).map(({ id }) => id)).toEqual(['C'])
    expect(page.headers.get(TOTAL_HEADER)).toBe('2')
    const all = await admin.get(`/api/admin/accounts/${traded.account}/trades`)
    expect(read(AccountTrade.array(), all).map(({ id, hits }) => [id, hits.length])).toEqual([
      ['C', 1],
      ['B', 0],
      ['A', 1],
    ])
    expect((await admin.get(`/api/admin/accounts/${traded.account}/trades?only=others`)).status).toBe(400)
  })

  it('marks an earlier trade that a later one shows to be hedged, and takes marks back with a correction', async () => {
    const programme = await publishedProgramme(
      admin,
      termsWith('Hedging', { kind: 'hedging', tolerated: 0, consequence: 'pause' }),
    )
    const traded = await watchedTrader(portal, admin, programme)
    await traded.observe([trade('A', 0, 600)])
    const answer = await traded.observe([{ ...trade('B', 5, 600), side: 'sell' }])
    const [, event] = await numbersOf(traded, 'ObservationsRecorded')
    const marked = async (since: Awaited<ReturnType<typeof traded.observe>>) =>
      read(AccountTrade.array(), await traded.trader.get('/api/user/account/trades?only=marked', after(since)))
    expect((await marked(answer)).map(({ id, hits }) => [id, hits.map((hit) => [hit.outcome, hit.event])])).toEqual([
      ['B', [['pause', event]]],
      ['A', [['pause', event]]],
    ])
    const corrected = await admin.post(
      `/api/admin/accounts/${traded.account}/observations/${traded.account}-o2/correction`,
      { observation: trade('B', 5, 600), reason: 'The side was wrong' },
    )
    expect(corrected.status, corrected.text).toBe(200)
    expect(await marked(corrected)).toEqual([])
  })
})

describe('a finding of a rule about single trades', () => {
  it('names the trade, its rule and all hit trades to staff, and to the trader what each did', async () => {
    const programme = await publishedProgramme(
      admin,
      termsWith('Breaching', { kind: 'holding-time', atLeast: 60, of: 'all', tolerated: 1, consequence: 'breach' }),
    )
    const traded = await watchedTrader(portal, admin, programme)
    const answer = await traded.observe([trade('880', 0, 30), trade('OK', 5, 600), trade('881', 20, 41)])
    const what = 'Trade 881 of EURUSD was held for 41 s; at least 60 s'
    const listed = await admin.get(`/api/admin/findings?account=${traded.account}`, after(answer))
    const [finding] = read(Finding.array(), listed)
    expect(finding).toMatchObject({
      ...{ kind: 'breach', rule: { index: 0, kind: 'holding-time' }, floor: null, trade: what },
      observations: [`${traded.account}-o1`, `${traded.account}-o3`],
    })
    const details = read(FindingDetails, await admin.get(`/api/admin/findings/${finding?.id}`))
    expect(details.evidence.map((each) => each.what)).toEqual(['Trade 880 closed', 'Trade 881 closed'])
    expect(details.arithmetic).toMatchObject([
      { role: 'trade', what: 'Tolerated: Trade 880 of EURUSD was held for 30 s; at least 60 s' },
      { role: 'trade', what },
    ])
    const standing = read(Standing, await traded.trader.get('/api/user/account/standing'))
    expect(standing).toMatchObject({ cause: { kind: 'holding-time', floor: null, trade: '881' } })
    expect(standing.arithmetic?.at(-1)).toMatchObject({ what })
    const dismissal = {
      reason: 'The platform lost the connection',
      seen: {
        ...{
          name: details.userName,
          kind: 'breach',
          rule: 'holding-time',
          floor: null,
          measured: null,
          at: details.at,
        },
        evidence: details.evidence.map(({ event: _event, ...each }) => each),
      },
    }
    const dismissed = await admin.post(`/api/admin/findings/${finding?.id}/dismiss`, dismissal)
    expect(dismissed.status, dismissed.text).toBe(200)
    const trades = await traded.trader.get('/api/user/account/trades?only=marked', after(dismissed))
    expect(read(AccountTrade.array(), trades).map(({ id, hits }) => [id, hits[0]?.outcome])).toEqual([
      ['881', 'dismissed'],
      ['880', 'tolerated'],
    ])
  })
})

it('the mail of a breach names the trade and the rule in words', async () => {
  const programme = await publishedProgramme(
    admin,
    termsWith('Mailed', { kind: 'holding-time', atLeast: 60, of: 'all', tolerated: 0, consequence: 'breach' }),
  )
  const traded = await watchedTrader(portal, admin, programme)
  await traded.observe([trade('881', 20, 41)])
  const confirmed = await admin.post(`/api/admin/findings/${traded.account}-f1/confirm`, {})
  expect(confirmed.status, confirmed.text).toBe(200)
  await portal.mailed()
  const mail = (await portal.mails(traded.trader.email)).find(({ subject }) => subject?.endsWith('was breached'))
  expect(mail?.text).toMatch(/Rule: +Holding time\n/)
  expect(mail?.text).toMatch(/Value: +Trade 881 of EURUSD was held for 41 s; at least 60 s\n/)
})

describe('hits that need no decision', () => {
  const SUBJECT = 'Holding time: profit that does not count'
  const MINUTE = 60_000
  /** Held for a second, that many minutes ago. */
  const shortTrade = (id: string, ago: number, facts: object = {}) => ({
    ...{ kind: 'trade', id, openedAt: new Date(Date.now() - ago * MINUTE - 1000).toISOString() },
    ...{ at: new Date(Date.now() - ago * MINUTE).toISOString(), profit: '100.00', volume: '1.00' },
    ...{ symbol: 'EURUSD', side: 'buy', ...facts },
  })
  const rule: RuleTerms = { kind: 'holding-time', atLeast: 60, of: 'all', tolerated: 1, consequence: 'excludes-profit' }

  it('make no finding, but an entry in the history, a notice and a mail that says which trade and why', async () => {
    const programme = await publishedProgramme(admin, termsWith('Noted', rule))
    const [traded, muted] = [
      await watchedTrader(portal, admin, programme),
      await watchedTrader(portal, admin, programme),
    ]
    await muted.trader.patch('/api/user/notices', { muted: ['hits'] })
    for (const each of [traded, muted]) {
      await each.observe([shortTrade('880', 30)])
      await each.observe([shortTrade('881', 20), shortTrade('OK', 10, { openedAt: '2026-01-05T09:00:00Z' })])
    }
    const events = await portal.events(`account-${traded.account}`)
    expect(events.filter(({ type }) => type === 'RuleFindingRaised')).toEqual([])
    expect(events.filter(({ type }) => type === 'HitsNoted')).toMatchObject([
      {
        data: {
          ...{ rule: { index: 0, kind: 'holding-time' }, consequence: 'excludes-profit', gone: [] },
          ...{ found: [{ observation: 2, trade: '881' }], excluded: { from: 0, to: 10_000 } },
        },
        metadata: { actor: { kind: 'system', label: 'rules' } },
      },
    ])
    const history = await traded.trader.get('/api/user/account/history', await portal.atEnd())
    expect(read(AccountHistory, history).markers.at(-1)).toMatchObject({
      type: 'HitsNoted',
      label: 'Holding time: hit',
    })
    const { entries } = read(Notices, await traded.trader.get('/api/user/notices'))
    expect(entries[0]).toMatchObject({
      type: 'HitsNoted',
      changes: [
        { field: 'hits.rule', to: 'holding-time' },
        { field: 'hits.consequence', to: 'excludes-profit' },
        { field: 'hits.trades', to: '881' },
        { field: 'hits.excluded', from: '0.00', to: '100.00' },
      ],
    })
    await portal.mailed()
    const mails = (await portal.mails(traded.trader.email)).filter((mail) => mail.subject === SUBJECT)
    expect(mails.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /Trade 881 of EURUSD was held for 1 s; at least 60 s[^]*\$100\.00 of your profit do not count/,
      ),
    ])
    expect((await portal.mails(muted.trader.email)).map((mail) => mail.subject)).not.toContain(SUBJECT)
  })

  it('are noted once, and taken back in the history by a correction', async () => {
    const programme = await publishedProgramme(admin, termsWith('Corrected', { ...rule, tolerated: 0 }))
    const traded = await watchedTrader(portal, admin, programme)
    await traded.observe([trade('A', 0, 30), trade('B', 5, 600)])
    await traded.observe([trade('C', 20, 600)])
    const path = `/api/admin/accounts/${traded.account}/observations/${traded.account}-o1/correction`
    const corrected = await admin.post(path, { observation: trade('A', 0, 90), reason: 'The opening was wrong' })
    expect(corrected.status, corrected.text).toBe(200)
    const noted = (await portal.events(`account-${traded.account}`)).filter(({ type }) => type === 'HitsNoted')
    expect(noted).toMatchObject([
      { data: { found: [{ trade: 'A' }], gone: [], excluded: { to: 10_000 } } },
      { data: { found: [], gone: [{ trade: 'A' }], excluded: { from: 10_000, to: 0 }, at: null } },
    ])
    await portal.mailed()
    // What is imported of days that are over is no news.
    expect((await portal.mails(traded.trader.email)).map((mail) => mail.subject)).not.toContain(SUBJECT)
  })
})
