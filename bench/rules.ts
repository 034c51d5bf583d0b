import { execFile } from 'node:child_process'
import { createWriteStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { z } from 'zod'
import { createRandom } from '../demo/random.ts'
import { toDecimal } from '#services/rules/money.ts'
import { type Calendar, calendarOf, publication } from '#services/rules/calendar.ts'
import { evaluate, type Line, type Rules, rulesOf, startOf } from '#services/rules/engine.ts'
import { type Observation, observation } from '#services/rules/observation.ts'
import { printed } from '#services/rules/printed-line.ts'
import { type Programme, programme } from '#services/rules/programme.ts'
import {
  consistency,
  dailyLoss,
  fixed,
  inactivity,
  maximumDays,
  maximumLoss,
  minimumDays,
  percent,
  payout,
  payouts,
  profitTarget,
  rule,
  state,
  trade,
  type Written,
} from '#test-support/rules.ts'
import { below, type Figure, median, type Settings, type Subject, whole } from './figures.ts'
import { runCommand, scratchFolder } from './programs.ts'

const OBSERVATIONS = 120_000
const LONG_FILE = 1_000_000
const ROUNDS = 5
/** Observations a second. */
const LEAST = 200_000
/** With all kinds of rules at once, and so many entries of the calendar. */
const LEAST_OF_ALL = 100_000
const NEWS = 10_000
/** In ms, and in MB. */
const COLD = 500
const MOST_MEMORY = 2_000

/** How fast the rules of a programme are applied. propfirm-engine publishes 205,000 evaluations a second. */
export const rules: Subject = {
  name: 'rules',
  about: 'a funded stage of eight rules with payouts, on one core; `rules evaluate` of a file, as a process of its own',

  async measure({ say }: Settings): Promise<readonly Figure[]> {
    const { evaluate: evaluations, all, print: prints } = await ratesOnOneCore()
    say(
      `evaluate: ${evaluations.map(whole).join(', ')}/s; all kinds: ${all.map(whole).join(', ')}/s; print: ${prints.map(whole).join(', ')}/s`,
    )
    const evaluation = median(evaluations)
    const published = 'propfirm-engine publishes 205,000 evaluations a second'
    return [
      {
        what: `observations that are evaluated (${published}), by processor time`,
        value: `${whole(evaluation)} a second`,
        goal: { text: `≥ ${whole(LEAST)}`, met: evaluation >= LEAST },
      },
      {
        what: `  with eight more rules, of all kinds, and ${whole(NEWS)} entries of the calendar`,
        value: `${whole(median(all))} a second`,
        goal: { text: `≥ ${whole(LEAST_OF_ALL)}`, met: median(all) >= LEAST_OF_ALL },
      },
      { what: '  lines that are printed as JSON, the same', value: `${whole(median(prints))} a second` },
      ...(await commandLine(scratchFolder('rules'))),
    ]
  },
}

/** By a process of its own that also collects its garbage in its one thread: then its processor time is that of a core. */
async function ratesOnOneCore() {
  const child = fileURLToPath(new URL('rules.child.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--single-threaded-gc', '--import', 'tsx', child])
  const rates = z.array(z.number())
  return z.object({ evaluate: rates, all: rates, print: rates }).parse(JSON.parse(stdout))
}

/** `rules evaluate` of a short file with nothing warm, and of a long one. */
async function commandLine(folder: string): Promise<readonly Figure[]> {
  const file = join(folder, 'programme.json')
  writeFileSync(file, JSON.stringify(terms))
  const run = async (observed: string, outputIsDropped = false) =>
    runCommand(['rules', 'evaluate', file, observed], folder, { outputIsDropped })
  const short = await observationsFile(folder, 100)
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) times.push((await run(short)).ms)
  const { ms, memory } = await run(await observationsFile(folder, LONG_FILE), true)
  return [
    below('rules evaluate of 100 observations, cold', COLD, median(times), 'ms'),
    below(`peak memory for ${whole(LONG_FILE)} observations`, MOST_MEMORY, memory, 'MB'),
    { what: '  its time', value: `${(ms / 1000).toFixed(1)} s` },
  ]
}

let parsed: readonly Observation[] | undefined
const observations = () =>
  (parsed ??= [...writtenObservations(OBSERVATIONS)].map((written) => observation.parse(written)))

/** Evaluates one observation after the other. */
function evaluation(stage = rulesOf(terms, 0)): (one: Observation) => Line {
  let state = startOf(stage)
  return (one) => {
    const next = evaluate(stage, state, one)
    state = next.state
    return next.line
  }
}

/** Evaluates all observations, and returns how many in a second. */
export function evaluateAll(stage?: Rules): number {
  const all = observations()
  const began = process.cpuUsage()
  const next = evaluation(stage)
  let last: Line | undefined
  for (const one of all) last = next(one)
  const ms = msSince(began)
  if (last?.status !== 'in-progress') throw new Error('The stage ended early: what follows would be quick')
  return (all.length / ms) * 1_000
}

/** The same with all kinds of rules. */
export function evaluateAllKinds(): number {
  return evaluateAll(rulesOf(ofAllKinds, 0, undefined, calendar()))
}

