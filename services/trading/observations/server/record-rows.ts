import { forEachAtOnce } from '#infra/async.ts'
import { comparePositions, type Position } from '#infra/event-store/event-store.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import {
  type AccountState,
  accountStreams,
  type AccountStreamEvent,
} from '#services/trading/stream/account-aggregate.ts'
import type { AccountId } from '#services/framework/ids.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { Observation } from '#services/rules/observation.ts'

/** A row that can be read, and whose it is. */
export interface RowOfAccount {
  /** Its place in the call or the file. */
  readonly index: number
  readonly account: AccountId
  readonly observation: Observation
}

interface RecordedRows<Result> {
  /** By the places of the rows. */
  readonly results: ReadonlyMap<number, Result>
  /** The position reached in the log; undefined where nothing was new. */
  readonly position: Position | undefined
}

/** Decides what some rows of an account are: the events that record them, and what becomes of each. */
type DecideRows<Result> = (
  state: AccountState,
  observations: readonly Observation[],
) => { readonly events: readonly AccountStreamEvent[]; readonly results: readonly Result[] }

/** Accounts that are decided at once: their appends share a transaction. */
const AT_ONCE = 32
/** Rows of an account that are decided at once: each may become an event, and an append is at most a megabyte. */
const ROWS_AT_ONCE = 500

/** Records rows, those of an account together, raises what the rules find in them, and says what became of each. */
export async function recordRows<Result>(
  { repositories, react }: Pick<TradingParts['commands'], 'repositories' | 'react'>,
  rows: readonly RowOfAccount[],
  decideRows: DecideRows<Result>,
  context: Context,
): Promise<RecordedRows<Result>> {
  const accounts = repositories.of(accountStreams)
  const results = new Map<number, Result>()
  let reached: Position | undefined
  await forEachAtOnce(byAccount(rows), AT_ONCE, async ([account, own]) => {
    for (let start = 0; start < own.length; start += ROWS_AT_ONCE) {
      const some = own.slice(start, start + ROWS_AT_ONCE)
      let decided: readonly Result[] = []
      const result = await accounts.decide(account, context, (state) => {
        const recording = decideRows(
          state,
          some.map(({ observation }) => observation),
        )
        decided = recording.results
        return recording.events
      })
      for (const [n, { index }] of some.entries()) {
        const outcome = decided[n]
        if (outcome) results.set(index, outcome)
      }
      if (result.events.length === 0) continue
      const position = await react(result)
      if (!reached || comparePositions(position, reached) > 0) reached = position
    }
  })
  return { results, position: reached }
}

/** The rows of each account, in their order. */
function byAccount(rows: readonly RowOfAccount[]): ReadonlyMap<AccountId, readonly RowOfAccount[]> {
  const groups = new Map<AccountId, RowOfAccount[]>()
  for (const row of rows) {
    const group = groups.get(row.account)
    if (group) group.push(row)
    else groups.set(row.account, [row])
  }
  return groups
}
