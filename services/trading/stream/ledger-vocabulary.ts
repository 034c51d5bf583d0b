import type { Labels } from '#services/framework/api/options.ts'

/** The kinds of entries that move the money of an account. */

export const entryKinds = [
  'trade-result',
  'payout',
  'payout-reversed',
  'fee',
  'deposit',
  'correction',
  'credit',
  'forfeit',
  'forfeit-reversed',
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
  forfeit: 'Forfeit',
  'forfeit-reversed': 'Forfeit booked back',
}

/** Staff book entries of these kinds. */
export const bookedKinds = ['fee', 'credit', 'deposit', 'correction'] as const satisfies readonly EntryKind[]
export type BookedKind = (typeof bookedKinds)[number]

/**
 * One of these kinds explains a balance that was typed or reported: the first money, a balance set together with a
 * phase, an observed transfer, or else trading.
 */
export const typedKinds = [
  'trade-result',
  'deposit',
  'correction',
  'fee',
  'credit',
] as const satisfies readonly EntryKind[]
export type TypedKind = (typeof typedKinds)[number]
