import { movePayment, openPayment, type PaymentMove } from './payment.ts'
import fc from 'fast-check'
import { expect, it } from 'vitest'

const kinds = ['enter-batch', 'leave-batch', 'send', 'confirm', 'fail', 'return', 'cancel'] as const

const anyMove: fc.Arbitrary<PaymentMove> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...kinds).map((kind) => ({ kind })) },
  fc.constantFrom('', 'wire 7', 'p1-1', 'p1-2').map((reference) => ({ kind: 'pay-by-hand' as const, reference })),
  fc.constantFrom('asks the bank', null, null).map((reason) => ({ kind: 'hold' as const, reason })),
)

/** The state and reference after the moves, or the first refusal. */
function after(moves: readonly (PaymentMove | (typeof kinds)[number])[]): string {
  let payment = openPayment('p1')
  for (const move of moves) {
    const decision = movePayment(payment, typeof move === 'string' ? { kind: move } : move)
    if ('refused' in decision) return decision.refused
    payment = decision.payment
  }
  return `${payment.state} ${payment.reference ?? 'none'}`
}

it('goes through a batch, and again with a new reference after a fault or a return', () => {
  expect(after(['enter-batch', 'send', 'confirm'])).toBe('paid p1-1')
  expect(after(['enter-batch', 'send', 'fail', 'enter-batch', 'send'])).toBe('sent p1-2')
  expect(after(['enter-batch', 'send', 'confirm', 'return', 'enter-batch'])).toBe('in-batch p1-2')
})

it('gets back what it was when its batch is cancelled', () => {
  expect(after(['enter-batch', 'leave-batch'])).toBe('open none')
  expect(after(['enter-batch', 'send', 'fail', 'enter-batch', 'leave-batch'])).toBe('failed none')
})

it('is paid by hand with a reference of its own only', () => {
  expect(after([{ kind: 'pay-by-hand', reference: 'wire 7' }])).toBe('paid wire 7')
  expect(after([{ kind: 'pay-by-hand', reference: ' ' }])).toMatch(/give the reference/)
  expect(after([{ kind: 'pay-by-hand', reference: 'p1-1' }])).toMatch(/belongs to a batch/)
  expect(after(['enter-batch', 'send', { kind: 'pay-by-hand', reference: 'wire 7' }])).toMatch(/The payment is sent/)
})

it('goes nowhere on hold, and is not cancelled once sent', () => {
  const hold = { kind: 'hold', reason: 'asks the bank' } as const
  expect(after([hold, 'enter-batch'])).toMatch(/on hold: asks the bank/)
  expect(after(['enter-batch', hold, 'send'])).toMatch(/on hold/)
  expect(after([hold, { kind: 'pay-by-hand', reference: 'wire 7' }])).toMatch(/on hold/)
  expect(after([hold, { kind: 'hold', reason: null }, 'enter-batch'])).toBe('in-batch p1-1')
  expect(after(['enter-batch', 'send', 'cancel'])).toMatch(/The payment is sent/)
})

it('is never paid twice without a return, and uses no reference twice', () => {
  fc.assert(
    fc.property(fc.array(anyMove, { maxLength: 60 }), (moves) => {
      let payment = openPayment('p1')
      let outstanding = 0
      const used: string[] = []
      for (const move of moves) {
        const decision = movePayment(payment, move)
        if ('refused' in decision) continue
        payment = decision.payment
        if (move.kind === 'send' || move.kind === 'pay-by-hand') outstanding += 1
        if (move.kind === 'fail' || move.kind === 'return') outstanding -= 1
        if (move.kind === 'enter-batch' || move.kind === 'pay-by-hand') used.push(payment.reference ?? '')
        expect(outstanding).toBeLessThanOrEqual(1)
        expect(outstanding === 1).toBe(payment.state === 'sent' || payment.state === 'paid')
      }
      expect(new Set(used).size).toBe(used.length)
    }),
    // A cancellation ends most runs early.
    { numRuns: 2000 },
  )
})
