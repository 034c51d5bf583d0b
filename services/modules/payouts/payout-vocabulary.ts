import type { Labels, Tones } from '#services/api/options.ts'

/** The values that fields of payouts may have, with their labels, and the orders of their list. */

export const payoutStatuses = ['pending', 'approved', 'rejected', 'withdrawn'] as const
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
