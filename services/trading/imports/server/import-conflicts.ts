import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { Refused } from '#services/event-sourcing/refusal.ts'
import type { AccountId, ImportId } from '#services/framework/ids.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { takeNewContent } from '#services/trading/stream/statement-rows.ts'
import { refusedFile } from '#services/process/forged-rows.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { ConflictsDecided } from '../import-api.ts'
import { decideConflicts, importNotFound, importStreams } from '../import.ts'
import type { ConflictDecision } from '../import-vocabulary.ts'
import { createImportFiles, type RowOutcomeOfLine } from './import-files.ts'

/** Corrections of an account that are decided at once: an append is at most a megabyte. */
const ROWS_AT_ONCE = 200

export interface ConflictRequest {
  readonly take: ConflictDecision
  /** Null for all that are not decided. */
  readonly rows: readonly number[] | null
  readonly reason: string
}

/**
 * Decides conflicts of an import. The new content is recorded as a correction of what is known, before the import says
 * that it was decided: where the process dies in between, the request is made again and corrects nothing twice.
 */
export async function decideConflictsOf(
  { repositories, react, fileStore, reportForgedRow }: ConflictParts,
  id: ImportId,
  { take, rows: wanted, reason }: ConflictRequest,
  context: Context,
) {
  const imports = repositories.of(importStreams)
  const before = await imports.firstDecision(id, context)
  if (before) {
    const rows = before.events.flatMap(({ type, data }) => (type === 'ImportConflictsDecided' ? data.rows : []))
    const body: ConflictsDecided = { decided: rows.length, refused: [] }
    return { body, position: before.position }
  }
  const { state } = await imports.load(id)
  if (state.state === null) throw importNotFound()
  const outcomes = await createImportFiles(fileStore).outcomes(id, state)
  if (!outcomes) throw refusedFile(`import ${id}`, 'became of these rows', reportForgedRow)
  const open = new Map(
    outcomes.flatMap((row, index) => (row.outcome === 'conflict' && !state.decisions.has(index) ? [[index, row]] : [])),
  )
  const indexes = wanted ?? [...open.keys()]
  // Throws where the import is not in a state to decide anything.
  decideConflicts(state, [], take, reason)
  const refused: ConflictsDecided['refused'] = []
  const decided: number[] = []
  const byAccount = new Map<AccountId, { readonly index: number; readonly row: RowOutcomeOfLine }[]>()
  for (const index of new Set(indexes)) {
    const row = open.get(index)
    if (!row?.account) refused.push({ index, reason: 'This row is no conflict that can be decided' })
    else if (take === 'known') decided.push(index)
    else if (byAccount.get(row.account)?.push({ index, row }) === undefined)
      byAccount.set(row.account, [{ index, row }])
  }
  for (const [account, own] of byAccount)
    for (let start = 0; start < own.length; start += ROWS_AT_ONCE) {
      const some = own.slice(start, start + ROWS_AT_ONCE)
      try {
        const result = await repositories.of(accountStreams).decide(account, context, (current) =>
          takeNewContent(
            current,
            some.map(({ row }) => row),
            reason,
          ),
        )
        if (result.events.length > 0) await react(result)
        decided.push(...some.map(({ index }) => index))
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        for (const { index } of some) refused.push({ index, reason: error.message })
      }
    }
  const { position } = await imports.decide(id, context, (current) => decideConflicts(current, decided, take, reason))
  const body: ConflictsDecided = { decided: decided.length, refused }
  return { body, position }
}

type ConflictParts = Pick<TradingParts['commands'], 'repositories' | 'react' | 'fileStore' | 'reportForgedRow'>
