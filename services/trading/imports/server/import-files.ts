import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { FileStore } from '#infra/file-store/file-store.ts'
import { accountId, type ImportId } from '#services/framework/ids.ts'
import { cents } from '#services/rules/money.ts'
import { recordedObservation } from '#services/rules/observation.ts'
import { observationNumber } from '#services/trading/stream/observation-events.ts'
import { allCounts, type Import, type OutcomeCounts } from '../import.ts'
import { type ImportOutcome, importOutcomes } from '../import-outcome-vocabulary.ts'
import { importedRow } from '../statement-row-api.ts'

/**
 * The rows of imports, a file each of JSON lines. Until an import is done it holds what was read from the statement, so
 * that the import goes on after a restart; then what became of each row. Beside it lies what the preview said of each
 * account.
 */

const outcome = { line: z.int(), outcome: z.enum(importOutcomes), reason: z.string().nullable() }

/** What becomes of a row. 0.2.0 kept only its line, its outcome and the reason. */
const rowOutcome = z.object({
  ...outcome,
  account: accountId.nullable().default(null),
  row: importedRow.nullable().default(null),
  /** What the row is recorded as; null where it is not. */
  observation: recordedObservation.nullable().default(null),
  /** The observation that a conflict is with. */
  known: z.object({ number: observationNumber, observation: recordedObservation.nullable() }).nullable().default(null),
})
export type RowOutcomeOfLine = z.infer<typeof rowOutcome>

/** What is read from a statement, with the outcome that it would have. */
export type ReadRow = RowOutcomeOfLine

const earlierRow = z.strictObject({
  ...outcome,
  row: z.object({ account: accountId, observation: recordedObservation }).nullable(),
})

/** A preview that 0.2.0 made can still be confirmed. */
function readRowIn(line: unknown): ReadRow {
  const { data: earlier } = earlierRow.safeParse(line)
  if (!earlier) return rowOutcome.parse(line)
  const { row, ...rest } = earlier
  return { ...rest, account: row?.account ?? null, row: null, observation: row?.observation ?? null, known: null }
}

/** What an import brings an account. Amounts are cents, instants ms since 1970. */
const accountSummary = z.object({
  account: accountId,
  rows: z.int(),
  trades: z.int(),
  /** Of the trades that are new. */
  net: cents,
  /** Of the ledger rows that are new. */
  transfers: cents,
  first: z.int().nullable(),
  last: z.int().nullable(),
  balanceBefore: cents,
  balanceAfter: cents,
})
export type AccountSummary = z.infer<typeof accountSummary>

const rowsKey = (id: ImportId) => `imports/${id}/rows/all.jsonl`
/** Named after their SHA-256, so that a run which goes on elsewhere does not write over them. 0.2.0 named them `all`. */
const outcomesKey = (id: ImportId, hash = 'all') => `imports/${id}/outcomes/${hash}.jsonl`
const accountsKey = (id: ImportId, hash: string) => `imports/${id}/accounts/${hash}.jsonl`

/** Lines that are written or read before others have their turn. */
const LINES_A_TURN = 500

