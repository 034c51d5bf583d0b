import type { PaymentMove } from '#services/trading/stream/payment.ts'
import type { PaymentState } from '#services/trading/stream/payout-vocabulary.ts'
import type { AnswerOutcome, BatchCurrency } from './batch-vocabulary.ts'

/** A bank's answer moves a payment, or changes nothing for a reason. */

/** A payment under the reference of the answer, with the amount that its file had. */
export interface AnsweredPayment {
  readonly state: PaymentState
  /** In cents of the currency. */
  readonly amount: number
  readonly currency: BatchCurrency
}

export interface AnswerToPayment {
  readonly state: 'sent' | 'paid' | 'failed' | 'returned'
  /** Null where the answer states none. */
  readonly amount: number | null
  readonly currency: string | null
  readonly reason: string | null
}

export interface AnswerDecision {
  readonly outcome: AnswerOutcome
  /** Null where it changes nothing. */
  readonly move: PaymentMove | null
  /** After the move the answer has to be decided again: a bank returns what it had paid. */
  readonly again: boolean
  /** Why it changes nothing; null where it does. */
  readonly reason: string | null
}

/** The same answer again changes nothing, and neither does one with another amount. */
export function decideAnswer(payment: AnsweredPayment, answer: AnswerToPayment): AnswerDecision {
  const { state } = payment
  if (answer.amount !== null && (answer.amount !== payment.amount || answer.currency !== payment.currency))
    return nothing('other-amount', 'The amount or the currency is another than in the file of the batch')
  if (state === answer.state || passedBy[answer.state].includes(state)) return nothing('duplicate', 'Known already')
  const reason = answer.reason ?? ''
  if (state === 'sent' && answer.state === 'paid') return recorded({ kind: 'confirm' })
  if (state === 'sent' && answer.state === 'failed') return recorded({ kind: 'fail', reason })
  if (state === 'sent' && answer.state === 'returned') return { ...recorded({ kind: 'confirm' }), again: true }
  if (state === 'paid' && answer.state === 'returned') return recorded({ kind: 'return', reason })
  return nothing('refused', whyNot[state])
}

/** The states in which an answer is old news. What came back was paid before. */
const passedBy: Readonly<Record<AnswerToPayment['state'], readonly PaymentState[]>> = {
  sent: ['paid', 'failed', 'returned'],
  paid: ['returned'],
  failed: [],
  returned: ['failed'],
}

const whyNot: Readonly<Record<PaymentState, string>> = {
  open: 'The payment is not in a batch',
  'in-batch': 'The batch of this payment is not released yet',
  sent: 'The payment was sent',
  paid: 'The payment was recorded as paid. Only a return changes that.',
  failed: 'The payment was recorded as failed. Look into it before you pay it again.',
  returned: 'The payment was recorded as returned. Look into it before you pay it again.',
  cancelled: 'The payment was cancelled, because its person was deleted',
}

function nothing(outcome: Exclude<AnswerOutcome, 'recorded'>, reason: string): AnswerDecision {
  return { outcome, move: null, again: false, reason }
}

function recorded(move: PaymentMove): AnswerDecision {
  return { outcome: 'recorded', move, again: false, reason: null }
}
