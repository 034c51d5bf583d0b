import { forEachAtOnce } from '#infra/async.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { rulesOfStage } from '#services/trading/stream/stage.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { AccountId } from '#services/framework/ids.ts'
import { type ObservedAccount, resultsOf, whyNoneIsRecorded } from '#services/trading/stream/observation.ts'
import { accountFinder } from '#services/trading/observations/server/account-finder.ts'
import { futureFault } from '#services/trading/observations/observation-api.ts'
import type { Rules } from '#services/rules/engine.ts'
import { UnreadableCell } from '../statement-values.ts'
import type { ReadRow } from './import-files.ts'
import { type StatementRow, UnreadableStatement } from './statement-file.ts'

/** Accounts that are read at once. */
const AT_ONCE = 32

type Readable = Exclude<StatementRow, { readonly reason: string }>

/** Says what each row of a statement would do, as its account is now. Nothing is recorded. */
export function createPreview({
  repositories,
  logins,
  now,
}: Pick<TradingParts['commands'], 'repositories' | 'logins' | 'now'>) {
  const accounts = repositories.of(accountStreams)

  return async (statement: readonly StatementRow[], ofAll: string | undefined) => {
    const accountOf = accountFinder(logins)
    const found = ofAll === undefined ? null : await accountOf({ account: ofAll })
    if (ofAll !== undefined && (!found || !(await accounts.load(found)).state.account.id))
      throw new UnreadableStatement('There is no such account', 'account')
    const rows = new Map<number, ReadRow>()
    const groups = new Map<AccountId, { readonly index: number; readonly row: Readable }[]>()
    for (const [index, row] of statement.entries()) {
      if ('reason' in row) {
        rows.set(index, refused(row.line, row.reason))
        continue
      }
      const account = await accountOf(row.whose)
      if (!account) rows.set(index, refused(row.line, 'There is no such account'))
      else if (groups.get(account)?.push({ index, row }) === undefined) groups.set(account, [{ index, row }])
    }
    const moment = now()
    await forEachAtOnce(groups, AT_ONCE, async ([account, own]) => {
      const { state } = await accounts.load(account)
      for (const [index, read] of previewed(state, account, own, moment)) rows.set(index, read)
    })
    return {
      ofAccount: found,
      rows: statement.map(({ line }, index): ReadRow => rows.get(index) ?? refused(line, 'The row was not read')),
    }
  }
}

/** The rows of one account, in the order of their instants, as they will be recorded. */
function previewed(
  state: ObservedAccount,
  account: AccountId,
  own: readonly { readonly index: number; readonly row: Readable }[],
  now: number,
): ReadonlyMap<number, ReadRow> {
  const read = new Map<number, ReadRow>()
  const { stage } = state
  const refusal = whyNoneIsRecorded(state)
  if (refusal !== null || !stage) {
    for (const { index, row } of own) read.set(index, refused(row.line, refusal ?? ''))
    return read
  }
  const rules = rulesOfStage(stage)
  const observed = own.flatMap(({ index, row }) => {
    const result = observationOf(row, rules, now)
    if ('observation' in result) return [{ index, line: row.line, observation: result.observation }]
    read.set(index, refused(row.line, result.reason))
    return []
  })
  const ordered = observed.toSorted((one, other) => one.observation.at.ms - other.observation.at.ms)
  const results = resultsOf(
    stage,
    ordered.map(({ observation }) => observation),
  )
  for (const [n, { index, line, observation }] of ordered.entries()) {
    const result = results[n]
    if (result) read.set(index, { line, outcome: result.outcome, reason: result.reason, row: { account, observation } })
  }
  return read
}

function observationOf(row: Readable, rules: Rules, now: number) {
  try {
    const observation = row.observationUnder(rules)
    const fault = futureFault(observation, now)
    return fault === null ? { observation } : { reason: fault }
  } catch (error) {
    if (error instanceof UnreadableCell) return { reason: error.message }
    throw error
  }
}

function refused(line: number, reason: string): ReadRow {
  return { line, outcome: 'refused', reason, row: null }
}
