import type { TradingParts } from '#services/trading/parts.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { type ImportId, importId } from '#services/framework/ids.ts'
import { recordRows } from '#services/trading/observations/server/record-rows.ts'
import { recordStatementRows } from '#services/trading/stream/statement-rows.ts'
import { endImport, importStreams } from '../import.ts'
import { countsOf, createImportFiles, type RowOutcomeOfLine } from './import-files.ts'
import { parseStreamName } from '#services/event-sourcing/aggregate-type.ts'
import type { Consumer } from '#services/event-sourcing/subscriptions/log-subscription.ts'
import {
  createWorkConsumer,
  type WorkConsumerDependencies,
} from '#services/event-sourcing/subscriptions/work-consumer.ts'

export type ImportRunParts = Pick<TradingParts['policies'], 'repositories' | 'files' | 'react'>

/**
 * Records the rows of an import that was confirmed. It may be run again at any time: rows that it recorded before count
 * as recorded, and no row counts twice.
 */
export async function runImport(
  { repositories, files, react }: ImportRunParts,
  id: ImportId,
  context: Context,
): Promise<void> {
  const repository = repositories.of(importStreams)
  const kept = createImportFiles(files)
  const { state, previewed, decisions } = (await repository.load(id)).state
  if (state === 'running' && previewed) {
    const rows = await kept.rows(id, previewed.rowsSha256)
    const outcomes = rows && (await recorded(rows))
    const ended = outcomes && {
      counts: countsOf(outcomes),
      outcomesSha256: await kept.putOutcomes(id, outcomes),
    }
    await repository.decide(id, context, (current) => endImport(current, ended ?? null))
  }
  await kept.removeRows(id)

  async function recorded(rows: NonNullable<Awaited<ReturnType<typeof kept.rows>>>): Promise<RowOutcomeOfLine[]> {
    const readable = rows
      // What was decided about a conflict stays.
      .flatMap(({ account, observation }, index) =>
        account && observation && !decisions.has(index) ? [{ index, account, observation }] : [],
      )
      .toSorted((one, other) => one.observation.at.ms - other.observation.at.ms)
    const { results } = await recordRows(
      { repositories, react },
      readable,
      (account, observations) => recordStatementRows(account, observations, id),
      context,
    )
    return rows.map((row, index): RowOutcomeOfLine => {
      const result = results.get(index)
      if (!result) return row
      const { known, outcome, reason } = result
      return { ...row, outcome, reason, known: known && { number: known.number, observation: known.now } }
    })
  }
}

export type ImportConsumerDependencies = WorkConsumerDependencies & ImportRunParts

/** Runs each import that is confirmed, and removes the rows of one that is lost. */
export function createImportConsumer(parts: ImportConsumerDependencies): Consumer {
  const types = ['ImportConfirmed', 'ImportLost']
  return createWorkConsumer('imports of statements', types, parts, ({ stream, metadata }, context) =>
    // It is recorded in the name of the member who confirmed it.
    runImport(parts, importId.parse(parseStreamName(stream).id), { ...context, actor: metadata.actor }),
  )
}
