import type { Labels } from '#services/framework/api/options.ts'

/**
 * What staff ask a person who says that the second factors are lost: a thing that a thief of the password does not know.
 * Recorded with the removal; the answer is not.
 */
export const removalQuestions = [
  'last-payout',
  'last-payment-reference',
  'order-number',
  'platform-login',
  'known-number-called',
  'document-seen',
] as const
export type RemovalQuestion = (typeof removalQuestions)[number]
export const removalQuestionLabels: Labels<typeof removalQuestions> = {
  'last-payout': 'Amount and day of the last payout',
  'last-payment-reference': 'Reference of the last payment on the own bank statement',
  'order-number': 'Number of the order, and how it was paid',
  'platform-login': 'Login and server on the trading platform',
  'known-number-called': 'Called back on a number known before',
  'document-seen': 'Identity document shown in a call',
}
