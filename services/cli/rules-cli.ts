import { faultsOf } from '#services/framework/api/faults.ts'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { Command } from 'commander'
import type { z } from 'zod'
import {
  type Calendar,
  calendarOf,
  contentOfPublication,
  emptyCalendar,
  type Publication,
  publication,
} from '#services/rules/calendar.ts'
import { evaluate, rulesOf, type Rules, startOf } from '#services/rules/engine.ts'
import {
  contentOf,
  identityOf,
  observation,
  type Observation,
  openedTooLate,
  orderedUnique,
} from '#services/rules/observation.ts'
import { printed } from '#services/rules/printed-line.ts'
import { type Programme, programme, programmeSchema } from '#services/rules/programme.ts'
import { dateOf } from '#services/rules/day-terms.ts'
import { type CommandLine, examples } from './command.ts'

/** A programme is written by people: a megabyte is far more than one needs. */
const LARGEST_PROGRAMME = 1_000_000
const LONGEST_LINE = 20_000
const MOST_PUBLICATIONS = 100_000
/** All movements of an account together, in cents. Below it, all sums and products are exact. */
const MOST_MOVED = 4e13

/** Reading and evaluating a file of this size takes seconds. */
const LONG_FILE = 10_000_000

interface Output extends Pick<CommandLine, 'print' | 'fail'> {
  readonly printError: (text: string) => void
  /** Whether people see what is printed. */
  readonly isTerminal: boolean
  readonly progress: ProgressOutput
}

/** The commands that apply the rules of a programme to a file, without an installation. */
export function addRulesCommands(program: Command, output: Output): void {
  const rules = program
    .command('rules')
    .description('print the format of programmes, and apply the rules of one to observations')
    .addHelpText('after', examples('rules schema', 'rules evaluate programme.json observations.jsonl'))

  rules
    .command('schema')
    .description('print the JSON Schema of a programme')
    .addHelpText('after', examples('rules schema > programme.schema.json'))
    .action(() => output.print(JSON.stringify(programmeSchema(), null, 2)))

  rules
    .command('evaluate')
    .description('print what holds after each observation, one JSON object a line')
    .argument('<programme>', 'file with a programme, as JSON')
    .argument('<observations>', 'file with observations, one JSON object a line')
    .option('--stage <number>', 'the stage of the programme; 0 is the first', '0')
    .option('--calendar <file>', 'file with publications of news, one JSON object a line')
    .addHelpText(
      'after',
      '\nAll files are checked to their ends before anything is printed.\n\nExample:\n  $ npx proofdesk rules evaluate programme.json observations.jsonl --stage 2',
    )
    .action(
      async (programmeFile: string, observationsFile: string, { stage, calendar: calendarFile }: EvaluateOptions) => {
        const progress = createProgressLine(output.progress, 'Evaluating')
        const fault = (text: string): void => {
          progress.clear()
          output.printError(text)
          output.fail()
        }
        const terms = await readProgramme(programmeFile, fault)
        if (!terms) return
        const last = terms.stages.length - 1
        if (!/^\d{1,3}$/.test(stage) || Number(stage) > last)
          return fault(`--stage: expected a stage of the programme, 0 to ${last}`)
        const calendar = calendarFile === undefined ? emptyCalendar : await readCalendar(calendarFile, fault)
        if (!calendar) return
        const compiled = rulesOf(terms, Number(stage), undefined, calendar)
        const size = await sizeOf(observationsFile)
        // Reading and checking take about as long as evaluating and printing.
        const onRead = (bytes: number): void => {
          if (size >= LONG_FILE) progress.show(Math.min(bytes / size, 1) / 2)
        }
        // Lines on a terminal are progress enough.
        const onPrinted = (share: number): void => {
          if (size >= LONG_FILE && !output.isTerminal) progress.show((1 + share) / 2)
        }
        try {
          const observations = await readObservations(observationsFile, compiled, fault, onRead)
          if (output.isTerminal) progress.clear()
          if (observations) printLines(compiled, observations, output.print, onPrinted)
        } finally {
          progress.clear()
        }
      },
    )
}

interface EvaluateOptions {
  readonly stage: string
  readonly calendar?: string
}

type Report = (fault: string) => void

/** In bytes; 0 for what cannot be read or has no size, such as a pipe. */
async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => null)
  return found ? found.size : 0
}

