import { HttpError } from '#services/framework/http/http-errors.ts'
import { limits } from '#services/framework/http/limits.ts'
import { fileURLToPath } from 'node:url'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { superviseThread } from '#infra/supervised-thread.ts'
import {
  LargeStatement,
  UnreadableStatement,
  unreadableFile,
} from '#services/trading/statements/server/unreadable-statement.ts'
import type { StatementOptions } from '#services/trading/statements/statement-vocabulary.ts'
import type { MappedKind } from '../import-vocabulary.ts'
import type { Mapping } from '../mapping-api.ts'
import type { StatementColumns } from './statement-headings.ts'
import type { SourceRow, SourceStatement } from './statement-source.ts'

/** Reads statements in threads: other requests do not wait for a file, and a hostile one ends. */

export interface StatementRequest {
  readonly bytes: Uint8Array
  /** With a mapping; without one the format is recognised. */
  readonly mapped: { readonly kind: MappedKind; readonly mapping: Mapping } | null
  readonly options: StatementOptions
}

/** What a thread answers, beside the rows as JSON lines. */
export type StatementAnswer =
  | { readonly kind: 'read'; readonly statement: Omit<SourceStatement, 'rows'> }
  | { readonly kind: 'too-large' }
  | {
      readonly kind: 'unreadable'
      readonly faults: UnreadableStatement['faults']
      readonly recognised: UnreadableStatement['recognised']
      readonly columns: StatementColumns | null
    }

interface Message {
  readonly answer: StatementAnswer
  readonly rows: Uint8Array
}

/** A file that cannot be read yet, and what is known of it. */
export class UnreadFile extends UnreadableStatement {
  /** Of a file that no format fits. */
  readonly columns: StatementColumns | null
  constructor({ faults, recognised, columns }: Extract<StatementAnswer, { kind: 'unreadable' }>) {
    super(...faults)
    this.recognised = recognised
    this.columns = columns
  }
}

/** The longest that a file is read, in seconds, and the memory for its rows, in MB. */
const MOST_SECONDS = 20
const MOST_MEMORY = 1024
const ROWS_A_TURN = 500

const TOO_LONG = 'This file takes too long to read. Is it a statement as the platform exports it?'

/** The build puts the thread beside this file. */
const isSource = import.meta.url.endsWith('.ts')
const file = new URL(isSource ? './statement-thread.ts' : './statement-thread.js', import.meta.url)
const execArgv = isSource ? ['--import', new URL('../../../../infra/source-loader.mjs', import.meta.url).href] : []

/** One file at a time: more would take memory and processors from all others. */
let last: Promise<unknown> = Promise.resolve()
let unread = 0

/** How long a person waits until a queue has moved, in seconds: most files are read in less. */
const RETRY_SECONDS = 10

/** @throws {UnreadableStatement} {@link LargeStatement}; {HttpError} 503, where too many wait */
export async function readInThread(request: StatementRequest): Promise<SourceStatement> {
  if (unread > limits.statements.waiting)
    throw new HttpError(
      503,
      { message: 'Several statements are being read right now. Please try again in a moment.' },
      RETRY_SECONDS,
    )
  unread += 1
  const reading = last.then(() => inThread(request)).finally(() => void (unread -= 1))
  last = reading.catch(() => {})
  const { answer, rows } = await reading
  if (answer.kind === 'too-large') throw new LargeStatement()
  if (answer.kind === 'read') return { ...answer.statement, rows: await rowsIn(Buffer.from(rows.buffer)) }
  throw new UnreadFile(answer)
}

async function inThread(request: StatementRequest): Promise<Message> {
  const options = { workerData: request, execArgv, resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY } }
  const clock = () => performance.now() / 1000
  try {
    return await superviseThread<Message, Message>(
      fileURLToPath(file),
      options,
      clock,
      (message, { end }) => end(message),
      {
        seconds: MOST_SECONDS,
        onReached: ({ fail }) => fail(unreadableFile(TOO_LONG)),
      },
    )
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw unreadableFile(TOO_LONG)
    throw error
  }
}

async function rowsIn(bytes: Buffer): Promise<readonly SourceRow[]> {
  const rows: SourceRow[] = []
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(10, start)
    rows.push(JSON.parse(bytes.toString('utf8', start, end)))
    start = end + 1
    if (rows.length % ROWS_A_TURN === 0) await nextTurn()
  }
  return rows
}
