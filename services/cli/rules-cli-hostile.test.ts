import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '#test-support/command-line.ts'
import { buildProgram, runProgram } from '#test-support/program.ts'
import {
  clock,
  consistency,
  dailyLoss,
  fixed,
  followsEquity,
  inactivity,
  maximumDays,
  maximumLoss,
  minimumDays,
  on,
  payout,
  payouts,
  percent,
  profitTarget,
  state,
  trade,
  transfer,
  wholeDay,
  type Written,
} from '#test-support/rules.ts'

// Input that is wrong in every way: exit 1, one line for each fault, no stack trace, nothing on stdout.

/** Every parameter that a programme can have. */
const programme = {
  name: 'Every parameter',
  currency: 'USD',
  accountSize: '100000.00',
  day: { zone: 'Europe/Prague', startsAt: '00:00' },
  breaches: 'proposed',
  passes: 'automatically',
  stages: [
    {
      name: 'Phase 1',
      funded: false,
      rules: [
        maximumLoss({ ...followsEquity, locksAbove: fixed('0.00') }),
        dailyLoss(),
        profitTarget(),
        minimumDays({ counts: { what: 'traded', day: 'opened' } }),
        minimumDays({ counts: { what: 'result', atLeast: fixed('1.00'), of: 'closed' } }),
        maximumDays(),
        inactivity(),
        consistency(),
      ],
    },
    {
      name: 'Funded',
      funded: true,
      rules: [],
      payouts: payouts({ splitAfter: [{ payouts: 3, split: '90' }], cap: percent('5'), capFor: 3 }),
    },
  ],
}
const observations = [
  state(on(2), '100000.00', '100000.00', { quality: 'reported' }),
  trade(on(2), '1.00'),
  payout(on(2), '1.00'),
  { ...transfer(on(2), '1.00'), id: 'A' },
  wholeDay(on(2), '1.00', '1.00', '1.00'),
  clock(on(2)),
]

type Path = readonly (string | number)[]
const MEGABYTES_100 = 100_000_000
const BRACKETS = 100_000

let folder: string
let [programmeFile, observationsFile] = ['', '']
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hostile-'))
  programmeFile = join(folder, 'programme.json')
  observationsFile = join(folder, 'observations.jsonl')
})
afterAll(() => rmSync(folder, { recursive: true }))

const json = (value: unknown) => JSON.stringify(value)

async function evaluate(programmeText: string | Buffer, observationsText: string | Buffer, ...options: string[]) {
  writeFileSync(programmeFile, programmeText)
  writeFileSync(observationsFile, observationsText)
  const { code, stdout, stderr } = await runCommand(
    ['rules', 'evaluate', programmeFile, observationsFile, ...options],
    {},
  )
  return {
    code,
    stdout,
    faults: stderr
      .split('\n')
      .slice(0, -1)
      .map((line) => line.replaceAll(`${folder}/`, '')),
  }
}

it('takes what all of these are made of', async () => {
  const { code, faults } = await evaluate(json(programme), observations.map(json).join('\n'))
  expect([code, faults]).toEqual([0, []])
})

