import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { FileStore } from '#infra/file-store/file-store.ts'
import { accountId, type ImportId } from '#services/framework/ids.ts'
import { type RowOutcome, rowOutcomes } from '#services/trading/stream/observation-vocabulary.ts'
import { recordedObservation } from '#services/rules/observation.ts'
import type { Import, OutcomeCounts } from '../import.ts'

/**
 * The rows of imports, a file each of JSON lines. Until an import is done it holds what was read from the statement, so
 * that the import goes on after a restart; then only what became of each row.
 */

const outcome = z.object({ line: z.int(), outcome: z.enum(rowOutcomes), reason: z.string().nullable() })
export type RowOutcomeOfLine = z.infer<typeof outcome>

/** The content of a row, beside the outcome that it would have. */
const readRow = z.object({
  ...outcome.shape,
  /** Null where the row cannot be recorded. */
  row: z.object({ account: accountId, observation: recordedObservation }).nullable(),
})
export type ReadRow = z.infer<typeof readRow>

const rowsKey = (id: ImportId) => `imports/${id}/rows/all.jsonl`
/** Named after their SHA-256, so that a run which goes on elsewhere does not write over them. 0.2.0 named them `all`. */
const outcomesKey = (id: ImportId, hash = 'all') => `imports/${id}/outcomes/${hash}.jsonl`

export function createImportFiles(store: Pick<FileStore, 'put' | 'get' | 'removeAll'>) {
  const read = async (key: string): Promise<Buffer | undefined> => {
    const file = await store.get(key)
    if (!file) return undefined
    const chunks: Buffer[] = []
    for await (const chunk of file.content) chunks.push(Buffer.from(chunk))
    return Buffer.concat(chunks)
  }
  const put = async (keyOf: (hash: string) => string, rows: readonly object[]): Promise<string> => {
    const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    const hash = sha256(bytes)
    await store.put(keyOf(hash), bytes, 'application/jsonl')
    return hash
  }

  return {
    /** Keeps what was read from a statement; returns its SHA-256. */
    putRows: (id: ImportId, rows: readonly ReadRow[]): Promise<string> =>
      put(
        () => rowsKey(id),
        rows.map((row) => z.encode(readRow, row)),
      ),

    /** Reads the rows of a statement; undefined where they are gone, or are not those that were kept. */
    async rows(id: ImportId, hash: string): Promise<readonly ReadRow[] | undefined> {
      const bytes = await read(rowsKey(id))
      return bytes && sha256(bytes) === hash ? linesOf(bytes).map((line) => readRow.parse(line)) : undefined
    },

    /** Keeps what became of each row. */
    putOutcomes: (id: ImportId, rows: readonly RowOutcomeOfLine[]): Promise<string> =>
      put((hash) => outcomesKey(id, hash), rows),

    /**
     * Reads the outcome of each row; for an import that is not done, the outcome that it would have. Undefined where
     * they are not what the log says.
     *
     * @param recorded What the log says of the import.
     */
    async outcomes(id: ImportId, recorded: Import): Promise<readonly RowOutcomeOfLine[] | undefined> {
      const { state, rowsSha256, outcomesSha256, counts } = recorded
      if (state === 'lost') return []
      const bytes = await read(state === 'done' ? outcomesKey(id, outcomesSha256) : rowsKey(id))
      const expected = state === 'done' ? outcomesSha256 : rowsSha256
      if (!bytes || (expected !== undefined && sha256(bytes) !== expected)) return undefined
      const outcomes = linesOf(bytes).map((line) => outcome.parse(line))
      // Of what 0.2.0 recorded only the numbers are known.
      return isDeepStrictEqual(countsOf(outcomes), counts) ? outcomes : undefined
    },

    /** Removes what was read from a statement. */
    removeRows: (id: ImportId): Promise<void> => store.removeAll(`imports/${id}/rows/`),
  }
}

export function countsOf(rows: readonly { readonly outcome: RowOutcome }[]): OutcomeCounts {
  const counts = { recorded: 0, duplicate: 0, refused: 0, conflict: 0 }
  for (const { outcome } of rows) counts[outcome] += 1
  return counts
}

function linesOf(bytes: Buffer): unknown[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .flatMap((line): unknown[] => (line === '' ? [] : [JSON.parse(line)]))
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
