import { statementFormats } from '#services/trading/statements/statement-vocabulary.ts'
import type { SourceStatement } from './statement-source.ts'

/**
 * One line about a file: "MetaTrader 5 report of login 70000001, Broker-Live: 41 trades, 2 ledger rows; agrees with
 * itself." (statements.md, "Import")
 */
export function importSays({ file, rows, checks, server }: SourceStatement): string {
  const counts = { trade: 0, day: 0, transfer: 0, skipped: 0, fault: 0 }
  const logins = new Set<string>()
  for (const { row } of rows) {
    counts[row.row] += 1
    if ('login' in row && row.login !== null) logins.add(row.login)
  }
  const own = file?.account.login ?? null
  if (own !== null) logins.add(own)
  const [login] = logins
  const whose =
    login === undefined
      ? ''
      : logins.size === 1
        ? ` of login ${login}${server === null ? '' : `, ${server}`}`
        : ` of ${logins.size} logins`
  const parts = [
    several(counts.trade, 'trade'),
    several(counts.day, 'day'),
    several(counts.transfer, 'ledger row'),
    counts.skipped > 0 && `${counts.skipped} skipped`,
    counts.fault > 0 && `${counts.fault} at fault`,
  ].filter(Boolean)
  const agreement =
    checks.length === 0
      ? 'nothing to check'
      : checks.every(({ agrees }) => agrees)
        ? 'agrees with itself'
        : 'disagrees with itself'
  return `${file ? statementFormats[file.format].name : 'CSV by columns'}${whose}: ${parts.join(', ')}; ${agreement}.`
}

function several(count: number, word: string): string | false {
  return count > 0 && `${count} ${word}${count === 1 ? '' : 's'}`
}
