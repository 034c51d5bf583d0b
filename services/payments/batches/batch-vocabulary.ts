import type { Labels, Tones } from '#services/framework/api/options.ts'

/** The values that fields of batches may have, with their labels. */

export const batchFormats = ['pain.001', 'wise', 'paypal', 'crypto', 'csv'] as const
export type BatchFormat = (typeof batchFormats)[number]
export const batchFormatLabels: Labels<typeof batchFormats> = {
  'pain.001': 'SEPA credit transfer (pain.001)',
  wise: 'Wise (CSV)',
  paypal: 'PayPal (CSV)',
  crypto: 'Wallets (CSV)',
  csv: 'Plain list (CSV)',
}

export const batchCurrencies = ['USD', 'EUR'] as const
export type BatchCurrency = (typeof batchCurrencies)[number]

export const batchStates = ['open', 'released', 'cancelled'] as const
export const batchStateLabels: Labels<typeof batchStates> = {
  open: 'Open',
  released: 'Released',
  cancelled: 'Cancelled',
}
export const batchStateTones: Tones<typeof batchStates> = { open: 'waiting', released: 'good', cancelled: 'review' }

/**
 * How the files of a batch are written. Release 0.2.0 wrote version 1: it carries the second of the release, the network
 * of a wallet is in its note, and there is no file for people. Version 2 carries the day, so that the file can be seen
 * before the release.
 */
export const FILE_VERSION = 2
export type FileVersion = 1 | typeof FILE_VERSION

/** The media type of a spreadsheet (XLSX). */
export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** The most payments that the reader of a format takes in one file. */
export const mostPayments: Readonly<Record<BatchFormat, number>> = {
  'pain.001': 5000,
  wise: 1000,
  paypal: 5000,
  crypto: 500,
  csv: 5000,
}

/** The formats of a bank's answers. */
export const answerFormats = ['csv', 'pain.002', 'camt.053'] as const
export type AnswerFormat = (typeof answerFormats)[number]
export const answerFormatLabels: Labels<typeof answerFormats> = {
  csv: 'Table (CSV)',
  'pain.002': 'Status report (pain.002)',
  'camt.053': 'Statement (camt.053)',
}

/** The outcomes of an answer: only the first moves money. */
export const answerOutcomes = ['recorded', 'noted', 'duplicate', 'unknown', 'other-amount', 'refused'] as const
export type AnswerOutcome = (typeof answerOutcomes)[number]
export const answerOutcomeLabels: Labels<typeof answerOutcomes> = {
  recorded: 'Recorded',
  noted: 'Noted',
  duplicate: 'Known already',
  unknown: 'Unknown',
  'other-amount': 'Another amount',
  refused: 'Not possible',
}
export const answerOutcomeTones: Tones<typeof answerOutcomes> = {
  recorded: 'good',
  noted: 'plain',
  duplicate: 'plain',
  unknown: 'bad',
  'other-amount': 'bad',
  refused: 'bad',
}

/** In bytes: 4 MB. A bank's statement with 1,000 payments has about 1.5 MB. */
export const LARGEST_ANSWER_FILE = 4 * 1024 * 1024
