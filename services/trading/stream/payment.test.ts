import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Refused } from '#services/event-sourcing/refusal.ts'
import { payoutId } from '#services/framework/ids.ts'
import { toCents } from '#services/rules/money.ts'
import { movePayment, openPayment, type PaidPayout, paymentAfter, type PaymentMove, wasSent } from './payment.ts'

const id = payoutId.parse('trader01-a1-p1')
const approved: PaidPayout = {
  id,
  payment: openPayment(0),
  attempts: 0,
  shares: { trader: toCents(80_00) },
  hold: null,
}

/** The payout after a move. */
function moved(payout: PaidPayout, move: PaymentMove, at = 0): PaidPayout {
  return movePayment(payout, move).reduce((before, event) => {
    if (!before.payment) throw new Error('It is not approved')
    const attempts = event.type === 'PaymentBatched' ? event.data.attempt : before.attempts
    return { ...before, attempts, payment: paymentAfter(before.payment, { ...event, at }) }
  }, payout)
}

const enter: PaymentMove = { kind: 'enter-batch', batch: 'b1' }
const leave: PaymentMove = { kind: 'leave-batch' }
const send: PaymentMove = { kind: 'send' }
const confirm: PaymentMove = { kind: 'confirm' }
const fail: PaymentMove = { kind: 'fail', reason: 'AC01' }
const comeBack: PaymentMove = { kind: 'return', reason: 'AC04' }
const cancel: PaymentMove = { kind: 'cancel' }
const byHand = (reference: string): PaymentMove => ({ kind: 'pay-by-hand', reference })

/** The state and reference after the moves, or the first refusal. */
function after(moves: readonly PaymentMove[], payout = approved): string {
  try {
    const { payment } = moves.reduce((before, move) => moved(before, move), payout)
    return `${payment?.state ?? ''} ${payment?.reference ?? 'none'}`
  } catch (error) {
    if (error instanceof Refused) return `${error.kind}: ${error.message}`
    throw error
  }
}

it('goes through a batch, and again with a new reference after a fault or a return', () => {
  expect(after([enter, send, confirm])).toBe(`paid ${id}-1`)
  expect(after([enter, send, fail, enter, send])).toBe(`sent ${id}-2`)
  expect(after([enter, send, confirm, comeBack, enter])).toBe(`in-batch ${id}-2`)
})

it('gets back what it was when it leaves its batch, and never the same reference again', () => {
  expect(after([enter, leave])).toBe('open none')
  expect(after([enter, leave, enter])).toBe(`in-batch ${id}-2`)
  expect(after([enter, send, fail, enter, leave])).toBe('failed none')
})

it('tells each event with what the trader receives', () => {
  const inBatch = moved(approved, enter)
  const sent = moved(inBatch, send)
  const details = { payoutId: id, amount: 80_00, reference: `${id}-1` }
  expect(movePayment(approved, enter)).toEqual([
    { type: 'PaymentBatched', data: { payoutId: id, from: 'open', batch: 'b1', attempt: 1, reference: `${id}-1` } },
  ])
  expect(movePayment(inBatch, leave)).toEqual([
    { type: 'PaymentUnbatched', data: { payoutId: id, to: 'open', batch: 'b1', reference: `${id}-1` } },
  ])
  expect(movePayment(inBatch, send)).toEqual([{ type: 'PaymentSent', data: { ...details, byHand: false } }])
  expect(movePayment(sent, confirm)).toEqual([{ type: 'PaymentPaid', data: { ...details, from: 'sent' } }])
  expect(movePayment(sent, fail)).toEqual([{ type: 'PaymentFailed', data: { ...details, reason: 'AC01' } }])
  expect(movePayment(moved(sent, confirm), comeBack)).toEqual([
    { type: 'PaymentReturned', data: { ...details, reason: 'AC04' } },
  ])
  expect(movePayment(inBatch, cancel)).toEqual([
    { type: 'PaymentCancelled', data: { payoutId: id, amount: 80_00, from: 'in-batch' } },
  ])
})

it('is paid by hand with a reference of its own only', () => {
  expect(after([byHand(' wire 7 ')])).toBe('paid wire 7')
  expect(after([byHand(' ')])).toMatch(/^invalid: Please give the reference/)
  expect(after([byHand(`${id}-1`)])).toMatch(/^invalid: Only a batch/)
  expect(after([enter, send, byHand('wire 7')])).toMatch(/^conflict: The payment is sent/)
})

it('goes nowhere on hold or before an approval, and is not cancelled once sent', () => {
  const held = { ...approved, hold: { reason: 'asks the bank' } }
  for (const move of [enter, byHand('wire 7')]) expect(after([move], held)).toMatch(/on hold \(asks the bank\)/)
  expect(after([send], { ...moved(approved, enter), hold: held.hold })).toMatch(/on hold/)
  expect(after([confirm], { ...moved(moved(approved, enter), send), hold: held.hold })).toBe(`paid ${id}-1`)
  expect(after([enter], { ...approved, payment: null, shares: null })).toMatch(/not approved/)
  expect(after([enter, send, cancel])).toMatch(/^conflict: The payment is sent/)
  expect(after([cancel, enter])).toMatch(/^conflict: The payment is cancelled/)
})

const anyMove = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(enter, leave, send, confirm, fail, comeBack, cancel) },
  fc.constantFrom('', 'wire 7', `${id}-1`, `${id}-2`).map(byHand),
)

it('is never paid twice without a return, and uses no reference twice', () => {
  let twice = 0
  fc.assert(
    fc.property(fc.array(anyMove, { maxLength: 60 }), (moves) => {
      let payout = approved
      let outstanding = 0
      const used: string[] = []
      for (const move of moves) {
        try {
          payout = moved(payout, move)
        } catch (error) {
          if (!(error instanceof Refused)) throw error
          continue
        }
        const { payment } = payout
        if (move.kind === 'send' || move.kind === 'pay-by-hand') outstanding += 1
        if (move.kind === 'fail' || move.kind === 'return') outstanding -= 1
        if (move.kind === 'enter-batch' || move.kind === 'pay-by-hand') used.push(payment?.reference ?? '')
        expect(outstanding).toBeLessThanOrEqual(1)
        expect(outstanding === 1).toBe(payment?.state === 'sent' || payment?.state === 'paid')
        if (outstanding === 1) expect(wasSent(payment)).toBe(true)
      }
      if (used.length > 1) twice += 1
      expect(new Set(used).size).toBe(used.length)
    }),
    // A cancellation ends most runs early.
    { numRuns: 2000 },
  )
  expect(twice).toBeGreaterThan(0)
})
