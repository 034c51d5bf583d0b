import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRepositories } from '#services/event-sourcing/aggregate-repository.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { endingOf } from '#services/trading/stream/found.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import type { RuleTerms } from '#services/rules/programme.ts'
import { Standing } from '#services/trading/accounts/standing-api.ts'
import { after, programOf, read } from '#test-support/http-calls.ts'
import type { Answer, Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { publishedProgramme, type WatchedTrader, watchedTrader } from '#test-support/programme-account.ts'
import { until } from '#test-support/until.ts'
import { EntryOutcome, PublishedEntry } from '../calendar-api.ts'

const PATH = '/api/admin/calendar'

let portal: Portal
let admin: Browser
let news: Browser
let ids = 0

beforeAll(async () => {
  portal = await openPortal()
  admin = await portal.admin()
  news = await programOf(portal, admin, { name: 'News', scopes: ['calendar'] })
})
afterAll(() => portal.stop())

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
const entry = (more: object = {}) => ({
  ...{ id: `news-${++ids}`, at: inSeconds(3_600), currency: 'USD', impact: 'high', title: 'Rate decision', ...more },
})
const publish = (entries: readonly unknown[], who = news) => who.post(PATH, { entries })
const outcomes = (answer: Answer) => read(EntryOutcome.array(), answer).map(({ outcome }) => outcome)
const reasons = (answer: Answer) => read(EntryOutcome.array(), answer).map(({ reason }) => reason)
const inLog = async () => (await portal.events()).filter(({ stream }) => stream === 'calendar-this')
const shown = async (who: Browser, query = '') => read(PublishedEntry.array(), await who.get(`/api/calendar${query}`))

describe('entries that a program or staff publish', () => {
  it('are recorded, one event each, and the same again changes nothing: "recorded | duplicate | changed | refused"', async () => {
    const before = (await inLog()).length
    const [first, second] = [entry(), entry({ currency: undefined, symbols: ['US30', 'NAS*'] })]
    const answer = await publish([first, second])
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual([first, second].map(({ id }) => ({ id, outcome: 'recorded', reason: null })))
    const events = (await inLog()).slice(before)
    expect(events).toMatchObject([
      { type: 'CalendarEntryPublished', data: { entry: first.id, currency: 'USD' } },
      { type: 'CalendarEntryPublished', data: { entry: second.id, symbols: ['US30', 'NAS*'] } },
    ])
    expect(events[0]?.metadata).toMatchObject({ actor: { kind: 'program', label: 'News' } })
    expect(outcomes(await publish([first, second], admin))).toEqual(['duplicate', 'duplicate'])
    expect(outcomes(await publish([{ ...first, impact: 'low' }], admin))).toEqual(['changed'])
    expect((await inLog()).length).toBe(before + 3)
  })

  it('have an id of their own where they are sent without one', async () => {
    const { id: _id, ...plain } = entry({ title: 'Jobs report' })
    const sent = await publish([plain])
    expect(outcomes(sent)).toEqual(['recorded'])
    expect((await publish([plain])).body).toEqual([{ ...read(EntryOutcome.array(), sent)[0], outcome: 'duplicate' }])
  })

  it('are refused one by one, with the reason, and the others count', async () => {
    const good = entry()
    const odd: readonly (readonly [unknown, string])[] = [
      ['news', 'expected an object'],
      [entry({ at: '2026-02-30T09:00:00Z' }), 'at: expected an instant like "2026-11-02T09:30:00Z"'],
      [entry({ at: '2026-11-02 09:30' }), 'at: expected an instant like "2026-11-02T09:30:00Z"'],
      [entry({ at: 1_790_000_000 }), 'at: expected an instant like "2026-11-02T09:30:00Z"'],
      [entry({ currency: undefined }), 'currency: expected "currency", "symbols" or both'],
      [entry({ currency: 'usd' }), 'currency: expected a currency like "USD"'],
      [entry({ symbols: [] }), 'symbols: expected at least one element'],
      [entry({ symbols: ['EUR\u0000USD'] }), 'symbols[0]: expected a symbol like "EURUSD", or its beginning and "*"'],
      [entry({ impact: 'High' }), 'impact: expected "low" or "medium" or "high"'],
      [entry({ title: '' }), 'title: expected a text'],
      [entry({ title: 'Rate\u202edecision' }), 'title: expected no invisible character (U+202E)'],
      [entry({ id: 'a\u0007b' }), 'id: expected no invisible character (U+0007)'],
      [entry({ forecast: '5.0' }), 'forecast: expected no such field'],
    ]
    const answer = await publish([...odd.map(([sent]) => sent), good])
    expect(reasons(answer)).toEqual([...odd.map(([, reason]) => reason), null])
    expect(outcomes(answer)).toEqual([...odd.map(() => 'refused'), 'recorded'])
  })

  it('"one id twice in a call is refused": it does not say which counts', async () => {
    const before = (await inLog()).length
    const twice = entry()
    const answer = await publish([twice, entry(), { ...twice, impact: 'low' }])
    expect(outcomes(answer)).toEqual(['refused', 'recorded', 'refused'])
    expect(reasons(answer)).toEqual(['id: expected once in a call', null, 'id: expected once in a call'])
    expect((await inLog()).length).toBe(before + 1)
  })

  it('"(at most 1,000)": more are refused as a whole', async () => {
    const many = Array.from({ length: 1_001 }, () => entry())
    expect((await publish(many)).body).toMatchObject({ errors: { entries: 'expected at most 1000 entries' } })
    expect(new Set(outcomes(await publish(many.slice(1))))).toEqual(new Set(['recorded']))
    for (const odd of [{}, { entries: 'all' }, { entries: null }])
      expect((await news.post(PATH, odd)).body).toMatchObject({ errors: { entries: 'expected a list of entries' } })
  })

  it('"By staff who may publish programmes, and by a program\'s key with scope `calendar`"', async () => {
    const feed = await programOf(portal, admin, { name: 'Feed', scopes: ['feed'] })
    expect((await publish([entry()], feed)).status).toBe(403)
    expect((await publish([entry()], portal.browser())).status).toBe(401)
    expect((await publish([entry()], await portal.trader())).status).toBe(401)
    const support = await portal.member('support')
    expect((await publish([entry()], support)).status).toBe(403)
    // A key opens the calls of its scope, and no other of staff.
    expect((await news.get('/api/admin/programmes')).status).toBe(403)
  })
})

describe('the calendar', () => {
  it('"gives everybody signed in the newest version of each entry, withdrawn ones marked"', async () => {
    const far = { from: '2031-01-01', to: '2031-01-02' }
    const [first, second] = [entry({ at: '2031-01-01T10:00:00Z' }), entry({ at: '2031-01-02T09:00:00+02:00' })]
    await publish([second, first, entry({ at: '2031-01-03T00:00:00Z' })])
    await publish([{ ...first, title: 'Rates' }])
    const withdrawn = await news.delete(`${PATH}/${second.id}`)
    expect(withdrawn).toMatchObject({ status: 200, body: { id: second.id } })
    const query = `?from=${far.from}&to=${far.to}`
    for (const who of [await portal.trader(), admin, await portal.auditor()])
      expect(await shown(who, query)).toEqual([
        { ...first, title: 'Rates', publishedAt: expect.any(String) },
        { ...second, publishedAt: expect.any(String), withdrawn: true },
      ])
    expect((await portal.browser().get('/api/calendar')).status).toBe(401)
  })

  it('takes an entry back once, and knows none of another name', async () => {
    const one = entry({ id: 'a b/c?d' })
    await publish([one])
    const path = `${PATH}/${encodeURIComponent(one.id)}`
    const before = (await inLog()).length
    expect((await admin.delete(path)).status).toBe(200)
    expect((await admin.delete(path)).status).toBe(200)
    expect((await inLog()).slice(before)).toMatchObject([{ type: 'CalendarEntryWithdrawn', data: { entry: one.id } }])
    expect(await admin.delete(`${PATH}/nothing`)).toMatchObject({
      status: 404,
      body: { message: 'Calendar entry not found' },
    })
    expect(outcomes(await publish([one]))).toEqual(['changed'])
  })
})

const newsRule: RuleTerms = {
  ...{ kind: 'news', before: 2, after: 2, judges: 'either', impacts: ['high'], tolerated: 0, consequence: 'breach' },
}

describe('trades under a rule about news', () => {
  let programme: string
  beforeAll(async () => {
    const terms = presetTerms('two-step', 100_000)
    const stages = terms.stages.map((stage) => ({ ...stage, rules: [...stage.rules, newsRule] }))
    programme = await publishedProgramme(admin, { ...terms, name: 'News 100K', stages })
  })

  const trade = (id: string, symbol: string, more: object = {}) => ({
    ...{ kind: 'trade', id, symbol, side: 'buy', openedAt: inSeconds(0), at: inSeconds(60) },
    ...{ profit: '10.00', volume: '1.00', ...more },
  })
  const line = async ({ trader }: WatchedTrader, answer: Answer) =>
    read(Standing, await trader.get('/api/user/account/standing', after(answer))).rules.find(
      ({ kind }) => kind === 'news',
    )
  const findingsOf = async ({ account }: WatchedTrader) =>
    (await portal.events(`account-${account}`)).filter(({ type }) => type === 'RuleFindingRaised')

  it('hit where the entry was published before: "The portal sets `publishedAt`"', async () => {
    const watched = await watchedTrader(portal, admin, programme)
    await publish([entry({ at: inSeconds(90), currency: 'CHF' })])
    const answer = await watched.observe([trade('T1', 'USDCHF'), trade('T2', 'EURGBP')])
    expect(await line(watched, answer)).toMatchObject({ state: 'breached', hits: 1, unknown: 0 })
    const [finding] = await until(async () => {
      const found = await findingsOf(watched)
      return found.length > 0 && found
    }, 'the finding')
    expect(finding).toMatchObject({ data: { kind: 'breach', rule: { kind: 'news' }, floor: null, measured: null } })
  })

  it('"What was published too late judges nobody", nor what was withdrawn before or is of another impact', async () => {
    const watched = await watchedTrader(portal, admin, programme)
    const before = trade('T1', 'AUDNZD')
    const gone = entry({ at: inSeconds(90), currency: 'AUD' })
    await publish([gone, entry({ at: inSeconds(90), currency: 'AUD', impact: 'medium' })])
    await news.delete(`${PATH}/${gone.id}`)
    await publish([entry({ at: inSeconds(0), currency: 'NZD' })])
    const answer = await watched.observe([{ ...before, at: before.openedAt }])
    expect(await line(watched, answer)).toMatchObject({ state: 'kept', hits: 0, unknown: 0 })
  })

  it('are judged the same by a process that reads the log anew', async () => {
    const watched = await watchedTrader(portal, admin, programme)
    await publish([entry({ at: inSeconds(90), currency: 'SEK' })])
    const answer = await watched.observe([trade('T1', 'USDSEK')])
    expect(await line(watched, answer)).toMatchObject({ hits: 1 })
    const { eventStore, personKeys, secrets } = portal.running.parts
    const anew = createRepositories(eventRegistry, eventStore, personKeys, { secrets }).of(accountStreams)
    const { stage } = (await anew.load(watched.account)).state
    expect(stage && endingOf(stage)).toMatchObject({ kind: 'breach', rule: { kind: 'news' } })
  })

  it('know their currencies by the programme, or are unknown', async () => {
    const watched = await watchedTrader(portal, admin, programme)
    await publish([entry({ at: inSeconds(90), currency: undefined, symbols: ['DE4*'] })])
    const answer = await watched.observe([trade('T1', 'US500'), trade('T2', 'DE40')])
    expect(await line(watched, answer)).toMatchObject({ hits: 1, unknown: 1 })
  })
})
