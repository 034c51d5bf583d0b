import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { createRandom } from '../demo/random.ts'
import { toDecimal } from '#services/rules/money.ts'
import { evaluate, type Line, rulesOf, startOf } from '#services/rules/engine.ts'
import { type Observation, observation } from '#services/rules/observation.ts'
import { printed } from '#services/rules/printed-line.ts'
import { type Programme, programme } from '#services/rules/programme.ts'
import { below, type Figure, median, type Settings, type Subject, whole } from './figures.ts'
import { runCommand, scratchFolder } from './programs.ts'

const OBSERVATIONS = 120_000
const LONG_FILE = 1_000_000
const ROUNDS = 5
/** Observations a second. */
const LEAST = 200_000
/** In ms, and in MB. */
const COLD = 500
const MOST_MEMORY = 2_000

/** How fast the rules of a programme are applied. propfirm-engine publishes 205,000 evaluations a second. */
export const rules: Subject = {
  name: 'rules',
  about: 'a funded stage of eight rules with payouts, on one core; `rules evaluate` of a file, as a process of its own',

  async measure({ say }: Settings): Promise<readonly Figure[]> {
    const { evaluate: evaluations, print: prints } = await ratesOnOneCore()
    say(`evaluate: ${evaluations.map(whole).join(', ')}/s; print: ${prints.map(whole).join(', ')}/s`)
    const folder = scratchFolder('rules')
    const evaluation = median(evaluations)
    return [
      {
        what: 'observations that are evaluated (propfirm-engine publishes 205,000 evaluations a second), by processor time',
        value: `${whole(evaluation)} a second`,
        goal: { text: `≥ ${whole(LEAST)}`, met: evaluation >= LEAST },
      },
      { what: '  lines that are printed as JSON, the same', value: `${whole(median(prints))} a second` },
      await coldStart(folder),
      ...(await longFile(folder)),
    ]
  },
}

/** By a process of its own that also collects its garbage in its one thread: then its processor time is that of a core. */
async function ratesOnOneCore() {
  const child = fileURLToPath(new URL('rules.child.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--single-threaded-gc', '--import', 'tsx', child])
  return z.object({ evaluate: z.array(z.number()), print: z.array(z.number()) }).parse(JSON.parse(stdout))
}

async function coldStart(folder: string): Promise<Figure> {
  const words = ['rules', 'evaluate', programmeFile(folder), await observationsFile(folder, 100)]
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) times.push((await runCommand(words, folder)).ms)
  return below('rules evaluate of 100 observations, cold', COLD, median(times), 'ms')
}

async function longFile(folder: string): Promise<readonly Figure[]> {
  const words = ['rules', 'evaluate', programmeFile(folder), await observationsFile(folder, LONG_FILE)]
  const { ms, memory } = await runCommand(words, folder, { outputIsDropped: true })
  return [
    below(`peak memory for ${whole(LONG_FILE)} observations`, MOST_MEMORY, memory, 'MB'),
    { what: '  its time', value: `${(ms / 1000).toFixed(1)} s` },
  ]
}

let parsed: readonly Observation[] | undefined
const observations = () =>
  (parsed ??= [...writtenObservations(OBSERVATIONS)].map((written) => observation.parse(written)))

/** Evaluates all observations, and returns how many in a second. */
export function evaluateAll(): number {
  const all = observations()
  const began = process.cpuUsage()
  lastOf(all)
  return (all.length / msSince(began)) * 1_000
}

function lastOf(all: readonly Observation[]): Line | undefined {
  const stage = rulesOf(terms, 0)
  let state = startOf(stage)
  let last: Line | undefined
  for (const one of all) {
    const next = evaluate(stage, state, one)
    state = next.state
    last = next.line
  }
  if (last?.status !== 'in-progress') throw new Error('The stage ended early: what follows would be quick')
  return last
}

