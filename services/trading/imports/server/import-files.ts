import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { FileStore } from '#infra/file-store/file-store.ts'
import { accountId, type ImportId } from '#services/framework/ids.ts'
import { rowOutcomes } from '#services/trading/stream/observation-vocabulary.ts'
import { recordedObservation } from '#services/rules/observation.ts'

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
const outcomesKey = (id: ImportId) => `imports/${id}/outcomes/all.jsonl`

export function createImportFiles(store: Pick<FileStore, 'put' | 'get' | 'removeAll'>) {
  const read = async (key: string): Promise<Buffer | undefined> => {
    const file = await store.get(key)
    if (!file) return undefined
    const chunks: Buffer[] = []
    for await (const chunk of file.content) chunks.push(Buffer.from(chunk))
    return Buffer.concat(chunks)
  }
  const put = async (key: string, rows: readonly object[]): Promise<string> => {
    const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    await store.put(key, bytes, 'application/jsonl')
    return sha256(bytes)
  }

  return {
    /** Keeps what was read from a statement; returns its SHA-256. */
    putRows: (id: ImportId, rows: readonly ReadRow[]): Promise<string> =>
      put(
        rowsKey(id),
        rows.map((row) => z.encode(readRow, row)),
      ),

    /** Reads the rows of a statement; undefined where they are gone, or are not those that were kept. */
    async rows(id: ImportId, hash: string): Promise<readonly ReadRow[] | undefined> {
      const bytes = await read(rowsKey(id))
      return bytes && sha256(bytes) === hash ? linesOf(bytes).map((line) => readRow.parse(line)) : undefined
    },

    /** Keeps what became of each row. */
    putOutcomes: (id: ImportId, rows: readonly RowOutcomeOfLine[]): Promise<string> => put(outcomesKey(id), rows),

    /** Reads the outcome of each row; for an import that is not done, the outcome that it would have. */
    async outcomes(id: ImportId): Promise<readonly RowOutcomeOfLine[]> {
      const bytes = (await read(outcomesKey(id))) ?? (await read(rowsKey(id)))
      return bytes ? linesOf(bytes).map((line) => outcome.parse(line)) : []
    },

    /** Removes what was read from a statement. */
    removeRows: (id: ImportId): Promise<void> => store.removeAll(`imports/${id}/rows/`),
  }
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
