import type { Labels, Tones } from '#services/framework/api/options.ts'

/** Statement files that staff import. */

export const importKinds = ['days', 'trades'] as const
export type ImportKind = (typeof importKinds)[number]
export const importKindLabels: Labels<typeof importKinds> = { days: 'Days', trades: 'Trades' }

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

/** In bytes and rows. */
export const LARGEST_STATEMENT = 20 * 1024 * 1024
export const MOST_ROWS = 100_000

/** The fields that a column can hold, by the kind of the file. */
export const importFields = {
  days: ['date', 'at', 'balance', 'equity', 'lowestEquity', 'highestEquity', 'trades'],
  trades: ['id', 'openedAt', 'at', 'profit', 'volume'],
} as const
/** The fields that name the account of a row, where the import is not about one account. */
export const ownerFields = ['account', 'server', 'login'] as const

export type ImportField = (typeof importFields)[ImportKind][number] | (typeof ownerFields)[number]

/** Fields that several columns may be summed for: profit, commission and swap. */
export const summedFields: readonly ImportField[] = ['balance', 'equity', 'lowestEquity', 'highestEquity', 'profit']

/** A day need not have a time: it lies in its last second. */
export const optionalFields: readonly ImportField[] = ['at', ...ownerFields]

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
  account: 'Account of the row',
  server: 'Server of the row',
  login: 'Login of the row',
}

export function isImportField(text: string): text is ImportField {
  return Object.hasOwn(importFieldLabels, text)
}