describe('a programme', () => {
  const refused = async (text: string | Buffer) => {
    const { code, stdout, faults } = await evaluate(text, json(clock(on(2))))
    expect([code, stdout]).toEqual([1, ''])
    return faults
  }
  const places = leavesOf(programme)

  it.each(places.map((path) => [pathText(path), path] as const))(
    'names %s with a value of another type, and says what is expected',
    async (name, path) => {
      const isOptional = name.endsWith('.capFor')
      for (const value of otherTypes(valueAt(programme, path)).filter((other) => other !== null || !isOptional))
        expectOneFault(await refused(json(withValue(programme, path, value))), 'programme.json', name)
    },
  )

  it.each(places.filter((path) => path.at(-1) !== 'passes').map((path) => [pathText(path), path] as const))(
    'misses %s',
    async (name, path) => {
      expectOneFault(await refused(json(withValue(programme, path, undefined))), 'programme.json', name)
    },
  )

  it.each(objectsOf(programme).map((path) => [pathText(path) || 'the programme', path] as const))(
    'knows no more fields of %s',
    async (_, path) => {
      for (const field of ['extra', '__proto__', 'constructor', 'toString']) {
        const [fault, ...more] = await refused(withField(programme, path, field))
        expect(more).toEqual([])
        // An amount with another field is no amount.
        expect(fault).toMatch(
          /^programme\.json: .*(: expected no such field|expected \{ "amount": "2000\.00" \} or .*)$/,
        )
      }
    },
  )

  const text = json(programme)
  it.each<[string, string | Buffer, string]>([
    ['is empty', '', 'programme.json: expected JSON'],
    ['is a space', ' ', 'programme.json: expected JSON'],
    ['is null', 'null', 'programme.json: expected object, received null'],
    ['ends early', text.slice(0, -1), 'programme.json: expected JSON'],
    ['has something after its end', `${text}1`, 'programme.json: expected JSON'],
    ['has a NUL', text.replace('Every', 'Every\0'), 'programme.json: expected JSON'],
    ['is only NULs', '\0'.repeat(10), 'programme.json: expected JSON'],
    ['is UTF-16', Buffer.from(text, 'utf16le'), 'programme.json: expected JSON'],
    [
      'is UTF-16 with a mark',
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      'programme.json: expected a file of text that can be read (ERR_ENCODING_INVALID_ENCODED_DATA)',
    ],
    [
      'is no UTF-8',
      Buffer.from(text.replace('Every', 'Ev\u00e9ry'), 'latin1'),
      'programme.json: expected a file of text that can be read (ERR_ENCODING_INVALID_ENCODED_DATA)',
    ],
    ['opens 100,000 lists', '['.repeat(BRACKETS), 'programme.json: expected JSON'],
    ['is 100,000 lists', nested('[', ']'), 'programme.json: expected object, received array'],
    [
      'has 100,000 objects for a name',
      text.replace('"Every parameter"', nested('{"a":', '}', '1')),
      'programme.json: name: expected a text',
    ],
    [
      'has 100,000 objects for a limit',
      text.replace('"limit":{"percent":"10","of":"account-size"}', `"limit":${nested('{"a":', '}', '1')}`),
      'programme.json: stages[0].rules[0].limit: expected { "amount": "2000.00" } or { "percent": "5", "of": "account-size" or "high" }',
    ],
    ['has 100,000 empty rules', withRules(100_000, {}), 'programme.json: stages[0].rules: expected at most 100 rules'],
    ['has 100,000 rules', withRules(100_000, profitTarget()), 'programme.json: expected at most 1000000 bytes'],
    ['has 101 rules', withRules(101, profitTarget()), 'programme.json: stages[0].rules: expected at most 100 rules'],
    [
      'has 21 stages',
      json({ ...programme, stages: Array.from({ length: 21 }, () => programme.stages[0]) }),
      'programme.json: stages: expected at most 20 stages',
    ],
    ['has a field twice', text.replace('{', '{"currency":"EUR",'), 'programme.json:1: currency: expected once'],
    [
      'has a field twice, with an escape',
      text.replace('{', '{"curr\\u0065ncy":"EUR",'),
      'programme.json:1: currency: expected once',
    ],
    [
      'has a field twice deep inside',
      JSON.stringify(programme, null, 2).replace('"touch": "breach"', '"touch": "breach", "touch": "allowed"'),
      'programme.json:31: touch: expected once',
    ],
    [
      'has a field with a line break',
      text.replace('{', '{"a\\nb":1,'),
      'programme.json: a\\u000ab: expected no such field',
    ],
  ])('that %s', async (_, programmeText, fault) => {
    expect(await refused(programmeText)).toEqual([fault])
  })

  it.each<[string, Path, unknown, string]>([
    ['a zone', ['day', 'zone'], 'Europe/Nowhere', 'the IANA name of a time zone, like "Europe/Prague"'],
    ['a zone', ['day', 'zone'], '+01:00', 'the IANA name of a time zone, like "Europe/Prague"'],
    ['a zone', ['day', 'zone'], 'UTC+1', 'the IANA name of a time zone, like "Europe/Prague"'],
    ['a zone', ['day', 'zone'], '', 'the IANA name of a time zone, like "Europe/Prague"'],
    ['a zone', ['day', 'zone'], 'Europe/Prague\0', 'the IANA name of a time zone, like "Europe/Prague"'],
    ['a zone', ['day', 'zone'], '../etc/passwd', 'the IANA name of a time zone, like "Europe/Prague"'],
    ['a time', ['day', 'startsAt'], '24:00', 'a time of day like "17:00"'],
    ['a time', ['day', 'startsAt'], '7:00', 'a time of day like "17:00"'],
    ['a time', ['day', 'startsAt'], '17:00:00', 'a time of day like "17:00"'],
    ['a time', ['day', 'startsAt'], '17:60', 'a time of day like "17:00"'],
    ['an amount', ['accountSize'], '0.00', 'an amount above "0.00"'],
    ['an amount', ['accountSize'], '1e5', 'an amount like "2000.00"'],
    ['an amount', ['accountSize'], '-1.00', 'an amount like "2000.00"'],
    ['an amount', ['accountSize'], '100,000.00', 'an amount like "2000.00"'],
    ['an amount', ['accountSize'], '100000.00\n', 'an amount like "2000.00"'],
    ['an amount', ['accountSize'], '10000000000.00', 'an amount like "2000.00"'],
    ['a currency', ['currency'], 'usd', 'a currency like "USD"'],
    ['a count', ['stages', 0, 'rules', 5, 'days'], 0, '1 or more'],
    ['a count', ['stages', 0, 'rules', 5, 'days'], 1.5, 'a whole number'],
    ['a count', ['stages', 0, 'rules', 5, 'days'], 1e300, 'a whole number'],
    ['a share', ['stages', 0, 'rules', 7, 'share'], '0', 'a percentage above "0"'],
    ['a share', ['stages', 0, 'rules', 7, 'share'], '101', 'a percentage from "0" to "100", like "2.5"'],
  ])('with %s at %j that does not exist: %j', async (_, path, value, expectation) => {
    expect(await refused(json(withValue(programme, path, value)))).toEqual([
      `programme.json: ${pathText(path)}: expected ${expectation}`,
    ])
  })

  it('names each of many faults once', async () => {
    const wrong = { ...programme, name: 1, currency: 2, breaches: 3, extra: 4 }
    expect(await refused(json(wrong))).toEqual([
      'programme.json: name: expected a text',
      'programme.json: currency: expected a currency like "USD"',
      'programme.json: breaches: expected "proposed" or "automatically"',
      'programme.json: extra: expected no such field',
    ])
  })
})

