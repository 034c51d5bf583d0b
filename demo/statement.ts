import { createReact } from '#services/portal/modules.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { importId } from '#services/framework/ids.ts'
import type { AccountState } from '#services/trading/stream/account-aggregate.ts'
import { confirmImport, importStreams } from '#services/trading/imports/import.ts'
import { previewedImport } from '#services/trading/imports/server/previewed-import.ts'
import { runImport } from '#services/trading/imports/server/run-import.ts'
import { readStatement } from '#services/trading/statements/server/read-statement.ts'
import { toDecimal } from '#services/rules/money.ts'
import { DAY, HOUR, isWorkday, midnight, MINUTE } from './agenda.ts'
import type { Random } from './random.ts'
import { tradedAt } from './trader-story.ts'

/** Statements as MetaTrader 5 saves them, and how the firm imports them. */

const ZONE = 'America/New_York+7'

interface Position extends ReturnType<typeof tradedAt> {
  readonly id: string
  /** Ms since 1970. */
  readonly opened: number
  readonly closed: number
  readonly volume: string
  /** In cents, before the commission. */
  readonly profit: number
  readonly commission: number
}

/** A deal, or a row of the ledger, which moves the balance by these cents. */
interface Deal {
  readonly at: number
  readonly cells: readonly string[]
  readonly commission: number
  readonly profit: number
  /** Credits are no part of the balance. */
  readonly isCredit?: boolean
}

/**
 * The report of an account in a span of time, ms since 1970, with what happens in reports: trades that are known, one
 * that the platform has changed since, a charge, and a credit.
 */
export function writeStatement({ account, stage }: AccountState, from: number, until: number, random: Random): string {
  const size = account.programme?.size ?? 0
  const known = stage?.known.list.toArray().flatMap(({ now }) => (now?.kind === 'trade' ? [now] : [])) ?? []
  const positionOf = (id: string, opened: number, closed: number, volume: string, net: number): Position => {
    const commission = -Math.round(Number(volume) * 700)
    const traded = tradedAt(Number(id), net, Number(volume))
    return { ...traded, id, opened, closed, volume, profit: net - commission, commission }
  }
  const again = known.slice(-3)
  const positions = again.map(({ id, openedAt, at, volume, profit }, n) => ({
    ...positionOf(id, (openedAt ?? at).ms, at.ms, volume, profit),
    ...(n === 1 && { profit: profit + Math.round(Number(volume) * 700) - 250 }),
  }))
  const lastKnown = Math.max(...known.map(({ id }) => Number(id)), 10_000_000)
  let deal = lastKnown + 2
  for (let day = midnight(from); day < until; day += DAY) {
    if (!isWorkday(day)) continue
    for (let trade = 0; trade < 3; trade++) {
      const closed = day + (7 + 4 * trade) * HOUR + random.whole(0, 200) * MINUTE
      if (closed <= from || closed >= until) continue
      deal += random.whole(3, 90)
      const net = Math.round(size * (0.0006 + 0.0018 * random.normal()))
      const opened = closed - random.whole(4, 200) * MINUTE
      positions.push(positionOf(String(deal), opened, closed, (random.whole(10, 200) / 100).toFixed(2), net))
    }
  }
  const deals = [
    ...positions.flatMap(dealsOf),
    ledgerRow(from + MINUTE, String(lastKnown + 1), 'charge', -2_500, 'Data feed'),
    ledgerRow(from + 2 * MINUTE, String(lastKnown + 2), 'credit', 50_000, 'Bonus campaign'),
  ].toSorted((one, other) => one.at - other.at)
  const before = account.balance - again.reduce((sum, { profit }) => sum + profit, 0)
  return reportOf({ login: account.login ?? '', server: account.server ?? '' }, positions, deals, before, until)
}

function dealsOf({ id, opened, closed, side, symbol, volume, openPrice, closePrice, ...money }: Position): Deal[] {
  const leg = (at: number, type: string, direction: string, price: string, order: string) => [
    localText(at),
    `${order}1`,
    symbol,
    type,
    direction,
    volume,
    price,
    order,
  ]
  return [
    { at: opened, cells: leg(opened, side, 'in', openPrice, id), commission: 0, profit: 0 },
    { at: closed, cells: leg(closed, side === 'buy' ? 'sell' : 'buy', 'out', closePrice, `${id}9`), ...money },
  ]
}

function ledgerRow(at: number, id: string, type: string, profit: number, comment: string): Deal {
  const cells = [localText(at), id, '', type, '', '', '', '', comment]
  return { at, cells, commission: 0, profit, isCredit: type === 'credit' }
}

