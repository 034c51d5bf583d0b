import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { accountId, findingIdOf } from '#services/framework/ids.ts'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import type { RuleTerms } from '#services/rules/programme.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { runCommand } from '#test-support/command-line.ts'
import { programOf } from '#test-support/http-calls.ts'
import type { Browser } from '#test-support/http-client.ts'
import { openPortal, type Portal } from '#test-support/portal.ts'
import { buildProgram } from '#test-support/program.ts'
import { publishedProgramme, type WatchedTrader, watchedTrader } from '#test-support/programme-account.ts'
import { until } from '#test-support/until.ts'

/** A stranger verifies a breach for news with the export alone, and is told when an entry was published too late. */

const folder = await mkdtemp(join(tmpdir(), 'proofdesk-news-'))
const newsRule: RuleTerms = {
  ...{ kind: 'news', before: 2, after: 2, judges: 'either', impacts: ['high'], tolerated: 0, consequence: 'breach' },
}

let portal: Portal
let admin: Browser
let news: Browser
let programme: string
let files = 0

beforeAll(async () => {
  await buildProgram()
  portal = await openPortal({ environment: { SEAL_SECONDS: '1' } })
  admin = await portal.admin()
  news = await programOf(portal, admin, { name: 'News', scopes: ['calendar'] })
  const terms = presetTerms('two-step', 100_000)
  const stages = terms.stages.map((stage) => ({ ...stage, rules: [...stage.rules, newsRule] }))
  programme = await publishedProgramme(admin, { ...terms, name: 'News 100K', stages })
  // Something is published before any trade: else every trade is unknown.
  await publish('first', 'XXX')
})
afterAll(async () => {
  await portal.stop()
  await rm(folder, { recursive: true })
})

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
const publish = (id: string, currency: string, at = inSeconds(90), more: object = {}) =>
  news.post('/api/admin/calendar', { entries: [{ id, at, currency, impact: 'high', title: 'Rate decision', ...more }] })
const tradeOf = (symbol: string) => ({
  ...{ kind: 'trade', id: 'T1', symbol, side: 'buy', openedAt: inSeconds(0), at: inSeconds(60) },
  ...{ profit: '10.00', volume: '1.00' },
})
const eventsOf = ({ account }: WatchedTrader) => portal.events(`account-${account}`)

async function fileOf(watched: WatchedTrader): Promise<string> {
  const { transparencyLog } = portal.running.parts
  const last = (await eventsOf(watched)).slice(-1)
  await until(async () => {
    const newest = await transparencyLog.newest()
    const [index] = newest ? await transparencyLog.indexesOf(last, newest.size) : []
    return index !== undefined
  }, 'a checkpoint')
  return (await watched.trader.get('/api/user/history/proof')).text
}

async function verified(content: string) {
  const path = join(folder, `history-${++files}.json`)
  await writeFile(path, content)
  return runCommand(['verify', path], {})
}

const exported = z.looseObject({ events: z.array(z.looseObject({ type: z.string(), data: z.string().nullable() })) })
const newsIn = (content: string) =>
  exported
    .parse(JSON.parse(content))
    .events.filter(({ type }) => type.startsWith('CalendarEntry'))
    .map(({ type, data }) => `${type} ${z.object({ entry: z.string() }).parse(JSON.parse(data ?? '')).entry}`)

async function breached(watched: WatchedTrader): Promise<void> {
  await until(async () => (await eventsOf(watched)).some(({ type }) => type === 'RuleFindingRaised'), 'the finding')
}

describe('an export of an account that rules about news judge', () => {
  it('carries "every version published by its end of the entries that concern a symbol of its trades, and the first publication of all"', async () => {
    const watched = await watchedTrader(portal, admin, programme)
    await publish('franc', 'CHF')
    await publish('franc', 'CHF', inSeconds(80))
    await publish('yen', 'JPY')
    await watched.observe([tradeOf('USDCHF')])
    await breached(watched)
    const confirmed = await admin.post(`/api/admin/findings/${watched.account}-f1/confirm`, {})
    expect(confirmed.status).toBe(200)
    const content = await fileOf(watched)
    expect(newsIn(content)).toEqual([
      'CalendarEntryPublished first',
      'CalendarEntryPublished franc',
      'CalendarEntryPublished franc',
    ])
    const { code, stdout } = await verified(content)
    expect(stdout).toContain('“Rate decision” of')
    expect(stdout).toMatch(/was published [^.]*, in time\./)
    expect(stdout).toContain('The rules find it there.')
    expect(code).toBe(0)
  })

  it('is told apart where a publication is taken out, moved or changed', async () => {
    const watched = await watchedTrader(portal, admin, programme)
    await publish('krona', 'SEK')
    await watched.observe([tradeOf('USDSEK')])
    await breached(watched)
    const content = await fileOf(watched)
    const file = exported.parse(JSON.parse(content))
    const without = (isOut: (data: string) => boolean) =>
      JSON.stringify({ ...file, events: file.events.filter(({ data }) => !data || !isOut(data)) })
    const edited = (from: string, to: string) =>
      JSON.stringify({
        ...file,
        events: file.events.map((event) => ({ ...event, data: event.data?.replace(from, to) ?? null })),
      })
    for (const attack of [
      without((data) => data.includes('"entry":"first"')),
      without((data) => data.includes('"entry":"krona"')),
      edited('"currency":"SEK"', '"currency":"NOK"'),
      edited('"impact":"high"', '"impact":"low"'),
    ])
      expect((await verified(attack)).code).toBe(1)
  })

  it('says of a breach by news that were published too late that it does not follow, and when they were', async () => {
    const watched = await watchedTrader(portal, admin, programme)
    await publish('early', 'NOK', inSeconds(90), { impact: 'low' })
    const trade = tradeOf('USDNOK')
    await watched.observe([{ ...trade, at: trade.openedAt }])
    await publish('late', 'NOK', inSeconds(0))
    const account = accountId.parse(watched.account)
    const [begun] = (await eventsOf(watched)).filter(({ type }) => type === 'StageBegun')
    const { hash } = z.object({ hash: z.string() }).parse(begun?.data)
    // Whoever has all keys records what the rules do not find.
    await portal.running.parts.repositories
      .of(accountStreams)
      .decide(account, systemContext('rules', 'a forgery'), (state) => {
        const { programme: under } = state.account
        if (!under) throw new Error('The account is under no programme')
        return [
          {
            type: 'RuleFindingRaised',
            data: {
              ...{ finding: findingIdOf(account, 1), kind: 'breach', rule: { index: 3, kind: 'news' } },
              ...{
                floor: null,
                measured: null,
                hit: { observation: 1, payoutId: null, at: Date.parse(trade.openedAt) },
              },
              ...{ evidence: [1], proposed: true, status: 'active' },
              programme: { id: under.id, version: under.version, hash, stage: 0 },
            },
          },
        ]
      })
    const { code, stdout } = await verified(await fileOf(watched))
    expect(stdout).toContain('The rules find nothing at observation 1')
    expect(stdout).toMatch(/“Rate decision” of [^.]* was published too late, [^.]*: it judges nobody before that\./)
    expect(code).toBe(1)
  })

  it('has no calendar where no rule judges by news', async () => {
    const watched = await watchedTrader(portal, admin, 'two-step-100000')
    await watched.observe([tradeOf('USDCHF')])
    expect(newsIn(await fileOf(watched))).toEqual([])
  })
})