describe('observations', () => {
  const refused = async (line: string | Buffer) => {
    const { code, stdout, faults } = await evaluate(
      json(programme),
      Buffer.concat([
        Buffer.from(`${json(clock(on(1)))}\n`),
        Buffer.from(line),
        Buffer.from(`\n${json(clock(on(3)))}`),
      ]),
    )
    expect([code, stdout]).toEqual([1, ''])
    return faults
  }
  const fields = observations.flatMap((one) =>
    Object.keys(one).map((field) => [String(one['kind']), field, one] as const),
  )

  it.each(fields)(
    'names the line of a %s with %s of another type, and says what is expected',
    async (_, field, one) => {
      for (const value of otherTypes(one[field]))
        expectOneFault(await refused(json({ ...one, [field]: value })), 'observations.jsonl:2', field)
    },
  )

  it.each(observations.map((one) => [String(one['kind']), one] as const))(
    'knows no more fields of a %s',
    async (_, one) => {
      for (const field of ['extra', '__proto__', 'constructor'])
        expect(await refused(withField(one, [], field))).toEqual([
          `observations.jsonl:2: ${field}: expected no such field`,
        ])
    },
  )

  const instant = 'at: expected an instant like "2026-11-02T09:30:00Z"'
  it.each<[string, string | Buffer, string]>([
    ['is empty but for a NUL', '\0', 'expected a JSON object'],
    ['has a NUL', json(clock(on(2))).replace('clock', 'clock\0'), 'expected a JSON object'],
    ['ends early', '{"at":', 'expected a JSON object'],
    ['is two objects', `${json(clock(on(2)))}${json(clock(on(2)))}`, 'expected a JSON object'],
    ['is a list', '[]', 'expected "kind" to be one of'],
    ['is null', 'null', 'expected "kind" to be one of'],
    ['opens 100,000 lists', '['.repeat(BRACKETS), 'expected at most 20000 characters of UTF-8'],
    ['is 9,000 lists', '['.repeat(9_000) + ']'.repeat(9_000), 'expected "kind" to be one of'],
    [
      'has 9,000 lists for a field',
      json(clock(on(2))).replace('}', `,"x":${'['.repeat(9_000)}${']'.repeat(9_000)}}`),
      'x: expected no such field',
    ],
    ['is no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'expected at most 20000 characters of UTF-8'],
    ['has a field twice', json(clock(on(2))).replace('{', '{"at":"2026-11-02T00:00:00Z",'), 'at: expected once'],
    ['has a field twice', json(clock(on(2))).replace('}', ', "\\u0061t":"2026-11-02T00:00:00Z"}'), 'at: expected once'],
    ['has a date that does not exist', json(clock('2026-02-30T00:00:00Z')), instant],
    ['has a date that does not exist', json(clock('2026-02-29T00:00:00Z')), instant],
    ['has a month that does not exist', json(clock('2026-13-01T00:00:00Z')), instant],
    ['has a time that does not exist', json(clock('2026-11-02T24:00:00Z')), instant],
    ['has a second that does not exist', json(clock('2026-11-02T23:59:60Z')), instant],
    ['has an offset that does not exist', json(clock('2026-11-02T12:00:00+25:00')), instant],
    ['has no offset', json(clock('2026-11-02T12:00:00')), instant],
    ['has a zone', json(clock('2026-11-02T12:00:00[Europe/Prague]')), instant],
    ['has a year of six digits', json(clock('+012026-11-02T12:00:00Z')), instant],
    ['has a part of a nanosecond', json(clock('2026-11-02T12:00:00.0000000001Z')), instant],
    [
      'has a date of a day that does not exist',
      json(wholeDay(on(2), '1.00', '1.00', '1.00', { date: '2026-02-30' })),
      'date: expected a date like "2026-11-02"',
    ],
    ['has minus nothing', json(trade(on(2), '-0.00')), 'profit: expected an amount like "2000.00" or "-2000.00"'],
    ['pays nothing', json(payout(on(2), '0.00')), 'amount: expected an amount above "0.00"'],
    ['pays less than nothing', json(payout(on(2), '-1.00')), 'amount: expected an amount like "2000.00"'],
  ])('whose line %s', async (_, line, fault) => {
    const [first, ...more] = await refused(line)
    expect(more).toEqual([])
    expect(first).toContain('observations.jsonl:2: ')
    expect(first).toContain(fault)
  })

  it.each<[string, Buffer, number]>([
    ['without a mark', Buffer.from(observations.map(json).join('\n'), 'utf16le'), observations.length],
    ['with a mark', Buffer.from(`\ufeff${observations.map(json).join('\n')}`, 'utf16le'), observations.length],
  ])('in UTF-16 %s: each line is a fault', async (_, bytes, lines) => {
    const { code, stdout, faults } = await evaluate(json(programme), bytes)
    expect([code, stdout]).toEqual([1, ''])
    expect(faults).toHaveLength(lines)
    for (const [index, fault] of faults.entries())
      expect(fault).toMatch(new RegExp(`^observations\\.jsonl:${index + 1}: expected (a JSON object|.* UTF-8)$`))
  })

  it.each<[string, Written, Written, string]>([
    ['a trade of another profit', trade(on(2), '1.00', { id: 'T' }), trade(on(2), '2.00', { id: 'T' }), 'id'],
    ['a trade of another instant', trade(on(2), '1.00', { id: 'T' }), trade(on(3), '1.00', { id: 'T' }), 'id'],
    [
      'a trade of another volume',
      trade(on(2), '1.00', { id: 'T' }),
      trade(on(2), '1.00', { id: 'T', volume: '1.1' }),
      'id',
    ],
    [
      'a day of another close',
      wholeDay(on(2), '1.00', '3.00', '2.00'),
      wholeDay(on(2), '1.00', '3.00', '3.00'),
      'date',
    ],
    [
      'a day of another quality',
      wholeDay(on(2), '1.00', '3.00', '2.00'),
      wholeDay(on(2), '1.00', '3.00', '2.00', { quality: 'computed' }),
      'date',
    ],
  ])('"A trade\'s id or a day\'s date with two contents is a fault.": %s', async (_, one, other, field) => {
    const { code, stdout, faults } = await evaluate(json(programme), [one, one, other].map(json).join('\n'))
    expect([code, stdout, faults]).toEqual([
      1,
      '',
      [`observations.jsonl:3: ${field}: expected the same content as in line 1`],
    ])
  })

  it('are none in an empty file', async () => {
    for (const nothing of ['', '\n', ' \n\r\n'])
      expect(await evaluate(json(programme), nothing)).toEqual({ code: 0, stdout: '', faults: [] })
  })

  it('names each of many faults once, in the order of the file', async () => {
    const { code, stdout, faults } = await evaluate(json(programme), ['{', json(clock(on(2))), '[]', '{}'].join('\n'))
    expect([code, stdout]).toEqual([1, ''])
    expect(faults.map((fault) => fault.replace(/: .*/, ''))).toEqual([
      'observations.jsonl:1',
      'observations.jsonl:3',
      'observations.jsonl:4',
    ])
  })
})

describe('the command line', () => {
  it.each(['2', '-1', '1e3', '1.0', 'NaN', 'Infinity', '', ' ', '+1', '0x1', '99999999999999999999', '\u0661'])(
    'refuses the stage %j',
    async (stage) => {
      expect(await evaluate(json(programme), json(clock(on(2))), `--stage=${stage}`)).toEqual({
        code: 1,
        stdout: '',
        faults: ['--stage: expected a stage of the programme, 0 to 1'],
      })
    },
  )

  it.each<[string, string[]]>([
    ['no file', []],
    ['one file', ['programme.json']],
    ['three files', ['programme.json', 'observations.jsonl', 'third.jsonl']],
    ['an option that does not exist', ['programme.json', 'observations.jsonl', '--level', '1']],
    ['a stage without its number', ['programme.json', 'observations.jsonl', '--stage']],
  ])('refuses %s', async (_, words) => {
    const { code, stdout, stderr } = await runCommand(['rules', 'evaluate', ...words], {})
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^error: .*\n/)
    expect(stderr).not.toMatch(/^ +at /m)
  })

  it('refuses words after `rules schema`', async () => {
    const { code, stdout, stderr } = await runCommand(['rules', 'schema', 'extra'], {})
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^error: .*\n/)
  })

  it.each([
    [
      'a missing programme',
      'missing',
      'observations.jsonl',
      'missing: expected a file of text that can be read (ENOENT)',
    ],
    ['a folder as programme', '.', 'observations.jsonl', '.: expected a file of text that can be read (EISDIR)'],
    ['missing observations', 'programme.json', 'missing', 'missing: expected a file that can be read (ENOENT)'],
    ['a folder as observations', 'programme.json', '.', '.: expected a file that can be read (EISDIR)'],
  ])('names %s', async (_, programmeName, observationsName, fault) => {
    await evaluate(json(programme), '')
    const names = [programmeName, observationsName].map((name) => `${folder}/${name}`)
    expect(await runCommand(['rules', 'evaluate', ...names], {})).toEqual({
      code: 1,
      stdout: '',
      stderr: `${folder}/${fault}\n`,
    })
  })
})

