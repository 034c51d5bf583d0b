import { z } from 'zod'

/** Statements of platforms: the formats that are known, and what the portal makes of a file (statements.md). */

export const statementKinds = ['trades', 'days', 'transfers'] as const
export type StatementKind = (typeof statementKinds)[number]

interface FormatFacts {
  readonly name: string
  readonly kind: StatementKind
  /** Where the zone of the times comes from. A heading or the rows need not say it: then it is asked. */
  readonly zone: 'asked' | 'UTC' | 'heading' | 'rows'
}

export const statementFormats = {
  'mt4-statement': { name: 'MetaTrader 4 statement', kind: 'trades', zone: 'asked' },
  'mt5-report': { name: 'MetaTrader 5 report', kind: 'trades', zone: 'asked' },
  'mt5-manager-positions': { name: 'MetaTrader 5 positions', kind: 'trades', zone: 'asked' },
  'mt5-manager-daily': { name: 'MetaTrader 5 days', kind: 'days', zone: 'asked' },
  'mt5-manager-deals': { name: 'MetaTrader 5 deals', kind: 'transfers', zone: 'asked' },
  ftmo: { name: 'FTMO export', kind: 'trades', zone: 'asked' },
  exness: { name: 'Exness history', kind: 'trades', zone: 'UTC' },
  ctrader: { name: 'cTrader history', kind: 'trades', zone: 'heading' },
  topstepx: { name: 'TopstepX trades', kind: 'trades', zone: 'rows' },
  'tradovate-positions': { name: 'Tradovate positions', kind: 'trades', zone: 'asked' },
  'tradovate-performance': { name: 'Tradovate performance', kind: 'trades', zone: 'asked' },
  'ninjatrader-trades': { name: 'NinjaTrader trades', kind: 'trades', zone: 'asked' },
  'match-trader': { name: 'Match-Trader positions', kind: 'trades', zone: 'UTC' },
  dxtrade: { name: 'DXtrade fills', kind: 'trades', zone: 'asked' },
} as const satisfies Readonly<Record<string, FormatFacts>>
export type StatementFormatId = keyof typeof statementFormats

export function isStatementFormat(text: string): text is StatementFormatId {
  return Object.hasOwn(statementFormats, text)
}

export const decimalMarks = ['.', ','] as const
export type DecimalMark = (typeof decimalMarks)[number]
export const dateOrders = ['day-first', 'month-first'] as const
export type DateOrder = (typeof dateOrders)[number]

/** In bytes and rows. */
export const LARGEST_FILE = 40 * 1024 * 1024
export const MOST_FILE_ROWS = 100_000

const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'windows-1251'] as const
export type Encoding = (typeof encodings)[number]

/** The file as a whole says this. */
export const statementFile = z.object({
  format: z.enum(Object.keys(statementFormats).filter(isStatementFormat)),
  /** Null for a workbook. */
  encoding: z.enum(encodings).nullable(),
  kind: z.enum(statementKinds),
  sha256: z.string(),
  /** The name is null where each row has its own offset. */
  zone: z.object({ name: z.string().nullable(), from: z.enum(['given', 'format', 'heading', 'rows']) }),
  account: z.object({ login: z.string().nullable(), currency: z.string().nullable(), server: z.string().nullable() }),
  until: z.string().nullable(),
})
export type StatementFile = z.infer<typeof statementFile>
export type StatementAccount = StatementFile['account']

const line = z.int().positive()
const text = z.string()
const orNull = text.nullable()

const tradeRow = z.object({
  ...{ line, row: z.literal('trade'), login: orNull, id: text, symbol: text, side: z.enum(['buy', 'sell']) },
  ...{ volume: text, openedAt: orNull, at: text, openPrice: orNull, closePrice: orNull, profit: text },
})
const transferRow = z.object({
  ...{ line, row: z.literal('transfer'), login: orNull, id: text, at: text, amount: text, why: text },
})
const dayRow = z.object({
  ...{ line, row: z.literal('day'), login: orNull, date: text, at: text, balance: text, equity: text },
  ...{ lowestEquity: orNull, highestEquity: orNull, trades: z.int().nullable() },
})
const skippedRow = z.object({ line, row: z.literal('skipped'), reason: text })
const faultRow = z.object({ line, row: z.literal('fault'), reason: text })

/** A row of a statement. Amounts, prices and volumes are decimal texts, instants are RFC 3339 in UTC. */
export const statementRow = z.discriminatedUnion('row', [tradeRow, transferRow, dayRow, skippedRow, faultRow])
export type StatementRow = z.infer<typeof statementRow>
export type TradeRow = z.infer<typeof tradeRow>
export type TransferRow = z.infer<typeof transferRow>
export type DayRow = z.infer<typeof dayRow>

/** What a file says of itself, against what its rows give. */
export const statementCheck = z.object({
  name: text,
  /** The row that the check is about. */
  line: line.optional(),
  stated: orNull,
  computed: orNull,
  agrees: z.boolean(),
})
export type StatementCheck = z.infer<typeof statementCheck>

export interface StatementRead {
  readonly file: StatementFile
  readonly rows: readonly StatementRow[]
  readonly checks: readonly StatementCheck[]
  readonly hints: readonly string[]
  readonly says: string
}

/** What a person says about a file, where it does not say it. */
export interface StatementOptions {
  readonly format?: string | undefined
  readonly zone?: string | undefined
  readonly kind?: string | undefined
  readonly decimal?: string | undefined
  readonly dates?: string | undefined
}
