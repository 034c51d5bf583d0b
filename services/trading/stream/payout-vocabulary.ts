import type { Labels, Tones } from '#services/framework/api/options.ts'

/** The values that fields of payouts may have, with their labels, and the orders and ages of their list. */

export const payoutStatuses = ['pending', 'approved', 'rejected', 'withdrawn'] as const
export type PayoutStatus = (typeof payoutStatuses)[number]
export const payoutStatusLabels: Labels<typeof payoutStatuses> = {
  pending: 'Pending',
  approved: 'Approved',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
}
export const payoutStatusTones: Tones<typeof payoutStatuses> = {
  pending: 'waiting',
  approved: 'good',
  rejected: 'bad',
  withdrawn: 'review',
}

/** What is promised of a payout: to be decided, and to be sent. */
export const promiseKinds = ['decision', 'sending'] as const
export type PromiseKind = (typeof promiseKinds)[number]
export const promiseKindLabels: Labels<typeof promiseKinds> = { decision: 'Decision', sending: 'Sending' }

/** Ways to be paid (specification §9). */
export const payoutMethods = ['bank', 'paypal', 'crypto', 'skrill'] as const
export const payoutMethodLabels: Labels<typeof payoutMethods> = {
  bank: 'Bank Transfer',
  paypal: 'PayPal',
  crypto: 'Cryptocurrency',
  skrill: 'Skrill',
}

/**
 * The further orders of the list of payouts. 'queue' is the order of work: pending ones first, the oldest on top, then
 * decided ones, the newest first.
 */
export const payoutOrders = ['queue', 'createdAt', '-amount', 'amount', 'status', '-status'] as const

/** The ages in days that staff filter the list by. */
export const payoutAges = ['1', '2', '7', '30'] as const

/** Where the money of an approved payout is. */
export const paymentStates = ['open', 'in-batch', 'sent', 'paid', 'failed', 'returned', 'cancelled'] as const
export type PaymentState = (typeof paymentStates)[number]
export const paymentStateLabels: Labels<typeof paymentStates> = {
  open: 'To be paid',
  'in-batch': 'In a batch',
  sent: 'Sent',
  paid: 'Paid',
  failed: 'Failed',
  returned: 'Returned',
  cancelled: 'Cancelled',
}
export const paymentStateTones: Tones<typeof paymentStates> = {
  open: 'waiting',
  'in-batch': 'waiting',
  sent: 'review',
  paid: 'good',
  failed: 'bad',
  returned: 'bad',
  cancelled: 'plain',
}

/** What the bank of a payee says of name and account, before the money leaves (verification of payee). */
export const payeeChecks = ['match', 'close-match', 'no-match', 'not-possible'] as const
export type PayeeCheck = (typeof payeeChecks)[number]
export const payeeCheckLabels: Labels<typeof payeeChecks> = {
  match: 'Name matches',
  'close-match': 'Name is close',
  'no-match': 'Name does not match',
  'not-possible': 'Name not checked',
}
export const payeeCheckTones: Tones<typeof payeeChecks> = {
  match: 'good',
  'close-match': 'waiting',
  'no-match': 'bad',
  'not-possible': 'plain',
}

/** The networks of a wallet. An address of the second is none of the others. */
export const walletNetworks = ['ERC20', 'TRC20', 'BEP20', 'POLYGON'] as const
export type WalletNetwork = (typeof walletNetworks)[number]
export const walletNetworkLabels: Labels<typeof walletNetworks> = {
  ERC20: 'Ethereum (ERC20)',
  TRC20: 'TRON (TRC20)',
  BEP20: 'BNB Smart Chain (BEP20)',
  POLYGON: 'Polygon',
}