describe('files of 100 MB', () => {
  beforeAll(buildProgram)

  const onExit = "process.on('exit', () => console.error(`peak ${process.resourceUsage().maxRSS}`))"
  /** Runs the command as a process of its own. `peak` is its largest memory, in MB. */
  const measured = async () => {
    const environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(onExit)}` }
    const { code, stdout, stderr } = await runProgram(
      ['rules', 'evaluate', programmeFile, observationsFile],
      environment,
    )
    const [, fault, peak] = /^(?:(.*)\n)?peak (\d+)\n$/.exec(stderr) ?? []
    return { code, stdout, fault, peak: Number(peak) / 1024 }
  }

  /** The rest of the file is a hole, which reads as NULs and takes no disk. */
  const padded = (file: string, end: string) => {
    truncateSync(file, MEGABYTES_100)
    appendFileSync(file, end)
  }

  it('a line of 100 MB is a fault, and is never in memory', async () => {
    writeFileSync(programmeFile, json(programme))
    writeFileSync(observationsFile, '"')
    const { peak: small } = await measured()
    padded(observationsFile, `"\n${json(clock(on(2)))}\n`)
    const { peak, ...result } = await measured()
    expect(result).toEqual({
      code: 1,
      stdout: '',
      fault: `${observationsFile}:1: expected at most 20000 characters of UTF-8`,
    })
    expect(peak - small).toBeLessThan(64)
  })

  it('a programme of 100 MB is a fault, and is never in memory', async () => {
    writeFileSync(observationsFile, json(clock(on(2))))
    writeFileSync(programmeFile, '"')
    const { peak: small } = await measured()
    padded(programmeFile, '"')
    const { peak, ...result } = await measured()
    expect(result).toEqual({ code: 1, stdout: '', fault: `${programmeFile}: expected at most 1000000 bytes` })
    expect(peak - small).toBeLessThan(32)
  })
})

