import type { Labels } from '#services/framework/api/options.ts'

/** Why an order of a shop was not taken. */
export const untakenReasons = [
  'retired',
  'unknown-programme',
  'other-terms',
  'other-content',
  'trader-deleted',
  'refused-email',
] as const
export type UntakenReason = (typeof untakenReasons)[number]

export const untakenReasonLabels: Labels<typeof untakenReasons> = {
  retired: 'The programme is retired',
  'unknown-programme': 'There is no such programme',
  'other-terms': 'Other terms were accepted than those of the programme',
  'other-content': 'The order was taken before, with other content',
  'trader-deleted': 'The trader of this order was deleted',
  'refused-email': 'The email address is none that mail can be sent to',
}

/** How such an order ended: staff enrolled the buyer or dismissed it, or the shop sent it again and it was taken. */
export const settlements = ['enrolled', 'dismissed', 'taken'] as const
export type Settlement = (typeof settlements)[number]

export const settlementLabels: Labels<typeof settlements> = {
  enrolled: 'Enrolled by staff',
  dismissed: 'Dismissed',
  taken: 'Taken when the shop sent it again',
}

export const NO_ORDER = 'Order not found'

/** An order that is sent again in other letter case, or in wide characters, is the same. */
export function sameOrder(order: string): string {
  return order.normalize('NFKC').toLowerCase().trim()
}
