import { randomUUID } from 'node:crypto'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { pagesOf } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { accountOf } from '#services/framework/ids.ts'
import type { TimeParts } from '#services/trading/parts.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { missDeadlines } from '#services/trading/stream/case.ts'
import { cases } from '../case-read-model.ts'

const AT_ONCE = 200

/** Records which answers to cases are overdue. Once more it records nothing. */
export async function missCaseDeadlines(
  { repositories, readModels, now, log }: TimeParts,
  signal: AbortSignal,
): Promise<void> {
  const at = now()
  const query = { where: { due: { from: 0, to: at } }, limit: AT_ONCE }
  for await (const page of pagesOf(readModels, cases, query))
    for (const { id } of page) {
      if (signal.aborted) return
      const account = accountOf(id)
      try {
        await repositories
          .of(accountStreams)
          .decide(account, systemContext('rules', `clock ${randomUUID()}`), (state) => missDeadlines(state, at))
      } catch (error) {
        log.error({ err: error, account }, 'That an answer to a case is overdue could not be recorded')
      }
    }
}