async function readProgramme(file: string, fault: Report): Promise<Programme | undefined> {
  let text: string
  try {
    if ((await stat(file)).size > LARGEST_PROGRAMME)
      return void fault(`${file}: expected at most ${LARGEST_PROGRAMME} bytes`)
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch (error) {
    return void fault(`${file}: expected a file of text that can be read${reasonOf(error)}`)
  }
  const value = parseJson(text)
  if (value === undefined) return void fault(`${file}: expected JSON`)
  const result = programme.safeParse(value)
  if (!result.success) {
    for (const issue of faultsIn(result.error)) fault(`${file}: ${issue}`)
    return undefined
  }
  const repeated = repeatedName(text)
  if (!repeated) return result.data
  return void fault(`${file}:${repeated.line}: ${repeated.name}: expected once`)
}

/** The observations in their order, each once. Undefined after a fault. */
async function readObservations(
  file: string,
  rules: Rules,
  report: Report,
  onRead: (bytes: number) => void,
): Promise<Observation[] | undefined> {
  const observations: Observation[] = []
  /** The line and the content of each trade and day. */
  const known = new Map<string, KnownLine>()
  const isValid = await readLines(file, observation, { report, onRead }, (observed, line, fault) => {
    if (observed.kind === 'day' && dateOf(rules.days.dayOf(observed.at.ms)) !== observed.date)
      fault(`at: expected an instant of the trading day ${observed.date}`)
    const tooLate = observed.kind === 'trade' ? openedTooLate(observed) : null
    if (tooLate !== null) fault(`openedAt: expected an instant up to the close: ${tooLate}`)
    const identity = identityOf(observed)
    if (identity) {
      const earlier = knownBefore(known, `${observed.kind} ${identity.value}`, { line, content: contentOf(observed) })
      if (earlier) fault(`${identity.field}: expected the same content as in line ${earlier}`)
    }
    observations.push(observed)
  })
  if (!isValid) return undefined
  const ordered = orderedUnique(observations)
  if (movedIn(ordered) <= MOST_MOVED) return ordered
  report(`${file}: expected changes of the balance of at most ${MOST_MOVED / 100} in all`)
  return undefined
}

/** The calendar of a file, "at most 100,000" lines (behaviour.md). Undefined after a fault. */
async function readCalendar(file: string, report: Report): Promise<Calendar | undefined> {
  const publications: Publication[] = []
  const known = new Map<string, KnownLine>()
  const isValid = await readLines(file, publication, { report, most: MOST_PUBLICATIONS }, (one, line, fault) => {
    const { id, publishedAt } = one
    const key = JSON.stringify([id, publishedAt.ms, publishedAt.ns])
    const isKnown = known.has(key)
    const earlier = knownBefore(known, key, { line, content: contentOfPublication(one) })
    if (earlier) fault(`id: expected the same content as in line ${earlier}, or published at another instant`)
    else if (!isKnown) publications.push(one)
  })
  return isValid ? calendarOf(publications) : undefined
}

interface KnownLine {
  readonly line: number
  readonly content: string
}

/** Remembers a line; the number of an earlier one of the same key with another content, or null. */
function knownBefore(known: Map<string, KnownLine>, key: string, line: KnownLine): number | null {
  const earlier = known.get(key)
  if (!earlier) known.set(key, line)
  return earlier && earlier.content !== line.content ? earlier.line : null
}

interface Reading {
  readonly report: Report
  readonly onRead?: (bytes: number) => void
  /** The most lines that are taken; by default any number. */
  readonly most?: number
}

/** Reads JSON lines to the end of a file, and reports each fault with its line. Returns false after a fault. */
async function readLines<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  { report, onRead = () => {}, most = Infinity }: Reading,
  take: (value: z.output<Schema>, line: number, fault: Report) => void,
): Promise<boolean> {
  let [isValid, number, taken] = [true, 0, 0]
  const fault = (text: string): void => {
    isValid = false
    report(`${file}:${number}: ${text}`)
  }
  try {
    for await (const line of linesOf(file, onRead)) {
      number += 1
      if (line === null) {
        fault(`expected at most ${LONGEST_LINE} characters of UTF-8`)
        continue
      }
      if (line.trim() === '') continue
      taken += 1
      if (taken > most) {
        fault(`expected at most ${most} lines`)
        return false
      }
      const value = parseJson(line)
      if (value === undefined) {
        fault('expected a JSON object')
        continue
      }
      const result = schema.safeParse(value)
      if (!result.success) {
        for (const issue of faultsIn(result.error)) fault(issue)
        continue
      }
      // A line that JSON writes again to the letter has no name twice.
      const repeated = JSON.stringify(value) === line ? null : repeatedName(line)
      if (repeated) fault(`${repeated.name}: expected once`)
      take(result.data, number, fault)
    }
  } catch (error) {
    isValid = false
    report(`${file}: expected a file that can be read${reasonOf(error)}`)
  }
  return isValid
}

