import { readdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '#test-support/command-line.ts'
import {
  clock,
  maximumLoss,
  on,
  payouts,
  profitTarget,
  state,
  trade,
  wholeDay,
  type Written,
} from '#test-support/rules.ts'

const terms = {
  name: 'Two stages',
  currency: 'USD',
  accountSize: '100000.00',
  day: { zone: 'Europe/Prague', startsAt: '00:00' },
  breaches: 'proposed',
  stages: [
    { name: 'Phase 1', funded: false, rules: [maximumLoss(), profitTarget()] },
    { name: 'Funded', funded: true, rules: [maximumLoss()], payouts: payouts() },
  ],
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rules-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('proofdesk rules', () => {
  it('prints the JSON Schema of a programme', async () => {
    const { code, stdout } = await runCommand(['rules', 'schema'], {})
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'object',
      required: ['name', 'currency', 'accountSize', 'day', 'breaches', 'stages'],
      additionalProperties: false,
    })
  })

  it('prints one JSON object for each ordered, unique observation', async () => {
    const lines = [state(on(3), '101000.00'), state(on(2), '100500.00'), state(on(3), '101000.00')]
    const { code, stdout, stderr } = await evaluate(terms, lines)
    expect([code, stderr]).toEqual([0, ''])
    const printed = stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(printed).toHaveLength(2)
    expect(printed[1]).toEqual({
      at: on(3),
      day: '2026-11-03',
      balance: '101000.00',
      equity: '101000.00',
      status: 'in-progress',
      rules: [
        { kind: 'maximum-loss', floor: '90000.00', room: '11000.00', locked: false, state: 'kept' },
        { kind: 'profit-target', target: '108000.00', missing: '7000.00', state: 'open' },
      ],
      nearest: 'maximum-loss',
      cause: null,
      payout: null,
    })
  })

  it('takes the stage that is asked for, and refuses one that is not there', async () => {
    const funded = await evaluate(terms, [clock(on(2))], '--stage', '1')
    expect(JSON.parse(funded.stdout)).toMatchObject({ payout: { profit: '0.00', missing: ['profit'] } })
    for (const stage of ['2', '-1', '1.5', 'one', '99999'])
      expect(await evaluate(terms, [clock(on(2))], '--stage', stage)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: '--stage: expected a stage of the programme, 0 to 1\n',
      })
  })

  describe('with a calendar', () => {
    const news = {
      kind: 'news',
      before: 2,
      after: 2,
      judges: 'either',
      impacts: ['high'],
      tolerated: 0,
      consequence: 'warning',
    }
    const ofNews = { ...terms, stages: [{ name: 'Phase 1', funded: false, rules: [news] }] }
    const entry = {
      ...{ id: 'NFP', at: on(6, '13:30'), currency: 'USD', impact: 'high', title: 'Nonfarm payrolls' },
      publishedAt: on(1),
    }
    const traded = { ...trade(on(6, '13:40'), '100.00'), openedAt: on(6, '13:31'), symbol: 'EURUSD' }
    const withCalendar = (...lines: readonly string[]) =>
      evaluate(ofNews, [traded], '--calendar', written('news.jsonl', lines.join('\n')))

    it('judges trades by its news', async () => {
      const { code, stdout } = await withCalendar(line(entry), line(entry))
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ rules: [{ kind: 'news', hits: 1, state: 'warned' }] })
      expect(JSON.parse((await evaluate(ofNews, [traded])).stdout)).toMatchObject({
        rules: [{ kind: 'news', hits: 0, unknown: 1, state: 'undetermined' }],
      })
    })

    it.each<[string, readonly string[], string]>([
      [
        'two contents of one version',
        [line(entry), line({ ...entry, impact: 'low' })],
        'news.jsonl:2: id: expected the same content as in line 1, or published at another instant\n',
      ],
      [
        'neither currency nor symbols',
        [line({ ...entry, currency: undefined })],
        'news.jsonl:1: currency: expected "currency", "symbols" or both\n',
      ],
      ['no JSON', ['news'], 'news.jsonl:1: expected a JSON object\n'],
      [
        'too many lines',
        Array.from({ length: 100_001 }, () => '{'),
        'news.jsonl:100001: expected at most 100000 lines\n',
      ],
    ])('names the line of %s', async (_, lines, expected) => {
      const { code, stdout, stderr } = await withCalendar(...lines)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr.endsWith(expected)).toBe(true)
    })
  })

  it('neither needs nor makes a data folder', async () => {
    const before = readdirSync(folder).length
    const dataDir = join(folder, 'data')
    await runCommand(
      ['rules', 'evaluate', written('p.json', JSON.stringify(terms)), written('o.jsonl', JSON.stringify(clock(on(2))))],
      { DATA_DIR: dataDir },
    )
    expect(readdirSync(folder)).not.toContain('data')
    expect(readdirSync(folder).length).toBeGreaterThanOrEqual(before)
  })

  it.each<[string, unknown, string]>([
    [
      'a number instead of a text',
      { ...terms, accountSize: 100_000 },
      'accountSize: expected an amount like "2000.00"',
    ],
    ['no cents', { ...terms, accountSize: '100000' }, 'accountSize: expected an amount like "2000.00"'],
    ['an unknown field', { ...terms, extra: 1 }, 'extra: expected no such field'],
    [
      'a zone that does not exist',
      { ...terms, day: { zone: 'Europe/Nowhere', startsAt: '00:00' } },
      'day.zone: expected the IANA name of a time zone, like "Europe/Prague"',
    ],
    [
      'an offset as zone',
      { ...terms, day: { zone: '+01:00', startsAt: '00:00' } },
      'day.zone: expected the IANA name of a time zone, like "Europe/Prague"',
    ],
    [
      'a time that does not exist',
      { ...terms, day: { zone: 'UTC', startsAt: '24:00' } },
      'day.startsAt: expected a time of day like "17:00"',
    ],
    [
      'an unknown kind',
      withRule({ kind: 'luck' }),
      'stages[0].rules[0].kind: expected "kind" to be one of maximum-loss, daily-loss, profit-target, minimum-days, maximum-days, inactivity, consistency, holding-time, flat-at, news, volume, symbols, hedging, trades-per-day, short-trades',
    ],
    [
      'a missing parameter',
      withRule({ ...maximumLoss(), touch: undefined }),
      'stages[0].rules[0].touch: expected "breach" or "allowed"',
    ],
    [
      'a wrong amount',
      withRule({ ...maximumLoss(), limit: '2000.00' }),
      'stages[0].rules[0].limit: expected { "amount": "2000.00" } or { "percent": "5", "of": "account-size" or "high" }',
    ],
    [
      'thousands of rules',
      { ...terms, stages: [{ name: 'S', funded: false, rules: Array.from({ length: 5_000 }, () => profitTarget()) }] },
      'stages[0].rules: expected at most 100 rules',
    ],
    [
      'payouts of a stage that is not funded',
      { ...terms, stages: [{ name: 'S', funded: false, rules: [], payouts: payouts() }] },
      'stages[0].payouts: expected no such field',
    ],
    ['no stages', { ...terms, stages: [] }, 'stages: expected a stage'],
    ['no object', [], 'expected object, received array'],
  ])('names place and expectation: %s', async (_, programme, fault) => {
    const { code, stdout, stderr } = await evaluate(programme, [clock(on(2))])
    expect([code, stdout, stderr]).toEqual([1, '', `${join(folder, 'programme.json')}: ${fault}\n`])
  })

  it.each<[string, string, string]>([
    ['no JSON', '{', 'expected a JSON object'],
    [
      'a number instead of a text',
      line({ ...state(on(2), '1.00'), balance: 1 }),
      'balance: expected an amount like "2000.00" or "-2000.00"',
    ],
    ['a text instead of a boolean', line({ ...state(on(2), '1.00'), open: 'true' }), 'open: expected true or false'],
    ['a fraction of a cent', line(trade(on(2), '1.005')), 'profit: expected an amount like "2000.00" or "-2000.00"'],
    [
      'a date that does not exist',
      line(clock('2026-02-30T00:00:00Z')),
      'at: expected an instant like "2026-11-02T09:30:00Z"',
    ],
    ['an unknown field', line({ ...clock(on(2)), note: '' }), 'note: expected no such field'],
    [
      'a field of the prototype',
      '{"at":"2026-11-02T00:00:00Z","kind":"clock","__proto__":{}}',
      '__proto__: expected no such field',
    ],
    [
      'an unknown kind',
      line({ at: on(2), kind: 'wish' }),
      'kind: expected "kind" to be one of clock, transfer, payout, trade, day, state',
    ],
    [
      'a day of another date',
      line(wholeDay(on(2), '1.00', '1.00', '1.00', { date: '2026-11-03' })),
      'at: expected an instant of the trading day 2026-11-03',
    ],
    ['a long line', `"${'x'.repeat(20_000)}"`, 'expected at most 20000 characters of UTF-8'],
  ])('names file, line and expectation: %s', async (_, text, fault) => {
    const observations = written('observations.jsonl', `${line(clock(on(1)))}\n\n${text}\n${line(clock(on(3)))}\n`)
    const programme = written('programme.json', JSON.stringify(terms))
    const { code, stdout, stderr } = await runCommand(['rules', 'evaluate', programme, observations], {})
    expect([code, stdout, stderr]).toEqual([1, '', `${observations}:3: ${fault}\n`])
  })

  it('"A trade\'s id or a day\'s date with two contents is a fault."', async () => {
    const trades = [
      trade(on(2), '1.00', { id: 'T1' }),
      trade(on(2), '1.00', { id: 'T1' }),
      trade(on(3), '1.00', { id: 'T1' }),
    ]
    const file = join(folder, 'observations.jsonl')
    expect((await evaluate(terms, trades)).stderr).toBe(`${file}:3: id: expected the same content as in line 1\n`)
    const days = [wholeDay(on(2), '1.00', '1.00', '1.00'), wholeDay(on(2), '1.00', '1.00', '1.00', { trades: 2 })]
    expect((await evaluate(terms, days)).stderr).toBe(`${file}:2: date: expected the same content as in line 1\n`)
  })

  it('"one trade with two contents is a fault, also where a fact is only missing"', async () => {
    const file = join(folder, 'observations.jsonl')
    const whole = trade(on(2), '1.00', { id: 'T1', symbol: 'EURUSD', side: 'buy', openPrice: '1.10' })
    const { openedAt: _, ...withoutOpening } = whole
    const { symbol: __, ...withoutSymbol } = whole
    for (const other of [withoutOpening, withoutSymbol, { ...whole, closePrice: '1.2' }, { ...whole, side: 'sell' }])
      expect((await evaluate(terms, [whole, other])).stderr).toBe(
        `${file}:2: id: expected the same content as in line 1\n`,
      )
    const spelled = { ...whole, openPrice: '1.1', volume: '1', openedAt: on(2).replace('Z', '.000+00:00') }
    expect(await evaluate(terms, [whole, spelled])).toMatchObject({ code: 0, stderr: '' })
  })

  it('"A trade that closes before it opens is a fault", to the nanosecond', async () => {
    const file = join(folder, 'observations.jsonl')
    const late = on(2).replace('Z', '.000000001Z')
    expect((await evaluate(terms, [trade(on(2), '1.00', { openedAt: late })])).stderr).toBe(
      `${file}:1: openedAt: expected an instant up to the close: the trade opens at ${late}, after it closes at ${on(2)}\n`,
    )
    expect((await evaluate(terms, [trade(on(2), '1.00')])).code).toBe(0)
  })

  it('prints nothing of a file with a fault in its last line, and one line for each fault', async () => {
    const { code, stdout, stderr } = await evaluate(terms, [clock(on(2)), { at: 1, kind: 'state', balance: 1 }])
    expect([code, stdout, stderr.trimEnd().split('\n').length]).toEqual([1, '', 4])
  })

  it('says so when a file is missing or cannot be read', async () => {
    const programme = written('programme.json', JSON.stringify(terms))
    const missing = join(folder, 'missing')
    for (const files of [
      [missing, missing],
      [folder, missing],
      [programme, missing],
      [programme, folder],
    ]) {
      const { code, stdout, stderr } = await runCommand(['rules', 'evaluate', ...files], {})
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/: expected a file .*can be read \((ENOENT|EISDIR)\)\n$/)
    }
  })

  it.each([
    ['first', '1970-01-01T00:00:00Z', '1970-12-31T00:00:00Z'],
    ['last', '2199-01-01T00:00:00Z', '2199-12-31T23:59:59.999999999+00:00'],
  ])('evaluates the %s year that is accepted', async (_, ...instants) => {
    const day = { zone: 'Asia/Tokyo', startsAt: '17:00' }
    const { code, stdout } = await evaluate({ ...terms, day }, instants.map(clock))
    expect([code, stdout.trimEnd().split('\n').length]).toEqual([0, 2])
  })

  it('refuses movements beyond what is exact', async () => {
    const trades = Array.from({ length: 50 }, (_, index) => trade(on(2), '9999999999.99', { id: String(index) }))
    expect(await evaluate(terms, trades)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('expected changes of the balance'),
    })
  })
})

function withRule(rule: Written): unknown {
  return { ...terms, stages: [{ name: 'S', funded: false, rules: [rule] }] }
}

function line(value: Written): string {
  return JSON.stringify(value)
}

function written(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function evaluate(programme: unknown, observations: readonly Written[], ...options: string[]) {
  const files = [
    written('programme.json', JSON.stringify(programme)),
    written('observations.jsonl', observations.map(line).join('\n')),
  ]
  return runCommand(['rules', 'evaluate', ...files, ...options], {})
}
