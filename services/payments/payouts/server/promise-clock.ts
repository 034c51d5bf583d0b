import { randomUUID } from 'node:crypto'
import { regularly } from '#infra/async.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import { pagesOf } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { payouts } from '#services/trading/accounts/payout-read-model.ts'
import type { TimeParts } from '#services/trading/parts.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { overduePayouts } from '#services/trading/stream/payout.ts'

/** How often the clock is looked at, in ms: what is overdue is recorded within a minute. */
const EVERY = 15_000
const AT_ONCE = 200

/** Records which payouts are overdue, until `signal` aborts (cases.md, "Clocks"). */
export async function watchPromises(parts: TimeParts, signal: AbortSignal): Promise<void> {
  await regularly(
    EVERY,
    () => recordOverdue(parts, signal),
    (error) => parts.log.error({ err: error }, 'Overdue payouts could not be looked for'),
    signal,
  )
}

/** Records the payouts whose deadline is over. */
export async function recordOverdue({ readModels, repositories, now, log }: TimeParts, signal: AbortSignal) {
  const due = now()
  const query = { where: { 'promise.due': { from: 0, to: due } }, limit: AT_ONCE }
  for await (const page of pagesOf(readModels, payouts, query))
    for (const account of new Set(page.map(({ accountId }) => accountId))) {
      if (signal.aborted) return
      try {
        await repositories
          .of(accountStreams)
          .decide(account, systemContext('promises', `clock ${randomUUID()}`), (state) => overduePayouts(state, due))
      } catch (error) {
        log.error({ err: error, account }, 'Overdue payouts of an account could not be recorded')
      }
    }
}
