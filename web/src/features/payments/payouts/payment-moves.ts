import type { AdminPayout, PaymentChange } from '#services/payments/payouts/payout-api.ts'

/** A step that staff can record about the payment of a payout, or its hold. */
export interface PaymentMoveOption {
  readonly value: 'paid' | 'sent' | 'failed' | 'returned' | 'hold' | 'release'
  readonly label: string
  /** The field that has to be typed. */
  readonly needs: 'reference' | 'reason' | 'hold' | null
}

const hold = { value: 'hold', label: 'Put it on hold', needs: 'hold' } as const

/** Returns the steps that are possible now; the server decides. */
export function paymentMoves({
  status,
  payment,
  hold: held,
}: Pick<AdminPayout, 'status' | 'payment' | 'hold'>): readonly PaymentMoveOption[] {
  const release = { value: 'release', label: 'Release the hold', needs: null } as const
  const holding = held ? [release] : [hold]
  if (!payment) return status === 'pending' ? holding : []
  switch (payment.state) {
    case 'open':
      return held ? holding : [{ value: 'paid', label: 'It was paid by hand', needs: 'reference' }, hold]
    case 'in-batch':
      return [{ value: 'sent', label: 'It was sent', needs: null }, ...holding]
    case 'sent':
      return [
        { value: 'paid', label: 'It was paid', needs: null },
        { value: 'failed', label: 'It failed', needs: 'reason' },
      ]
    case 'paid':
      return [{ value: 'returned', label: 'It came back', needs: 'reason' }]
    case 'failed':
    case 'returned':
      return holding
    case 'cancelled':
      return []
  }
}

/** The request of a move. */
export function paymentChange(move: PaymentMoveOption['value'], text: string): PaymentBody {
  switch (move) {
    case 'hold':
      return { hold: text }
    case 'release':
      return { hold: null }
    case 'paid':
      return { state: move, ...(text !== '' && { reference: text }) }
    default:
      return { state: move, ...(text !== '' && { reason: text }) }
  }
}

/** A request as it is sent. */
export type PaymentBody = Partial<PaymentChange>
