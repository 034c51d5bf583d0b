import { forEachAtOnce, inTurns } from '#infra/async.ts'
import type { AccountId } from '#services/framework/ids.ts'
import { utcDate } from '#services/framework/api/utc-time.ts'
import { type Cents, centsOf, inDollars, toCents } from '#services/rules/money.ts'
import { type Observation, writtenObservation } from '#services/rules/observation.ts'
import { futureFault } from '#services/trading/observations/observation-api.ts'
import { type AccountState, accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { whyNoneIsRecorded } from '#services/trading/stream/observation.ts'
import { rulesOfStage } from '#services/trading/stream/stage.ts'
import { recordingStatementRows } from '#services/trading/stream/statement-rows.ts'
import type { TradingParts } from '#services/trading/parts.ts'
import type { ImportedRow } from '../statement-row-api.ts'
import type { AccountSummary, ReadRow } from './import-files.ts'
import { loginOf, type Owner, ownersOf } from './statement-owners.ts'
import { observationOf } from './statement-observation.ts'
import type { SourceRow, SourceStatement } from './statement-source.ts'

/** Accounts that are read at once. */
const AT_ONCE = 32

export type PreviewParts = Pick<TradingParts['commands'], 'repositories' | 'logins' | 'now'>

export interface Preview {
  readonly rows: readonly ReadRow[]
  readonly accounts: readonly AccountSummary[]
  /** Sentences about what a person should look at first. */
  readonly hints: readonly string[]
}

interface OwnRow {
  readonly index: number
  readonly source: SourceRow
  /** Of the row, else of its file. */
  readonly login: string | null
}

/** Says what each row of a statement would do, as its account is now. Nothing is recorded. */
export async function previewRows(
  parts: PreviewParts,
  statement: SourceStatement,
  ofAll: Owner | null,
): Promise<Preview> {
  const accounts = parts.repositories.of(accountStreams)
  const ownerOf = await ownersOf(parts, statement, ofAll)
  const rows = new Map<number, ReadRow>()
  const groups = new Map<AccountId, OwnRow[]>()
  for (const [index, source] of statement.rows.entries()) {
    const { row } = source
    if (row.row === 'fault') rows.set(index, unrecorded(row, 'refused', row.reason))
    else if (row.row === 'skipped') rows.set(index, unrecorded(row, 'skipped', row.reason))
    else {
      const owner = await ownerOf(source)
      if (typeof owner === 'object') rows.set(index, unrecorded(row, 'refused', owner.reason))
      else {
        const own = { index, source, login: loginOf(source, statement) }
        if (groups.get(owner)?.push(own) === undefined) groups.set(owner, [own])
      }
    }
  }
  const moment = parts.now()
  const summaries = new Map<AccountId, AccountSummary>()
  const deposits: LargeDeposit[] = []
  await forEachAtOnce(groups, AT_ONCE, async ([account, own]) => {
    const { state } = await accounts.load(account)
    const { summary, deposit } = await inTurns(previewOfAccount(state, account, own, moment, rows))
    if (deposit) deposits.push({ ...deposit, login: state.account.login ?? account })
    summaries.set(account, summary)
  })
  return {
    rows: statement.rows.map(({ row }, index) => rows.get(index) ?? unrecorded(row, 'refused', 'The row was not read')),
    // In the order in which the file names them.
    accounts: [...groups.keys()].flatMap((account) => summaries.get(account) ?? []),
    hints: depositHint(deposits),
  }
}

interface LargeDeposit {
  readonly login: string
  readonly amount: Cents
  readonly at: number
}

/**
 * A deposit of the account's size is the opening one only before the first trade (statements.md, "Import"). Later it is
 * recorded as money that was added, which is seldom meant.
 */
function depositHint([first, ...others]: readonly LargeDeposit[]): readonly string[] {
  if (!first) return []
  const { login, amount, at } = first
  const more =
    others.length === 0
      ? ''
      : others.length === 1
        ? ' So it is with 1 more account.'
        : ` So it is with ${others.length} more accounts.`
  return [
    `The deposit of ${inDollars(amount)} on ${utcDate(new Date(at))} is as large as the account ${login} itself, and is not its opening deposit: the portal adds it to the balance. If it only says how the account began, take it away afterwards, under Observations of the account.${more}`,
  ]
}

/** Rows that are read before others have their turn. */
const ROWS_A_TURN = 200

/** Puts the rows of one account to others, in the order of their instants, as they will be recorded. */
function* previewOfAccount(
  state: AccountState,
  account: AccountId,
  own: readonly OwnRow[],
  now: number,
  read: Map<number, ReadRow>,
) {
  const { stage } = state
  const refusal = whyNoneIsRecorded(state)
  const observed: { readonly index: number; readonly row: ImportedRow; readonly observation: Observation }[] = []
  const has = state.account.login
  for (const [n, { index, source, login }] of own.entries()) {
    if (n % ROWS_A_TURN === ROWS_A_TURN - 1) yield
    const result = refusal !== null || !stage ? { reason: refusal ?? '' } : observationOf(source, rulesOfStage(stage))
    // A read model said whose the login is; the log decides.
    const isOther = login !== null && has !== null && login !== has
    const other = isOther ? `The row is of the login ${login}, and the account has ${has}` : null
    const fault = other ?? ('reason' in result ? result.reason : futureFault(result.observation, now))
    if (fault !== null || 'reason' in result) read.set(index, { ...unrecorded(source.row, 'refused', fault), account })
    else observed.push({ index, row: rowAs(source.row, result.observation), observation: result.observation })
  }
  const ordered = observed.toSorted((one, other) => one.observation.at.ms - other.observation.at.ms)
  const { events, results } = yield* recordingStatementRows(
    state,
    ordered.map(({ observation }) => observation),
    null,
  )
  const summary = { trades: 0, net: 0, transfers: 0 }
  const size = stage ? centsOf(stage.terms.accountSize) : Infinity
  let deposit: Omit<LargeDeposit, 'login'> | null = null
  for (const [n, { index, row, observation }] of ordered.entries()) {
    if (n % ROWS_A_TURN === ROWS_A_TURN - 1) yield
    const { outcome, reason, known } = results[n] ?? { outcome: 'refused', reason: null, known: null }
    read.set(index, {
      ...{ line: row.line, outcome, reason, account, row, observation },
      known: known && { number: known.number, observation: known.now },
    })
    if (outcome === 'transfer' && observation.kind === 'transfer') {
      const { amount, at } = observation
      summary.transfers += amount
      if (amount >= size) deposit ??= { amount, at: at.ms }
    }
    if (outcome !== 'recorded' || observation.kind !== 'trade') continue
    summary.trades += 1
    summary.net += observation.profit
  }
  const balances = events.flatMap((event) => (event.type === 'BalanceChanged' ? [event.data.to] : []))
  const { balance } = state.account
  return {
    deposit,
    summary: {
      ...{ account, rows: own.length, trades: summary.trades },
      net: toCents(summary.net),
      transfers: toCents(summary.transfers),
      first: ordered[0]?.observation.at.ms ?? null,
      last: ordered.at(-1)?.observation.at.ms ?? null,
      balanceBefore: toCents(balance),
      balanceAfter: toCents(balances.at(-1) ?? balance),
    },
  }
}

/** The day of a row, and its last second, are those of the programme where the file does not say them. */
function rowAs(row: ImportedRow, observation: Observation): ImportedRow {
  if (row.row !== 'day') return row
  const { at, date } = writtenObservation(observation)
  return { ...row, at: row.at ?? String(at), date: row.date ?? (typeof date === 'string' ? date : null) }
}

function unrecorded(row: ImportedRow, outcome: 'refused' | 'skipped', reason: string | null): ReadRow {
  return { line: row.line, outcome, reason, account: null, row, observation: null, known: null }
}
