import type { PayeeCheck, PaymentState } from '#services/trading/stream/payout-vocabulary.ts'
import type { AnswerOutcome } from './batch-vocabulary.ts'
import type { RemedyOfReason } from './files/external-reasons.ts'

/** What became of an answer, as far as it says what to do next. */
export interface AnsweredRow {
  readonly outcome: AnswerOutcome
  /** Where the payment is now; null where the answer is about none of ours. */
  readonly payment: PaymentState | null
  readonly payee: PayeeCheck | null
  readonly remedy: RemedyOfReason | null
  /** The answer is about a payment or a batch of ours. */
  readonly isOurs: boolean
}

/** What staff do next about an answer, as a sentence; null where nothing is to be done. */
export function nextStep({ outcome, payment, payee, remedy, isOurs }: AnsweredRow): string | null {
  switch (outcome) {
    case 'recorded':
      return payment === 'failed' || payment === 'returned' ? again[remedy ?? 'bank'] : null
    case 'noted':
      if (payee) return atTheBank[payee]
      return remedy === 'firm' ? 'Confirm or sign the order at the bank.' : remedy === 'bank' ? ASK : null
    case 'duplicate':
      return null
    case 'unknown':
      return isOurs ? ASK : "Look for it in the bank's file: no payment here has this reference."
    case 'other-amount':
      return 'Compare the order with what the bank says, then record the payment by hand.'
    case 'refused':
      return 'Compare the payment with what the bank says, then record by hand what happened.'
  }
}

const ASK = 'Ask the bank what it means.'

const again: Readonly<Record<RemedyOfReason, string>> = {
  destination: 'Ask the trader for another destination, then pay it in a new batch.',
  firm: "Put the firm's account or its rights in order at the bank, then pay it in a new batch.",
  order: 'Ask the bank what it wants to be different, then pay it in a new batch.',
  again: 'Pay it again in a new batch.',
  bank: 'Ask the bank why, then pay it in a new batch.',
  none: 'Ask the bank why, then pay it in a new batch.',
}

const atTheBank: Readonly<Record<PayeeCheck, string | null>> = {
  match: null,
  'close-match': 'Compare the name with the destination before you approve the order at the bank.',
  'no-match': 'Ask the trader about the destination before you approve the order at the bank.',
  'not-possible': 'Decide at the bank whether it is paid without the check.',
}
