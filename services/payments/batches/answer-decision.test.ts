import { describe, expect, it } from 'vitest'
import { paymentStates } from '#services/trading/stream/payout-vocabulary.ts'
import { decideAnswer } from './answer-decision.ts'

const payment = (state: (typeof paymentStates)[number]) => ({ state, amount: 2_944_00, currency: 'EUR' as const })
const answer = (state: 'sent' | 'paid' | 'failed' | 'returned', change = {}) => ({
  ...{ state, amount: 2_944_00, currency: 'EUR', reason: 'AC04' },
  ...change,
})

/** What each answer does to a payment in each state: the move, or the outcome. */
const table = (state: (typeof paymentStates)[number]) =>
  (['sent', 'paid', 'failed', 'returned'] as const).map((each) => {
    const { move, outcome, again } = decideAnswer(payment(state), answer(each))
    return move ? `${move.kind}${again ? ' again' : ''}` : outcome
  })

describe('an answer of a bank', () => {
  it.each([
    ['open', ['refused', 'refused', 'refused', 'refused']],
    ['in-batch', ['refused', 'refused', 'refused', 'refused']],
    ['sent', ['duplicate', 'confirm', 'fail', 'confirm again']],
    ['paid', ['duplicate', 'duplicate', 'refused', 'return']],
    ['failed', ['duplicate', 'refused', 'duplicate', 'duplicate']],
    ['returned', ['duplicate', 'duplicate', 'refused', 'duplicate']],
    ['cancelled', ['refused', 'refused', 'refused', 'refused']],
  ] as const)('to a payment that is %s', (state, outcomes) => {
    expect(table(state)).toEqual(outcomes)
  })

  it('carries the reason', () => {
    expect(decideAnswer(payment('sent'), answer('failed')).move).toEqual({ kind: 'fail', reason: 'AC04' })
    expect(decideAnswer(payment('paid'), answer('returned', { reason: null })).move).toEqual({
      kind: 'return',
      reason: '',
    })
  })

  it.each([{ amount: 2_944_01 }, { amount: 0 }, { currency: 'USD' }, { amount: 3_200_00, currency: 'USD' }])(
    'with %j changes nothing',
    (change) => {
      for (const state of paymentStates)
        expect(decideAnswer(payment(state), answer('paid', change))).toMatchObject({
          outcome: 'other-amount',
          move: null,
        })
    },
  )

  it('without an amount is about the payment of its reference', () => {
    const { move } = decideAnswer(payment('sent'), answer('failed', { amount: null, currency: null }))
    expect(move?.kind).toBe('fail')
  })
})
