import type { PaymentMove } from '#services/trading/stream/payment.ts'
import type { PaymentState } from '#services/trading/stream/payout-vocabulary.ts'
import type { AnswerOutcome, BatchCurrency } from './batch-vocabulary.ts'
import type { Amount, AnsweredState, BankAnswer } from './files/bank-answer.ts'

/** A bank's answer moves a payment, or changes nothing for a reason. */

/** A payment under the reference of the answer, with the amount that its file had. */
export interface AnsweredPayment {
  readonly state: PaymentState
  /** In cents of the currency. */
  readonly amount: number
  readonly currency: BatchCurrency
}

export type AnswerToPayment = Pick<BankAnswer, 'state' | 'amounts' | 'reason' | 'said'>

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
  if (!fits(answer.amounts, payment))
    return nothing('other-amount', 'The amount or the currency is another than in the file of the batch')
  // On its way is what it is: what the bank says of that is worth reading.
  if (answer.state === null || (answer.state === 'sent' && state === 'sent' && answer.said !== null))
    return nothing('noted', answer.said ?? '')
  if (state === answer.state || passedBy[answer.state].includes(state)) return nothing('duplicate', 'Known already')
  const reason = answer.reason ?? ''
  if (state === 'sent' && answer.state === 'paid') return recorded({ kind: 'confirm' })
  if (state === 'sent' && answer.state === 'failed') return recorded({ kind: 'fail', reason })
  if (state === 'sent' && answer.state === 'returned') return { ...recorded({ kind: 'confirm' }), again: true }
  if (state === 'paid' && answer.state === 'returned') return recorded({ kind: 'return', reason })
  return nothing('refused', whyNot[state])
}

/** The states in which an answer is old news. What came back was paid before. */
const passedBy: Readonly<Record<AnsweredState, readonly PaymentState[]>> = {
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

/** Whether one of the amounts that a bank names is that of an order. */
export function fits(amounts: readonly Amount[] | null, { amount, currency }: Amount): boolean {
  return amounts === null || amounts.some((each) => each.amount === amount && each.currency === currency)
}

/**
 * The payments of a batch that one sum is about: all that did not fail, or all, or all that are on their way. A bank
 * books the rest of a batch in one sum where it rejected some. One that is open has left the batch since.
 */
export function coveredBy<Item extends AnsweredPayment>(
  { state, amounts }: AnswerToPayment,
  items: readonly Item[],
): readonly Item[] | undefined {
  const within = (...states: readonly PaymentState[]) => items.filter((item) => states.includes(item.state))
  const choices =
    state === 'returned'
      ? [within('paid', 'sent'), within('paid'), items]
      : [
          items.filter((item) => item.state !== 'failed'),
          items.filter((item) => item.state !== 'failed' && item.state !== 'open'),
          items,
          within('sent'),
        ]
  return choices.find((some) => {
    const [one] = some
    return one && fits(amounts, { amount: some.reduce((sum, { amount }) => sum + amount, 0), currency: one.currency })
  })
}

function nothing(outcome: Exclude<AnswerOutcome, 'recorded'>, reason: string): AnswerDecision {
  return { outcome, move: null, again: false, reason }
}

function recorded(move: PaymentMove): AnswerDecision {
  return { outcome: 'recorded', move, again: false, reason: null }
}
