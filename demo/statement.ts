import { createReact } from '#services/portal/modules.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { importId } from '#services/framework/ids.ts'
import type { AccountState } from '#services/trading/stream/account-aggregate.ts'
import { confirmImport, importStreams } from '#services/trading/imports/import.ts'
import { mapping } from '#services/trading/imports/mapping-api.ts'
import { createImportFiles } from '#services/trading/imports/server/import-files.ts'
import { previewRows } from '#services/trading/imports/server/import-preview.ts'
import { countsOf } from '#services/trading/imports/server/import-files.ts'
import { runImport } from '#services/trading/imports/server/run-import.ts'
import { readMappedStatement } from '#services/trading/imports/server/mapped-statement.ts'
import { importSays } from '#services/trading/imports/server/import-says.ts'
import { toDecimal } from '#services/rules/money.ts'
import { DAY, HOUR, isWorkday, midnight, MINUTE } from './agenda.ts'
import type { Random } from './random.ts'

/** Statements as MetaTrader 5 exports them, and how the firm imports them. */

const ZONE = 'Europe/Athens'
const header = ['Login', 'Deal', 'Symbol', 'Open Time', 'Close Time', 'Volume', 'Profit', 'Commission', 'Swap']

const columns = mapping.parse({
  ...{ delimiter: ';', decimal: '.', zone: ZONE, dates: 'YYYY.MM.DD HH:mm:ss' },
  columns: {
    ...{ login: 'Login', id: 'Deal', openedAt: 'Open Time', at: 'Close Time', volume: 'Volume' },
    profit: ['Profit', 'Commission', 'Swap'],
  },
})

/**
 * The trades of an account in a span of time, ms since 1970, with what happens in statements: a trade that is known
 * already, one that the platform has changed since, a row twice, and rows of a login that the firm does not have.
 */
export function writeStatement({ account, stage }: AccountState, from: number, until: number, random: Random): string {
  const size = account.programme?.size ?? 0
  const known = stage?.known.list.toArray().flatMap(({ now }) => (now?.kind === 'trade' ? [now] : [])) ?? []
  const row = (login: string, deal: string, opened: number, closed: number, volume: string, profit: number) => {
    const commission = -Math.round(Number(volume) * 700)
    const amounts = [profit - commission, commission, 0].map((each) => toDecimal(each))
    return [login, deal, random.pick(symbols), localText(opened), localText(closed), volume, ...amounts].join(';')
  }
  const login = account.login ?? ''
  const rows = known
    .slice(-3)
    .map(({ id, openedAt, at, volume, profit }, n) =>
      row(login, id, (openedAt ?? at).ms, at.ms, volume, n === 1 ? profit - 250 : profit),
    )
  let deal = Math.max(...known.map(({ id }) => Number(id)), 10_000_000)
  for (let day = midnight(from); day < until; day += DAY) {
    if (!isWorkday(day)) continue
    for (let trade = 0; trade < 3; trade++) {
      const closed = day + (7 + 4 * trade) * HOUR + random.whole(0, 200) * MINUTE
      if (closed <= from || closed >= until) continue
      deal += random.whole(3, 90)
      const profit = Math.round(size * (0.0006 + 0.0018 * random.normal()))
      const opened = closed - random.whole(4, 200) * MINUTE
      rows.push(row(login, String(deal), opened, closed, (random.whole(10, 200) / 100).toFixed(2), profit))
    }
  }
  rows.push(rows.at(-1) ?? '', row('99999999', String(deal + 5), until - HOUR, until - 30 * MINUTE, '0.50', 1_250))
  return [header.join(';'), ...rows].map((line) => `${line}\r\n`).join('')
}

const symbols = ['EURUSD', 'GBPUSD', 'XAUUSD', 'US30', 'NAS100']

/** As the platform shows a moment, ms since 1970: in the time of its server. */
function localText(moment: number): string {
  return serverTime.format(moment).replaceAll('-', '.')
}

const serverTime = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE, dateStyle: 'short', timeStyle: 'medium' })

/** Imports a statement as staff do; without `confirmed` it stays a preview. */
export async function importStatement(
  parts: Pick<Dependencies, 'repositories' | 'fileStore' | 'logins' | 'policyDependencies'>,
  { id: text, server, statement, confirmed }: ImportedStatement,
  context: Context,
  now: () => number,
): Promise<void> {
  const { repositories, fileStore, logins } = parts
  const id = importId.parse(text)
  const bytes = Buffer.from(statement)
  const ofServer = { ...columns, server }
  const read = readMappedStatement(bytes, 'trades', ofServer)
  const { rows, accounts } = await previewRows({ repositories, logins, now }, read, null)
  const files = createImportFiles(fileStore)
  const [rowsSha256, accountsSha256] = [await files.putRows(id, rows), await files.putAccounts(id, accounts)]
  const { sha256 } = read
  const says = importSays(read)
  const file = { kind: 'trades', account: null, mapping: ofServer, says, sha256, rowsSha256, accountsSha256 } as const
  const repository = repositories.of(importStreams)
  await repository.decide(id, context, () => [{ type: 'ImportPreviewed', data: { ...file, counts: countsOf(rows) } }])
  if (!confirmed) return
  await repository.decide(id, context, confirmImport)
  await runImport({ repositories, files: fileStore, react: createReact(parts.policyDependencies) }, id, context)
}

interface ImportedStatement {
  readonly id: string
  /** That the logins of the file are on. */
  readonly server: string
  readonly statement: string
  readonly confirmed: boolean
}
