import { CsvError, parse } from 'csv-parse/sync'
import { longLineOf } from '#services/framework/api/text.ts'
import { parseMoney } from '#services/rules/money.ts'
import {
  type AnsweredState,
  answeredStates,
  type BankAnswer,
  bankAnswer,
  plainText,
  UnreadableFile,
} from './bank-answer.ts'

/** Answers as a table: one payment a row, in the currency of its batch. */

const HEADER = ['reference', 'amount', 'currency', 'state', 'reason'] as const

/** @throws {UnreadableFile} */
export function readAnswerCsv(text: string): readonly BankAnswer[] {
  const [header, ...rows] = rowsOf(text)
  if (header?.cells.join(',') !== HEADER.join(','))
    throw new UnreadableFile(`Line 1: the header has to be ${HEADER.join(',')}`)
  return rows.map(({ cells, line }) => {
    const [reference = '', decimal = '', currency = '', name = '', reason = ''] = cells
    if (!/^[\x21-\x7e]{1,35}$/.test(reference))
      throw new UnreadableFile(`Line ${line}: the reference needs 1 to 35 plain characters`)
    const amount = /\.\d{2}$/.test(decimal) ? parseMoney(decimal) : undefined
    if (amount === undefined || amount <= 0)
      throw new UnreadableFile(`Line ${line}: the amount has to be like 3200.00, above 0`)
    if (!/^[A-Z]{3}$/.test(currency))
      throw new UnreadableFile(`Line ${line}: the currency has to be three capital letters`)
    const state = answeredStates.find((each) => each === name)
    if (state === undefined) throw new UnreadableFile(`Line ${line}: the state has to be ${inWords(answeredStates)}`)
    const said = plainText(reason)
    return bankAnswer({
      ...{ place: `line ${line}`, about: { payments: [reference] } },
      ...{ state, amounts: [{ amount, currency }], reason: said, said },
    })
  })
}

/** The longest row, in characters. */
const LONGEST_ROW = 4_000

function rowsOf(text: string): readonly { readonly cells: readonly string[]; readonly line: number }[] {
  const starts: number[] = []
  const long = longLineOf(text, LONGEST_ROW)
  if (long !== undefined) throw new UnreadableFile(`Line ${long}: ${faults['CSV_MAX_RECORD_SIZE']}`)
  try {
    const records: string[][] = parse(text.replaceAll(/\r\n?/g, '\n'), {
      skip_empty_lines: true,
      max_record_size: LONGEST_ROW,
      on_record: (cells: string[], { lines }) => {
        // The last line of the row. Only a cell in quotes has lines.
        starts.push(lines - (cells.join('').split('\n').length - 1))
        return cells
      },
    })
    return records.map((cells, index) => ({ cells, line: starts[index] ?? 0 }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new UnreadableFile(`Line ${String(error['lines'] ?? '?')}: ${faults[error.code] ?? 'the row cannot be read'}`)
  }
}

const faults: Readonly<Record<string, string>> = {
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: `each row needs ${HEADER.length} cells, separated by commas`,
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is not closed',
  CSV_MAX_RECORD_SIZE: 'the row is too long',
  INVALID_OPENING_QUOTE: 'a quotation mark stands inside a cell',
}

function inWords(states: readonly AnsweredState[]): string {
  return `${states.slice(0, -1).join(', ')} or ${states.at(-1)}`
}
