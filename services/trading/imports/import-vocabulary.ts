import type { Labels, Tones } from '#services/framework/api/options.ts'

/** Statement files that staff import. */

export const importKinds = ['days', 'trades', 'transfers'] as const
export type ImportKind = (typeof importKinds)[number]
export const importKindLabels: Labels<typeof importKinds> = { days: 'Days', trades: 'Trades', transfers: 'Ledger rows' }

/** The rows that a mapping can describe. */
export const mappedKinds = ['days', 'trades'] as const
export type MappedKind = (typeof mappedKinds)[number]

export const importStates = ['preview', 'running', 'done', 'lost'] as const
export type ImportState = (typeof importStates)[number]
export const importStateLabels: Labels<typeof importStates> = {
  preview: 'Preview',
  running: 'Running',
  done: 'Done',
  lost: 'Rows gone',
}
export const importStateTones: Tones<typeof importStates> = {
  preview: 'waiting',
  running: 'review',
  done: 'good',
  lost: 'bad',
}

/** In bytes. */
export const LARGEST_STATEMENT = 40 * 1024 * 1024

/** The fields that a column can hold, by the kind of the file. */
export const importFields = {
  days: ['date', 'at', 'balance', 'equity', 'lowestEquity', 'highestEquity', 'trades'],
  trades: ['id', 'openedAt', 'at', 'profit', 'volume', 'symbol', 'side', 'openPrice', 'closePrice'],
} as const
/** The fields that name the account of a row, where the import is not about one account. */
export const ownerFields = ['account', 'server', 'login'] as const

export type ImportField = (typeof importFields)[MappedKind][number] | (typeof ownerFields)[number]

/** Fields that several columns may be summed for: profit, commission and swap. */
export const summedFields: readonly ImportField[] = ['balance', 'equity', 'lowestEquity', 'highestEquity', 'profit']

/** A day need not have a time: it lies in its last second. A trade need not say what was traded. */
export const optionalFields: readonly ImportField[] = [
  'at',
  'symbol',
  'side',
  'openPrice',
  'closePrice',
  ...ownerFields,
]

export const importFieldLabels: Readonly<Record<ImportField, string>> = {
  date: 'Date',
  at: 'Time of the close',
  balance: 'Balance',
  equity: 'Equity',
  lowestEquity: 'Lowest equity',
  highestEquity: 'Highest equity',
  trades: 'Number of trades',
  id: 'Trade number',
  openedAt: 'Time of the opening',
  profit: 'Profit, net of commission and swap',
  volume: 'Volume',
  symbol: 'Symbol',
  side: 'Side, buy or sell',
  openPrice: 'Price of the opening',
  closePrice: 'Price of the close',
  account: 'Account of the row',
  server: 'Server of the row',
  login: 'Login of the row',
}

export function isImportField(text: string): text is ImportField {
  return Object.hasOwn(importFieldLabels, text)
}

/** What becomes of a conflict: the new content replaces the known one, or the known one stays. */
export const conflictDecisions = ['new', 'known'] as const
export type ConflictDecision = (typeof conflictDecisions)[number]
export const conflictDecisionLabels: Labels<typeof conflictDecisions> = {
  new: 'New one taken',
  known: 'Known one kept',
}
