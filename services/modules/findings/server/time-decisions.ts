import { pause } from '#infra/async.ts'
import { randomUUID } from 'node:crypto'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { timeDecisions } from '../finding-read-model.ts'
import { reviewAccount } from './review-account.ts'

/** How often the clock is looked at, in ms: what time decides is found within a minute. */
const EVERY = 15_000
const AT_ONCE = 200

export interface TimeDependencies {
  readonly repositories: Repositories
  readonly readModels: Pick<ReadModels, 'find'>
  readonly now: () => number
  readonly log: Log
}

/** Raises what time alone decides, at the moments that the events of accounts name, until `signal` aborts. */
export async function decideByTime(parts: TimeDependencies, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await decideDue(parts, signal).catch((error: unknown) =>
      parts.log.error({ err: error }, 'What time decides could not be looked for'),
    )
    await pause(EVERY, signal)
  }
}

/** Decides about the accounts whose moment has come. */
export async function decideDue({ repositories, readModels, now, log }: TimeDependencies, signal: AbortSignal) {
  const due = now()
  let cursor: string | undefined
  do {
    const query = { where: { at: { from: 0, to: due } }, limit: AT_ONCE, ...(cursor && { cursor }) }
    const page = await readModels.find(timeDecisions, query)
    for (const { account } of page.documents) {
      if (signal.aborted) return
      try {
        await reviewAccount(repositories, account, systemContext('rules', `clock ${randomUUID()}`), due)
      } catch (error) {
        log.error({ err: error, account }, 'What time decides about an account could not be recorded')
      }
    }
    cursor = page.next
  } while (cursor !== undefined)
}
