import type { Labels } from '#services/framework/api/options.ts'

/** The reasons of a rejected payout, apart from its other values: most pages do without. */

/** Why a payout was rejected (cases.md, "Reasons"). Only the portal itself gives the last one. */
export const rejectionCodes = [
  'rule',
  'identity',
  'payment-details',
  'duplicate-person',
  'prohibited-trading',
  'incomplete',
  'mistake',
  'other',
  'order-refunded',
] as const
export type RejectionCode = (typeof rejectionCodes)[number]
export const rejectionCodeLabels: Labels<typeof rejectionCodes> = {
  rule: 'A rule of the programme',
  identity: 'Identity',
  'payment-details': 'Payment details',
  'duplicate-person': 'Duplicate person',
  'prohibited-trading': 'Prohibited trading',
  incomplete: 'Incomplete request',
  mistake: 'Our mistake',
  other: 'Another reason',
  'order-refunded': 'The order was refunded',
}

/** The codes that staff choose from. */
export const chosenRejectionCodes = rejectionCodes.filter((code) => code !== 'order-refunded')

/** Under a programme these codes need evidence. */
export const provenCodes: ReadonlySet<RejectionCode> = new Set(['rule', 'prohibited-trading'])

/** With these codes the money stays. */
export const excusedCodes: ReadonlySet<RejectionCode> = new Set(['mistake', 'other'])

/** What becomes of the amount of a rejected payout. */
export const rejectedMoney = ['stays', 'forfeited'] as const
export type RejectedMoney = (typeof rejectedMoney)[number]
export const rejectedMoneyLabels: Labels<typeof rejectedMoney> = {
  stays: 'It stays available',
  forfeited: 'It leaves the account',
}