/** The file: what it says of itself below its tables agrees with their rows. */
function reportOf(
  { login, server }: { readonly login: string; readonly server: string },
  positions: readonly Position[],
  deals: readonly Deal[],
  before: number,
  until: number,
): string {
  const row = (cells: readonly string[]) => `<tr align="right">${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
  const title = (words: string) => `<tr align="center"><th colspan="14"><b>${words}</b></th></tr>`
  const head = (label: string, value: string) =>
    `<tr align="left"><th colspan="4">${label}</th><th colspan="10"><b>${value}</b></th></tr>`
  const money = (cents: number) => toDecimal(cents).replaceAll(/\B(?=(\d{3})+\.)/g, ' ')
  let balance = before
  const dealRows = deals.map(({ cells: [at = '', ...cells], commission, profit, isCredit }) => {
    if (!isCredit) balance += commission + profit
    const [comment = ''] = cells.slice(7)
    return row([at, ...cells.slice(0, 7), ...[commission, 0, 0, profit, balance].map(money), comment])
  })
  const counted = deals.filter(({ isCredit }) => !isCredit)
  const totals = [
    counted.reduce((sum, { commission }) => sum + commission, 0),
    ...[0, 0],
    counted.reduce((sum, { profit }) => sum + profit, 0),
    balance,
  ]
  const lines = [
    '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">',
    `<html><head><title>${login}: Trade History Report</title><meta name="generator" content="client terminal"></head>`,
    '<body><div align="center"><table cellspacing="1" cellpadding="3" border="0">',
    '<tr align="center"><td colspan="14"><b>Trade History Report</b></td></tr>',
    head('Account:', `${login} (USD, ${server}, real, Hedge)`),
    head('Date:', localText(until).slice(0, -3)),
    title('Positions'),
    row(positionHeadings),
    ...positions.map(({ id, opened, closed, symbol, side, volume, openPrice, closePrice, commission, profit }) =>
      row([
        ...[localText(opened), id, symbol, side, volume, openPrice, '', '', localText(closed), closePrice],
        ...[commission, 0, profit].map(money),
      ]),
    ),
    title('Deals'),
    row(dealHeadings),
    ...dealRows,
    `<tr align="right"><td colspan="8"></td>${totals.map((total) => `<td><b>${money(total)}</b></td>`).join('')}<td></td></tr>`,
    `<tr align="right"><td colspan="3">Balance:</td><td colspan="2"><b>${money(balance)}</b></td></tr>`,
    '</table></div></body></html>',
  ]
  return `${lines.join('\r\n')}\r\n`
}

const positionHeadings = [
  ...['Time', 'Position', 'Symbol', 'Type', 'Volume', 'Price', 'S / L', 'T / P', 'Time', 'Price'],
  ...['Commission', 'Swap', 'Profit'],
]
const dealHeadings = [
  ...['Time', 'Deal', 'Symbol', 'Type', 'Direction', 'Volume', 'Price', 'Order'],
  ...['Commission', 'Fee', 'Swap', 'Profit', 'Balance', 'Comment'],
]

const serverTime = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/New_York',
  dateStyle: 'short',
  timeStyle: 'medium',
})

/** As the platform shows a moment, ms since 1970: in the time of its server. */
function localText(moment: number): string {
  // Seven hours ahead of New York: the clock there, moved.
  const there = Date.parse(`${serverTime.format(moment).replace(' ', 'T')}Z`)
  return new Date(there + 7 * HOUR).toISOString().slice(0, 19).replace('T', ' ').replaceAll('-', '.')
}

/** Imports a statement as staff do; without `confirmed` it stays a preview. */
export async function importStatement(
  parts: Pick<Dependencies, 'repositories' | 'fileStore' | 'logins' | 'policyDependencies'>,
  { id: text, statement, confirmed }: ImportedStatement,
  context: Context,
  now: () => number,
): Promise<void> {
  const { repositories, fileStore, logins } = parts
  const id = importId.parse(text)
  const { file, rows, checks, hints } = readStatement(Buffer.from(statement), { zone: ZONE })
  const { kind, sha256, account } = file
  const read = { ...{ kind, sha256, file, server: account.server, checks, hints }, rows: rows.map((row) => ({ row })) }
  const how = { owner: null, mapping: null }
  const data = await previewedImport({ repositories, fileStore, logins, now }, id, read, how)
  const repository = repositories.of(importStreams)
  await repository.decide(id, context, () => [{ type: 'ImportPreviewed', data }])
  if (!confirmed) return
  await repository.decide(id, context, confirmImport)
  await runImport({ repositories, files: fileStore, react: createReact(parts.policyDependencies) }, id, context)
}

interface ImportedStatement {
  readonly id: string
  readonly statement: string
  readonly confirmed: boolean
}