/** How much the balance moves up and down in all. */
function movedIn(observations: readonly Observation[]): number {
  let [moved, balance] = [0, 0]
  for (const one of observations)
    if ('balance' in one) {
      moved += Math.abs(one.balance - balance) + Math.abs(one.equity - one.balance) / 1000
      balance = one.balance
    } else if ('profit' in one) moved += Math.abs(one.profit)
    else if ('amount' in one) moved += Math.abs(one.amount)
  return moved
}

/** The lines of a file; null for one that is too long or is no UTF-8. Such a line is not kept in memory. */
async function* linesOf(file: string, onRead: (bytes: number) => void): AsyncGenerator<string | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes: Buffer): string | null => {
    try {
      return decoder.decode(bytes)
    } catch {
      return null
    }
  }
  let rest: Buffer = Buffer.alloc(0)
  let isTooLong = false
  const stream = createReadStream(file)
  for await (const chunk of stream) {
    onRead(stream.bytesRead)
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    let start = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      const line = rest.length > 0 ? Buffer.concat([rest, bytes.subarray(start, end)]) : bytes.subarray(start, end)
      yield isTooLong || line.length > LONGEST_LINE ? null : decode(line)
      rest = Buffer.alloc(0)
      isTooLong = false
      start = end + 1
    }
    if (!isTooLong) rest = Buffer.concat([rest, bytes.subarray(start)])
    if (rest.length > LONGEST_LINE) {
      isTooLong = true
      rest = Buffer.alloc(0)
    }
  }
  if (isTooLong) yield null
  else if (rest.length > 0) yield decode(rest)
}

function printLines(
  rules: Rules,
  observations: readonly Observation[],
  print: (text: string) => void,
  onPrinted: (share: number) => void,
): void {
  let state = startOf(rules)
  let lines: string[] = []
  for (const [index, one] of observations.entries()) {
    const next = evaluate(rules, state, one)
    state = next.state
    lines.push(JSON.stringify(printed(next.line)))
    if (lines.length === 1000) {
      print(lines.join('\n'))
      lines = []
      onPrinted((index + 1) / observations.length)
    }
  }
  if (lines.length > 0) print(lines.join('\n'))
}

/** Undefined for what is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One line a fault: where, and what is expected there. Of several expectations of one place the first says enough. */
function faultsIn(error: z.ZodError): string[] {
  return [...faultsOf(error)].map(([place, message]) =>
    place === '' ? asExpectation(message) : `${place}: ${asExpectation(message)}`,
  )
}

/** Zod says 'Invalid input' of a text in a wrong format. */
function asExpectation(message: string): string {
  return message.replace(/^Invalid input$/, 'expected one of the forms in rules.md')
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
}

/** A text, or where an object begins or ends. */
const TOKENS = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}]/g

/**
 * The first name that stands twice in one object of a valid JSON text, and its line. `JSON.parse` would keep the last of
 * the values without a word; of a rule or an observation nobody could say which one holds.
 */
function repeatedName(json: string): { readonly name: string; readonly line: number } | null {
  const open: Set<string>[] = []
  for (const { 0: token, 1: text = '', 2: isName, index } of json.matchAll(TOKENS)) {
    const names = open.at(-1)
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (isName !== undefined && names) {
      // Escapes write the same name in another way.
      const name = text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text
      if (names.has(name)) return { name, line: json.slice(0, index).split('\n').length }
      names.add(name)
    }
  }
  return null
}

/** A terminal, or what stands for one. `process.stderr` is one where people look at it. */
interface ProgressOutput {
  readonly isTerminal: boolean
  readonly write: (text: string) => void
}

const CLEAR_LINE = '\r\u001b[2K'

/** One line on a terminal that says how far long work is, as 'Evaluating … 42 %'. Elsewhere nothing is written. */
function createProgressLine({ isTerminal, write }: ProgressOutput, work: string) {
  let shown: number | null = null
  return {
    /** Says how much is done, from 0 to 1. */
    show(share: number): void {
      const percent = Math.floor(share * 100)
      if (!isTerminal || percent === shown) return
      shown = percent
      write(`${CLEAR_LINE}${work} … ${percent} %`)
    },
    /** Removes the line, so that something else can be written. The next `show` writes it again. */
    clear(): void {
      if (shown !== null) write(CLEAR_LINE)
      shown = null
    },
  }
}
