import type { Labels } from '#services/framework/api/options.ts'

/** What moves the money of an account. */

export const entryKinds = [
  'trade-result',
  'payout',
  'payout-reversed',
  'fee',
  'deposit',
  'correction',
  'credit',
] as const
export type EntryKind = (typeof entryKinds)[number]

export const entryKindLabels: Labels<typeof entryKinds> = {
  'trade-result': 'Trading result',
  payout: 'Payout',
  'payout-reversed': 'Payout booked back',
  fee: 'Fee',
  deposit: 'Deposit',
  correction: 'Correction',
  credit: 'Credit',
}

/** What staff book as entries of their own. */
export const bookedKinds = ['fee', 'credit', 'deposit', 'correction'] as const satisfies readonly EntryKind[]
export type BookedKind = (typeof bookedKinds)[number]

/**
 * What can explain a balance that was typed or reported: the first money, one set together with a phase, a transfer that
 * was observed, or else trading.
 */
export const typedKinds = [
  'trade-result',
  'deposit',
  'correction',
  'fee',
  'credit',
] as const satisfies readonly EntryKind[]
export type TypedKind = (typeof typedKinds)[number]