let news: Calendar | undefined
/** One entry about every hour and a half. */
const calendar = () =>
  (news ??= calendarOf(
    Array.from({ length: NEWS }, (_, number) =>
      publication.parse({
        ...{ id: `N${number}`, at: new Date(Date.UTC(2000, 0, 3) + number * 90 * 60_000).toISOString() },
        ...{ currency: ['USD', 'EUR', 'GBP', 'JPY'][number % 4], impact: ['low', 'medium', 'high'][number % 3] },
        ...{ title: 'News', publishedAt: '2000-01-01T00:00:00Z' },
      }),
    ),
  ))

/** Prints the lines of all observations, a part at a time, and returns how many in a second. */
export function printAll(): number {
  const next = evaluation()
  const all = observations()
  let [ms, length] = [0, 0]
  for (let start = 0; start < all.length; start += 1_000) {
    const lines = all.slice(start, start + 1_000).map(next)
    const began = process.cpuUsage()
    for (const line of lines) length += JSON.stringify(printed(line)).length
    ms += msSince(began)
  }
  if (length === 0) throw new Error('Nothing was printed')
  return (all.length / ms) * 1_000
}

/** Processor time, which other work on the machine disturbs less. */
function msSince(began: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1_000
}

const terms: Programme = programme.parse({
  ...{ name: 'Funded 100K', currency: 'USD', accountSize: '100000.00', breaches: 'proposed' },
  day: { zone: 'Europe/Prague', startsAt: '00:00' },
  stages: [
    {
      ...{ name: 'Funded', funded: true },
      rules: [
        maximumLoss({ follows: { value: 'equity', at: 'every-change' }, locksAbove: fixed('0.00') }),
        dailyLoss({ from: 'day-start-higher' }),
        dailyLoss({
          ...{ limit: { percent: '2.5', of: 'day-high-equity' }, from: 'day-high-equity' },
          ...{ measures: 'lower', consequence: 'warning' },
        }),
        profitTarget({ target: percent('1'), whileOpen: false }),
        minimumDays({
          ...{ days: 5, since: 'last-payout' },
          counts: { what: 'profit', atLeast: fixed('50.00'), of: 'closed' },
        }),
        maximumDays({ days: 1_000_000 }),
        inactivity({ days: 30 }),
        consistency({ share: '40', unit: 'day', profit: 'net', since: 'last-payout', effect: 'withholds' }),
      ],
      payouts: payouts({
        ...{ splitAfter: [{ payouts: 3, split: '90' }], minimum: fixed('50.00'), cap: percent('5'), capFor: 5 },
        ...{ firstAfterDays: 14, firstCountsFrom: 'first-trade', everyDays: 14 },
        ...{ buffer: fixed('500.00'), mostOfProfit: '80' },
      }),
    },
  ],
})

const ofAllKinds: Programme = {
  ...terms,
  stages: terms.stages.map((stage) => ({
    ...stage,
    rules: [
      ...stage.rules,
      rule({ kind: 'holding-time', atLeast: 60, of: 'all' }),
      rule({ kind: 'flat-at', at: '16:50', weekdays: [5], symbols: null, zone: 'America/New_York' }),
      rule({
        ...{ kind: 'news', before: 2, after: 2, judges: 'either', impacts: ['high'] },
        ...{ consequence: 'excludes-profit', counts: '40' },
      }),
      rule({ kind: 'volume', most: '2.00', per: 'open', symbols: ['XAU*'] }),
      rule({ kind: 'symbols', allowed: null, forbidden: ['BTC*'] }),
      rule({ kind: 'hedging' }),
      rule({ kind: 'trades-per-day', most: 20, day: 'opened' }),
      rule({ kind: 'short-trades', shorterThan: 60, by: 'profit', mostShare: '50', since: 'stage' }),
    ],
  })),
}

async function observationsFile(folder: string, count: number): Promise<string> {
  const file = join(folder, `${count}.jsonl`)
  await pipeline(function* () {
    for (const written of writtenObservations(count)) yield `${JSON.stringify(written)}\n`
  }, createWriteStream(file))
  return file
}

/** An observation every seven minutes makes about 200 a day. In ms. */
const EVERY = 7 * 60_000
/** In cents. */
const PAID = 100_000

/**
 * An account that earns about as much as it pays out: mostly states of open positions, a trade after every ten of them,
 * and a payout about every two weeks.
 */
function* writtenObservations(count: number): Generator<Written> {
  const random = createRandom(7)
  let [balance, paidOn] = [10_400_000, 0]
  for (let number = 0; number < count; number++) {
    const ms = Date.UTC(2000, 0, 3) + number * EVERY
    const at = new Date(ms).toISOString()
    if (number % 10 === 0) {
      const profit = Math.round(random.normal() * 15_000) + (balance < 10_400_000 ? 4_000 : -1_000)
      balance += profit
      const openedAt = new Date(ms - 9 * EVERY).toISOString()
      yield trade(at, toDecimal(profit), {
        ...{ id: `T${number}`, openedAt, symbol: number % 20 === 0 ? 'EURUSD' : 'XAUUSD' },
        side: number % 30 === 0 ? 'sell' : 'buy',
      })
    } else if (number - paidOn > 3_000 && balance > 10_350_000) {
      balance -= PAID
      paidOn = number
      yield payout(at, toDecimal(PAID))
    } else {
      const open = number % 10 > 1
      const equity = balance + (open ? Math.round(random.normal() * 20_000) : 0)
      yield state(at, toDecimal(balance), toDecimal(equity), { open, quality: 'reported' })
    }
  }
}