/** Prints the lines of all observations, a part at a time, and returns how many in a second. */
export function printAll(): number {
  const stage = rulesOf(terms, 0)
  let state = startOf(stage)
  let [ms, length] = [0, 0]
  const all = observations()
  for (let start = 0; start < all.length; start += 1_000) {
    const lines: Line[] = []
    for (const one of all.slice(start, start + 1_000)) {
      const next = evaluate(stage, state, one)
      state = next.state
      lines.push(next.line)
    }
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

const amount = (text: string) => ({ amount: text })
const percent = (text: string) => ({ percent: text, of: 'account-size' as const })
const breach = { checked: 'every-change', touch: 'breach', consequence: 'breach' } as const

const terms: Programme = programme.parse({
  name: 'Funded 100K',
  currency: 'USD',
  accountSize: '100000.00',
  day: { zone: 'Europe/Prague', startsAt: '00:00' },
  breaches: 'proposed',
  stages: [
    {
      name: 'Funded',
      funded: true,
      rules: [
        {
          kind: 'maximum-loss',
          limit: percent('10'),
          follows: { value: 'equity', at: 'every-change' },
          locksAbove: amount('0.00'),
          measures: 'equity',
          ...breach,
        },
        { kind: 'daily-loss', limit: percent('5'), from: 'day-start-higher', measures: 'equity', ...breach },
        {
          kind: 'daily-loss',
          limit: { percent: '2.5', of: 'day-high-equity' },
          from: 'day-high-equity',
          measures: 'lower',
          ...breach,
          consequence: 'warning',
        },
        { kind: 'profit-target', target: percent('1'), measures: 'balance', whileOpen: false },
        {
          kind: 'minimum-days',
          days: 5,
          counts: { what: 'profit', atLeast: amount('50.00'), of: 'closed' },
          since: 'last-payout',
        },
        { kind: 'maximum-days', days: 1_000_000, counts: 'calendar', consequence: 'breach' },
        { kind: 'inactivity', days: 30, consequence: 'breach' },
        {
          kind: 'consistency',
          share: '40',
          unit: 'day',
          profit: 'net',
          since: 'last-payout',
          effect: 'withholds',
        },
      ],
      payouts: {
        takes: 'request',
        split: '80',
        splitAfter: [{ payouts: 3, split: '90' }],
        firstAfterDays: 14,
        firstCountsFrom: 'first-trade',
        everyDays: 14,
        minimum: amount('50.00'),
        minimumOf: 'share',
        cap: percent('5'),
        capFor: 5,
        buffer: amount('500.00'),
        mostOfProfit: '80',
        floor: 'stays',
      },
    },
  ],
})

function programmeFile(folder: string): string {
  const file = join(folder, 'programme.json')
  writeFileSync(file, JSON.stringify(terms))
  return file
}

async function observationsFile(folder: string, count: number): Promise<string> {
  const file = join(folder, `${count}.jsonl`)
  const stream = createWriteStream(file)
  for (const written of writtenObservations(count))
    if (!stream.write(`${JSON.stringify(written)}\n`)) await once(stream, 'drain')
  await new Promise<void>((resolve) => stream.end(resolve))
  return file
}

const MINUTE = 60_000
/** An observation every seven minutes makes about 200 a day. */
const EVERY = 7 * MINUTE

/**
 * An account that earns about as much as it pays out: mostly states of open positions, a trade after every ten of them,
 * and a payout about every two weeks.
 */
function* writtenObservations(count: number): Generator<Readonly<Record<string, unknown>>> {
  const random = createRandom(7)
  let [balance, paidOn] = [10_400_000, 0]
  for (let number = 0; number < count; number++) {
    const ms = Date.UTC(2000, 0, 3) + number * EVERY
    const at = new Date(ms).toISOString()
    if (number % 10 === 0) {
      const profit = Math.round(random.normal() * 15_000) + (balance < 10_400_000 ? 4_000 : -1_000)
      balance += profit
      yield {
        at,
        kind: 'trade',
        id: `T${number}`,
        openedAt: new Date(ms - 9 * EVERY).toISOString(),
        profit: toDecimal(profit),
        volume: '1.00',
      }
    } else if (number - paidOn > 3_000 && balance > 10_350_000) {
      const paid = 100_000
      balance -= paid
      paidOn = number
      yield { at, kind: 'payout', amount: toDecimal(paid) }
    } else {
      const open = number % 10 > 1
      const equity = balance + (open ? Math.round(random.normal() * 20_000) : 0)
      yield { at, kind: 'state', balance: toDecimal(balance), equity: toDecimal(equity), open, quality: 'reported' }
    }
  }
}
