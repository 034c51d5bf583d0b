import type { z } from 'zod'
import type { PayoutVerdict } from '#services/payments/payouts/payout-api.ts'
import { excusedCodes, provenCodes, type RejectionCode } from '#services/trading/stream/rejection-vocabulary.ts'

/** Why a payout is rejected, as it is typed. */

type Body = z.input<typeof PayoutVerdict>
export type NamedEvidence = NonNullable<Body['evidence']>[number]

export interface TypedReasons {
  readonly code: RejectionCode
  readonly evidence: readonly NamedEvidence[]
  /** The amount leaves the account. */
  readonly isForfeited: boolean
}

export const noReasons: TypedReasons = { code: 'other', evidence: [], isForfeited: false }

/** Whether the money may leave the account for this reason. */
export function mayForfeit(code: RejectionCode): boolean {
  return !excusedCodes.has(code)
}

/** Whether evidence is named, as this reason asks under a programme. */
export function needsEvidence({ code, evidence }: TypedReasons): boolean {
  return provenCodes.has(code) && evidence.length === 0
}

/** The reasons as the call takes them; nothing where no reason was chosen. */
export function reasonsInBody({
  code,
  evidence,
  isForfeited,
}: TypedReasons): Pick<Body, 'code' | 'evidence' | 'money'> {
  if (code === 'order-refunded') return {}
  return {
    ...(code !== 'other' && { code }),
    ...(evidence.length > 0 && { evidence: [...evidence] }),
    ...(isForfeited && mayForfeit(code) && { money: 'forfeited' as const }),
  }
}
