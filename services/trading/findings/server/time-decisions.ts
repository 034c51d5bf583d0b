import { randomUUID } from 'node:crypto'
import { regularly } from '#infra/async.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { pagesOf } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { TimeParts, TradingParts } from '#services/trading/parts.ts'
import { missCaseDeadlines } from '#services/trading/cases/server/case-deadlines.ts'
import { timeDecisions } from '../finding-read-model.ts'
import { reviewAccount } from './review-account.ts'

/** How often the clock is looked at, in ms: what time decides is found within a minute. */
const EVERY = 15_000
const AT_ONCE = 200

type ClockParts = TimeParts & Pick<TradingParts['policies'], 'react'>

/** Raises what time alone decides, at the moments that the events of accounts name, until `signal` aborts. */
export async function decideByTime(parts: ClockParts, signal: AbortSignal): Promise<void> {
  await regularly(
    EVERY,
    async () => {
      await decideDue(parts, signal)
      await missCaseDeadlines(parts, signal)
    },
    (error) => parts.log.error({ err: error }, 'What time decides could not be looked for'),
    signal,
  )
}

/** Decides about the accounts whose moment has come. */
export async function decideDue(parts: ClockParts, signal: AbortSignal) {
  const { readModels, now, log } = parts
  const due = now()
  const query = { where: { at: { from: 0, to: due } }, limit: AT_ONCE }
  for await (const page of pagesOf(readModels, timeDecisions, query))
    for (const { account } of page) {
      if (signal.aborted) return
      try {
        await reviewAccount(parts, account, systemContext('rules', `clock ${randomUUID()}`), due)
      } catch (error) {
        log.error({ err: error, account }, 'What time decides about an account could not be recorded')
      }
    }
}
