/** The payment axis of an approved payout: what may happen to its money, as a pure decision. */

/** What a payment may be before a batch takes it; a cancelled batch gives this state back. */
type Owed = 'open' | 'failed' | 'returned'

/** Where the money of an approved payout is. */
export type PaymentState = Owed | 'in-batch' | 'sent' | 'paid' | 'cancelled'

/** The payment of one payout; `attempt` counts the references that were given. */
export interface Payment {
  readonly payoutId: string
  readonly state: PaymentState
  readonly owedAs: Owed
  readonly attempt: number
  readonly reference: string | null
  readonly hold: string | null
}

/** A move of a payment; `pay-by-hand` is a transfer that no batch made. */
export type PaymentMove =
  | { readonly kind: 'enter-batch' | 'leave-batch' | 'send' | 'confirm' | 'fail' | 'return' | 'cancel' }
  | { readonly kind: 'pay-by-hand'; readonly reference: string }
  | { readonly kind: 'hold'; readonly reason: string | null }

/** The payment after a move, or why the move is refused. */
export type PaymentDecision = { readonly payment: Payment } | { readonly refused: string }

const drawn: Record<PaymentMove['kind'], readonly PaymentState[]> = {
  'enter-batch': ['open', 'failed', 'returned'],
  'leave-batch': ['in-batch'],
  send: ['in-batch'],
  confirm: ['sent'],
  fail: ['sent'],
  return: ['paid'],
  cancel: ['open', 'in-batch', 'failed', 'returned'],
  'pay-by-hand': ['open'],
  hold: ['open', 'in-batch', 'sent', 'paid', 'failed', 'returned'],
}

const heldBack: ReadonlySet<PaymentMove['kind']> = new Set(['enter-batch', 'send', 'pay-by-hand'])

/** The payment of a payout that was just approved. */
export function openPayment(payoutId: string): Payment {
  return { payoutId, state: 'open', owedAs: 'open', attempt: 0, reference: null, hold: null }
}

/** Decides a move of a payment. */
export function movePayment(payment: Payment, move: PaymentMove): PaymentDecision {
  if (!drawn[move.kind].includes(payment.state)) {
    return { refused: `The payment is ${payment.state}; this is not possible any more or not yet` }
  }
  if (payment.hold !== null && heldBack.has(move.kind)) {
    return { refused: `The payment is on hold: ${payment.hold}. Please lift the hold first` }
  }
  switch (move.kind) {
    case 'enter-batch':
      return enterBatch(payment)
    case 'leave-batch':
      return { payment: { ...payment, state: payment.owedAs, reference: null } }
    case 'send':
      return { payment: { ...payment, state: 'sent' } }
    case 'confirm':
      return { payment: { ...payment, state: 'paid' } }
    case 'fail':
      return owed(payment, 'failed')
    case 'return':
      return owed(payment, 'returned')
    case 'cancel':
      return { payment: { ...payment, state: 'cancelled' } }
    case 'pay-by-hand':
      return payByHand(payment, move.reference)
    case 'hold':
      return { payment: { ...payment, hold: move.reason } }
  }
}

function owed(payment: Payment, state: Owed): PaymentDecision {
  return { payment: { ...payment, state, owedAs: state } }
}

function enterBatch(payment: Payment): PaymentDecision {
  const attempt = payment.attempt + 1
  const reference = `${payment.payoutId}-${attempt}`
  return /^[A-Za-z0-9-]{1,30}$/.test(reference)
    ? { payment: { ...payment, state: 'in-batch', attempt, reference } }
    : { refused: `The reference ${reference} does not fit: at most 30 letters, digits and hyphens` }
}

function payByHand(payment: Payment, reference: string): PaymentDecision {
  if (reference.trim() === '') return { refused: 'Please give the reference of the transfer' }
  // A batch gives these names, and each of them once.
  const ofBatch = reference.startsWith(`${payment.payoutId}-`)
  return ofBatch
    ? { refused: 'This reference belongs to a batch; please give the one of the transfer' }
    : { payment: { ...payment, state: 'paid', reference } }
}
