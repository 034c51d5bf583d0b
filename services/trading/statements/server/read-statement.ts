import { createHash } from 'node:crypto'
import {
  type DateOrder,
  dateOrders,
  type DecimalMark,
  decimalMarks,
  isStatementFormat,
  LARGEST_FILE,
  MOST_FILE_ROWS,
  type StatementFile,
  statementFormats,
  statementKinds,
  type StatementOptions,
  type StatementRead,
} from '../statement-vocabulary.ts'
import { refusedFiles } from './refused-files.ts'
import { withIds } from './repeated-ids.ts'
import { saysOf } from './statement-checks.ts'
import type { ReadTime, RecognisedStatement, StatementFormat, Values } from './statement-format.ts'
import { formats } from './statement-formats.ts'
import { sourceOf } from './sources/read-source.ts'
import type { Source } from './sources/source.ts'
import {
  LargeStatement,
  type RecognisedFile,
  type StatementField,
  UnreadableCell,
  UnreadableStatement,
  unreadableFile,
} from './unreadable-statement.ts'
import { decimalIn, decimalMarkOf } from './values/decimal.ts'
import { type Clock, clockOf, dateOrderOf, instantText, type PartOrder, timeIn, timeOfSerial } from './values/times.ts'
import { zoneHints } from './zone-hints.ts'

/**
 * Reads a statement as a platform writes it (statements.md). Pure: the same bytes and options give the same.
 *
 * @throws {UnreadableStatement} with each fault {@link LargeStatement}
 */
export function readStatement(bytes: Uint8Array, options: StatementOptions): StatementRead {
  if (bytes.length > LARGEST_FILE) throw new LargeStatement()
  const given = readOptions(options)
  const source = sourceOf(bytes)
  const { format, recognised } = recognisedIn(source, options)
  const faults: { readonly field: StatementField; readonly message: string }[] = []
  const settled = <Value>(field: StatementField, value: Value | { readonly fault: string }, instead: Value): Value => {
    if (!isFault(value)) return value
    faults.push({ field, message: value.fault })
    return instead
  }
  const zone = settled('zone', zoneOf(recognised, options.zone), NO_ZONE)
  const mark = settled('decimal', markOf(recognised, given.decimal), '.')
  const order = settled('dates', orderOf(recognised, given.dates), 'year-first')
  if (faults.length > 0) throw unreadable(faults, { format: format.id, ...recognised.account })

  const values = createValues(mark, order, zone, source)
  const { rows: read, checks, until } = recognised.read(values)
  if (read.length > MOST_FILE_ROWS) throw new LargeStatement()
  const hasOwnZone = zone.from !== 'given'
  const { rows, checks: ofIds } = withIds(read, recognised.again ?? format.again, hasOwnZone)
  const allChecks = [...checks, ...ofIds]
  const times = read.flatMap(({ opened, closed }) => [opened, closed]).filter((time) => time !== null)
  return {
    file: {
      format: format.id,
      encoding: source.encoding,
      kind: statementFormats[format.id].kind,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      zone: { name: zone.name, from: zone.from },
      account: recognised.account,
      until: until && instantText(until.ms),
    },
    rows,
    checks: allChecks,
    hints: hasOwnZone || zone.name === null ? [] : zoneHints(times, zone.name),
    says: saysOf(allChecks),
  }
}

function unreadable(faults: UnreadableStatement['faults'], recognised: RecognisedFile): UnreadableStatement {
  const error = new UnreadableStatement(...faults)
  error.recognised = recognised
  return error
}

function isFault(value: unknown): value is { readonly fault: string } {
  return typeof value === 'object' && value !== null && 'fault' in value
}

/** @throws {UnreadableStatement} for an option that has none of its values. */
function readOptions({ format, kind, decimal, dates }: StatementOptions) {
  const faults: { readonly field: StatementField; readonly message: string }[] = []
  const oneOf = <Value extends string>(field: StatementField, values: readonly Value[], text: string | undefined) => {
    const found = values.find((value) => value === text)
    if (text !== undefined && found === undefined) faults.push({ field, message: `expected ${listed(values)}` })
    return found ?? null
  }
  const read: { readonly decimal: DecimalMark | null; readonly dates: DateOrder | null } = {
    decimal: oneOf('decimal', decimalMarks, decimal),
    dates: oneOf('dates', dateOrders, dates),
  }
  oneOf('kind', statementKinds, kind)
  if (format !== undefined) oneOf('format', Object.keys(statementFormats), format)
  if (faults.length > 0) throw new UnreadableStatement(...faults)
  return read
}