/** One line, which names the file and the place, or an object around the place, and what is expected. */
function expectOneFault(faults: readonly string[], file: string, place: string): void {
  expect(faults).toHaveLength(1)
  const [, named = '', expectation] = /^(.*?): (.*)$/.exec(faults[0]?.slice(file.length + 2) ?? '') ?? []
  expect(faults[0]?.slice(0, file.length + 2)).toBe(`${file}: `)
  expect(expectation).toMatch(/^(expected|\{ )/)
  expect(around(place)).toContain(named)
}

/** The place, and the objects and lists that it is in. */
function around(place: string): string[] {
  const outer = place.replace(/[.[][^.[]*$/, '')
  return outer === place ? [place] : [place, ...around(outer)]
}

/** Numbers for texts, texts for numbers and booleans, and what is neither. */
function otherTypes(value: unknown): unknown[] {
  const others = [null, [], {}, true, 1, '1']
  return others.filter((other) => typeof other !== typeof value || other === null)
}

function leavesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, part]) =>
    leavesOf(part, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}

function objectsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.entries(value).flatMap(([key, part]) =>
    objectsOf(part, [...path, Array.isArray(value) ? Number(key) : key]),
  )
  return Array.isArray(value) ? inside : [path, ...inside]
}

function valueAt(value: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined) return value
  return valueAt(new Map(Object.entries(Object(value))).get(String(key)), rest)
}

/** A copy with another value at the path; without a value where that is undefined. */
function withValue(whole: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(whole))
    return whole.map((part: unknown, index) => (index === key ? withValue(part, rest, value) : part))
  return { ...Object(whole), [key]: withValue(valueAt(whole, [key]), rest, value) }
}

/** JSON with one more field in the object at the path, also where assigning it would set a prototype. */
function withField(whole: unknown, path: Path, field: string): string {
  const marked = withValue(whole, [...path, 'MARK'], {})
  return json(marked).replace('"MARK"', `"${field}"`)
}

function withRules(count: number, rule: unknown): string {
  return json({
    ...programme,
    stages: [{ name: 'S', funded: false, rules: Array.from({ length: count }, () => rule) }],
  })
}

function nested(begin: string, end: string, middle = ''): string {
  return begin.repeat(BRACKETS) + middle + end.repeat(BRACKETS)
}

/** 'stages[0].rules[1].limit' */
function pathText(path: Path): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '')
}