export function createImportFiles(store: Pick<FileStore, 'put' | 'get' | 'removeAll'>) {
  const read = async (key: string): Promise<Buffer | undefined> => {
    const file = await store.get(key)
    if (!file) return undefined
    const chunks: Buffer[] = []
    for await (const chunk of file.content) chunks.push(Buffer.from(chunk))
    return Buffer.concat(chunks)
  }
  const put = async <Row>(
    keyOf: (hash: string) => string,
    rows: readonly Row[],
    write: (row: Row) => object,
  ): Promise<string> => {
    const lines: Buffer[] = []
    for (let start = 0; start < rows.length; start += LINES_A_TURN) {
      const some = rows.slice(start, start + LINES_A_TURN)
      lines.push(Buffer.from(some.map((row) => `${JSON.stringify(write(row))}\n`).join('')))
      await nextTurn()
    }
    const bytes = Buffer.concat(lines)
    const hash = sha256(bytes)
    await store.put(keyOf(hash), bytes, 'application/jsonl')
    return hash
  }
  const outcomeBytes = async (id: ImportId, recorded: Import): Promise<Buffer | undefined> => {
    const { state, previewed, outcomesSha256 } = recorded
    const bytes = await read(state === 'done' ? outcomesKey(id, outcomesSha256) : rowsKey(id))
    const expected = state === 'done' ? outcomesSha256 : previewed?.rowsSha256
    return bytes && (expected === undefined || sha256(bytes) === expected) ? bytes : undefined
  }

  return {
    /** Keeps what was read from a statement; returns its SHA-256. */
    putRows: (id: ImportId, rows: readonly ReadRow[]): Promise<string> =>
      put(
        () => rowsKey(id),
        rows,
        (row) => z.encode(rowOutcome, row),
      ),

    /** Reads the rows of a statement; undefined where they are gone, or are not those that were kept. */
    async rows(id: ImportId, hash: string): Promise<readonly ReadRow[] | undefined> {
      const bytes = await read(rowsKey(id))
      return bytes && sha256(bytes) === hash ? parsedLines(bytes, readRowIn) : undefined
    },

    /** Keeps what became of each row. */
    putOutcomes: (id: ImportId, rows: readonly RowOutcomeOfLine[]): Promise<string> =>
      put(
        (hash) => outcomesKey(id, hash),
        rows,
        (row) => z.encode(rowOutcome, row),
      ),

    /**
     * Reads the outcome of each row; for an import that is not done, the outcome that it would have. Undefined where
     * they are not what the log says.
     *
     * @param recorded What the log says of the import.
     */
    async outcomes(id: ImportId, recorded: Import): Promise<readonly RowOutcomeOfLine[] | undefined> {
      if (recorded.state === 'lost') return []
      const bytes = await outcomeBytes(id, recorded)
      const outcomes = bytes && (await parsedLines(bytes, readRowIn))
      // Of what 0.2.0 recorded only the numbers are known.
      return outcomes && isDeepStrictEqual(countsOf(outcomes), allCounts(recorded.counts)) ? outcomes : undefined
    },

    /**
     * Reads a page of the outcomes, with the index of each row in the file.
     *
     * @param wanted Only rows with this outcome.
     */
    async outcomesFrom(
      id: ImportId,
      recorded: Import,
      {
        start,
        limit,
        wanted,
      }: { readonly start: number; readonly limit: number; readonly wanted?: ImportOutcome | undefined },
    ) {
      if (recorded.state === 'lost') return { rows: [], next: undefined }
      const bytes = await outcomeBytes(id, recorded)
      if (!bytes) return undefined
      if (recorded.state === 'done' && recorded.outcomesSha256 === undefined && !(await this.outcomes(id, recorded)))
        return undefined
      const rows: (RowOutcomeOfLine & { readonly index: number })[] = []
      let index = -1
      for (const line of linesOf(bytes)) {
        if (++index < start) continue
        if (index % LINES_A_TURN === 0) await nextTurn()
        const row = readRowIn(line())
        if (wanted !== undefined && row.outcome !== wanted) continue
        if (rows.length === limit) return { rows, next: index }
        rows.push({ ...row, index })
      }
      return { rows, next: undefined }
    },

    /** Keeps what the preview says of each account; returns its SHA-256. */
    putAccounts: (id: ImportId, accounts: readonly AccountSummary[]): Promise<string> =>
      put(
        (hash) => accountsKey(id, hash),
        accounts,
        (summary) => z.encode(accountSummary, summary),
      ),

    /** Reads what the preview said of each account; undefined where it is not what the log says. */
    async accounts(id: ImportId, hash: string): Promise<readonly AccountSummary[] | undefined> {
      const bytes = await read(accountsKey(id, hash))
      return bytes && sha256(bytes) === hash ? parsedLines(bytes, (line) => accountSummary.parse(line)) : undefined
    },

    /** Removes what was read from a statement. */
    removeRows: (id: ImportId): Promise<void> => store.removeAll(`imports/${id}/rows/`),
  }
}

export function countsOf(rows: readonly { readonly outcome: ImportOutcome }[]): Required<OutcomeCounts> {
  const counts = allCounts({ recorded: 0, duplicate: 0, refused: 0, conflict: 0 })
  for (const { outcome } of rows) counts[outcome] += 1
  return counts
}

/** The lines of a file, each parsed when it is asked for. */
function* linesOf(bytes: Buffer): Generator<() => unknown> {
  let start = 0
  while (start < bytes.length) {
    const found = bytes.indexOf(10, start)
    const [from, to] = [start, found === -1 ? bytes.length : found]
    if (to > from) yield (): unknown => JSON.parse(bytes.toString('utf8', from, to))
    start = to + 1
  }
}

async function parsedLines<Row>(bytes: Buffer, parse: (line: unknown) => Row): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const line of linesOf(bytes)) {
    rows.push(parse(line()))
    if (rows.length % LINES_A_TURN === 0) await nextTurn()
  }
  return rows
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