function listed(values: readonly string[]): string {
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1) ?? ''}`
}

/** @throws {UnreadableStatement} where no format fits, another one than given, or several. */
function recognisedIn(source: Source, { format: id, kind }: StatementOptions) {
  const refused = refusedFiles.find((file) => file.isThis(source))
  if (refused) throw unreadableFile(refused.advice)
  const fitting = formats.flatMap((format) => {
    const recognised = format.recognise(source)
    return recognised ? [{ format, recognised }] : []
  })
  const wanted = fitting.filter(({ format }) => (id === undefined || format.id === id) && isOfKind(format, kind))
  const [only, ...others] = wanted
  if (only && others.length === 0) return only
  const names = (wanted.length > 0 ? wanted : fitting).map(
    ({ format }) => `${format.id} (${statementFormats[format.id].name})`,
  )
  if (only)
    throw new UnreadableStatement({
      field: 'format',
      message: `expected one of these formats, which both fit: ${listed(names)}`,
    })
  if (fitting.length === 0 && id === undefined)
    throw new UnreadableStatement({
      field: 'mapping',
      message: 'No format fits this file: please say which columns it has.',
    })
  if (id !== undefined && !fitting.some(({ format }) => format.id === id)) {
    const name = isStatementFormat(id) ? statementFormats[id].name : id
    const instead = names.length > 0 ? `: it is ${names.join(', ')}` : ''
    throw new UnreadableStatement({ field: 'format', message: `this file is no ${name}${instead}` })
  }
  throw new UnreadableStatement({ field: 'kind', message: `this file is of another kind: it is ${names.join(', ')}` })
}

function isOfKind(format: StatementFormat, kind: string | undefined): boolean {
  return kind === undefined || statementFormats[format.id].kind === kind
}

interface Zone {
  readonly name: string | null
  readonly from: StatementFile['zone']['from']
  /** Null where each cell has its offset. */
  readonly clock: Clock | null
}

const NO_ZONE: Zone = { name: null, from: 'rows', clock: null }

function zoneOf({ zone }: RecognisedStatement, given: string | undefined): Zone | { readonly fault: string } {
  if (zone === 'asked') {
    if (given === undefined)
      return { fault: 'expected the time zone of the file, like "Europe/Prague" or "America/New_York+7"' }
    const clock = clockOf(given)
    return typeof clock === 'string' ? { fault: clock } : { name: given, from: 'given', clock }
  }
  if (given !== undefined) return { fault: `expected none: the file says its own zone${zone === 'UTC' ? ', UTC' : ''}` }
  if (zone === 'rows') return NO_ZONE
  if (zone === 'UTC') return { name: 'UTC', from: 'format', clock: (local) => local }
  const { heading } = zone
  return { name: offsetName(heading), from: 'heading', clock: (local) => local - heading * 60_000 }
}

/** `UTC-04:00`, and `UTC` itself as `UTC+00:00`. */
function offsetName(minutes: number): string {
  const size = Math.abs(minutes)
  const digits = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0'))
  return `UTC${minutes < 0 ? '-' : '+'}${digits.join(':')}`
}

function markOf({ numbers }: RecognisedStatement, given: DecimalMark | null): DecimalMark | { readonly fault: string } {
  if (numbers) return decimalMarkOf(numbers, given)
  return given === ',' ? { fault: 'expected ".": this platform writes a decimal point' } : '.'
}

function orderOf({ dates }: RecognisedStatement, given: DateOrder | null): PartOrder | { readonly fault: string } {
  if (typeof dates !== 'string') return dateOrderOf(dates, given)
  if (given === null || dates === 'year-first' || given === dates) return dates
  return { fault: `expected ${dates}: this platform writes dates in this order` }
}

function createValues(mark: DecimalMark, order: PartOrder, { name, clock }: Zone, source: Source): Values {
  const instantAt = (local: number, hasTime: boolean, cell: string): ReadTime => {
    if (!clock) throw new UnreadableCell(`${quoted(cell)} has no offset from UTC`)
    const ms = clock(local)
    if (typeof ms === 'number') return { ms, local, hasTime, cell }
    throw new UnreadableCell(`${quoted(cell)} comes ${ms} in ${name ?? ''}, where the clock is changed`)
  }
  return {
    number: (cell, isTyped, word) => {
      const number = decimalIn(cell, isTyped ? '.' : mark)
      if (!number) throw new UnreadableCell(`${quoted(cell)} is no ${word}`)
      return number
    },
    time: (cell, isTyped) => {
      const written = isTyped ? timeOfSerial(Number(cell), source.hasDatesFrom1904 === true) : timeIn(cell, order)
      if (!written) throw new UnreadableCell(`${quoted(cell)} is no time`)
      const { local, offset, hasTime } = written
      return offset === null
        ? instantAt(local, hasTime, cell)
        : { ms: local - offset * 60_000, local: null, hasTime, cell }
    },
    timeAt: (local) => instantAt(local, true, new Date(local).toISOString().slice(0, 19)),
  }
}

/** A cell in a sentence. */
function quoted(cell: string): string {
  return JSON.stringify(cell.length > 60 ? `${cell.slice(0, 60)}…` : cell)
}
