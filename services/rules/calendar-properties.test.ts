import fc from 'fast-check'
import { expect, it } from 'vitest'
import { growingCalendar, publication } from './calendar.ts'
import { compareInstants } from './instant.ts'
import { evaluate, rulesOf, startOf } from './engine.ts'
import { toCents } from './money.ts'
import { programme } from './programme.ts'
import { printed } from './printed-line.ts'
import { parsed, payouts, rule, rulesOfStage, run, type Stage, type Written } from '#test-support/rules.ts'
import { randomSeed } from '#test-support/random-seed.ts'

/** What a calendar never does, whatever is published and traded. */

const START = Date.UTC(2026, 9, 26)
const minutes = (number: number) => new Date(START + number * 60_000).toISOString()
const LAST = 3_000
const anyMinute = fc.nat(LAST)
const options = () => ({ numRuns: 300, seed: randomSeed() })

const anyTrade = fc
  .record({
    openedAt: fc.option(anyMinute, { freq: 9 }),
    held: fc.constantFrom(0, 1, 5, 60, 600),
    id: fc.uuid(),
    profit: fc.integer({ min: -300, max: 600 }).map((dollars) => `${dollars}.00`.replace('-0.00', '0.00')),
    symbol: fc.option(fc.constantFrom('EURUSD', 'XAUUSD', 'US30', 'GBPJPY'), { freq: 9 }),
  })
  .map(({ openedAt, held, id, profit, symbol }): Written => ({
    ...{ at: minutes((openedAt ?? 0) + held), kind: 'trade', id, profit, volume: '1' },
    ...(openedAt !== null && { openedAt: minutes(openedAt) }),
    ...(symbol !== null && { symbol }),
  }))
const anyTrades = fc.uniqueArray(anyTrade, { selector: ({ id }) => id, minLength: 1, maxLength: 30 })

const anyPublication = fc
  .record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    at: anyMinute.map(minutes),
    of: fc.constantFrom({ currency: 'USD' }, { currency: 'EUR' }, { symbols: ['US*'] }, { symbols: ['GBPJPY'] }),
    impact: fc.constantFrom('low', 'high'),
    publishedAt: anyMinute.map(minutes),
    withdrawn: fc.boolean(),
  })
  .map(({ of, withdrawn, ...rest }): Written => ({
    ...rest,
    ...of,
    title: 'News',
    ...(withdrawn && { withdrawn: true }),
  }))
const anyCalendar = fc.uniqueArray(anyPublication, {
  selector: ({ id, publishedAt }) => `${String(id)} ${String(publishedAt)}`,
  minLength: 1,
  maxLength: 12,
})
const anyNews = fc
  .record({
    before: fc.constantFrom(0, 2, 30),
    after: fc.constantFrom(0, 2, 30),
    judges: fc.constantFrom('opening', 'closing', 'either', 'holding'),
    impacts: fc.constantFrom(['high'], ['low', 'high']),
    tolerated: fc.nat(2),
    consequence: fc.constantFrom('warning', 'pause', 'excludes-profit', 'breach'),
  })
  .map((terms) => rule({ kind: 'news', ...terms }))

const linesOf = (stage: Stage, trades: readonly Written[]) => run(rulesOfStage(stage), parsed(trades)).lines
const hitsOf = (stage: Stage, trades: readonly Written[]) =>
  linesOf(stage, trades).reduce((sum, { rules }) => sum + (rules[0]?.hits ?? 0) + (rules[0]?.tolerated ?? 0), 0)

it('an irrelevant entry changes nothing unless it is the first ever published', () => {
  let hits = 0
  fc.assert(
    fc.property(anyNews, anyCalendar, anyTrades, anyMinute, (news, calendar, trades, at) => {
      const before = calendar.map(({ publishedAt }) => String(publishedAt)).toSorted()[0] ?? ''
      const other: Written = {
        ...{ id: 'other', at: minutes(at), currency: 'CHF', impact: 'high', title: 'Far away' },
        publishedAt: minutes(at) < before ? before : minutes(at),
      }
      const stage = { rules: [news], calendar }
      hits += hitsOf(stage, trades)
      expect(linesOf({ rules: [news], calendar: [...calendar, other] }, trades)).toEqual(linesOf(stage, trades))
    }),
    options(),
  )
  expect(hits).toBeGreaterThan(0)
})

