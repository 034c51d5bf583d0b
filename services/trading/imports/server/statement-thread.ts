import { parentPort, workerData } from 'node:worker_threads'
import { readStatement } from '#services/trading/statements/server/read-statement.ts'
import { LargeStatement, UnreadableStatement } from '#services/trading/statements/server/unreadable-statement.ts'
import { readMappedStatement } from './mapped-statement.ts'
import { headingsIn } from './statement-headings.ts'
import type { StatementAnswer, StatementRequest } from './statement-reading.ts'

// The program of a thread: reads one statement, and ends.

const request: StatementRequest = workerData
// The rows go as bytes, which are handed over: others would wait while the main thread copies a hundred thousand rows.
const { answer, rows } = answerTo(request)
parentPort?.postMessage({ answer, rows }, [rows.buffer])

function answerTo({ bytes, mapped, options }: StatementRequest): {
  answer: StatementAnswer
  rows: Uint8Array<ArrayBuffer>
} {
  try {
    if (mapped) {
      const { rows, ...statement } = readMappedStatement(bytes, mapped.kind, mapped.mapping)
      return { answer: { kind: 'read', statement }, rows: linesOf(rows) }
    }
    const { file, rows, checks, hints } = readStatement(bytes, options)
    const { kind, sha256, account } = file
    const statement = { kind, sha256, file, server: account.server, checks, hints }
    return { answer: { kind: 'read', statement }, rows: linesOf(rows.map((row) => ({ row }))) }
  } catch (error) {
    if (error instanceof LargeStatement) return { answer: { kind: 'too-large' }, rows: linesOf([]) }
    if (!(error instanceof UnreadableStatement)) throw error
    const isUnknown = error.faults.some(({ field }) => field === 'mapping')
    const columns = isUnknown ? headingsIn(bytes) : null
    return {
      answer: { kind: 'unreadable', faults: error.faults, recognised: error.recognised, columns },
      rows: linesOf([]),
    }
  }
}

function linesOf(rows: readonly object[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}