it('one that is withdrawn, or changed, after the last trade changes nothing', () => {
  fc.assert(
    fc.property(anyNews, anyCalendar, anyTrades, fc.boolean(), (news, calendar, trades, withdrawn) => {
      const [one] = calendar
      const late: Written = {
        ...{ ...one, publishedAt: minutes(LAST + 1_000) },
        ...(withdrawn ? { withdrawn: true } : { impact: 'low' }),
      }
      expect(linesOf({ rules: [news], calendar: [...calendar, late] }, trades)).toEqual(
        linesOf({ rules: [news], calendar }, trades),
      )
    }),
    options(),
  )
})

it('a calendar that grows while trades are observed judges as the whole of it does', () => {
  fc.assert(
    fc.property(anyNews, anyCalendar, anyTrades, (news, written, trades) => {
      const observations = parsed(trades)
      const ordered = written
        .map((one) => publication.parse(one))
        .toSorted((one, other) => compareInstants(one.publishedAt, other.publishedAt))
      const calendar = growingCalendar()
      const stage = { name: 'Stage', rules: [news], funded: false }
      const rules = rulesOf(
        programme.parse({
          ...{ name: 'Test', currency: 'USD', accountSize: '100000.00', day: { zone: 'UTC', startsAt: '00:00' } },
          ...{ breaches: 'proposed', stages: [stage] },
        }),
        0,
        undefined,
        calendar,
      )
      let state = startOf(rules)
      let next = 0
      const lines = observations.map((one) => {
        // Nothing is known yet of what is published after it was observed.
        for (let each = ordered[next]; each && compareInstants(each.publishedAt, one.at) <= 0; each = ordered[++next])
          calendar.add(each)
        const { state: after, line } = evaluate(rules, state, one)
        state = after
        return printed(line)
      })
      expect(lines).toEqual(linesOf({ rules: [news], calendar: written }, trades))
    }),
    options(),
  )
})

it('excluded profit is never taken', () => {
  const asked = fc.array(fc.record({ at: anyMinute, part: fc.integer({ min: 1, max: 100 }) }), { maxLength: 4 })
  let excludedInAll = 0
  fc.assert(
    fc.property(anyCalendar, anyTrades, asked, fc.boolean(), (calendar, trades, payoutsAt, counts) => {
      const news = rule({
        ...{ kind: 'news', before: 30, after: 30, judges: 'either', impacts: ['low', 'high'] },
        ...{ consequence: 'excludes-profit', ...(counts && { counts: '40' }) },
      })
      const terms = payouts({ split: '100', mostOfProfit: '100' })
      const rules = rulesOfStage({ rules: [news], calendar, payouts: terms })
      let state = startOf(rules)
      let [profit, taken, excluded] = [0, 0, 0]
      const queue = [...parsed(trades)]
      const wanted = payoutsAt.toSorted((one, other) => one.at - other.at)
      for (const one of queue) {
        const next = evaluate(rules, state, one)
        state = next.state
        if (one.kind === 'trade') profit += one.profit
        excluded = Math.round(Number(printed(next.line).rules[0]?.excluded ?? '0') * 100)
        const [due] = wanted
        if (!due || START + due.at * 60_000 > one.at.ms) continue
        wanted.shift()
        const available = next.line.payout?.available ?? 0
        const amount = Math.floor((available * due.part) / 100)
        // What is left above the excluded part, of all that was earned and not taken.
        expect(available).toBeLessThanOrEqual(Math.max(0, profit - taken - excluded))
        if (amount === 0) continue
        const text = { ms: one.at.ms, ns: one.at.ns, text: one.at.text }
        state = evaluate(rules, state, { at: text, kind: 'payout', amount: toCents(amount) }).state
        taken += amount
      }
      excludedInAll += excluded
    }),
    options(),
  )
  expect(excludedInAll).toBeGreaterThan(0)
})
