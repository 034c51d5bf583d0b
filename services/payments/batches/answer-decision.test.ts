import { describe, expect, it } from 'vitest'
import { paymentStates } from '#services/trading/stream/payout-vocabulary.ts'
import { coveredBy, decideAnswer } from './answer-decision.ts'

const payment = (state: (typeof paymentStates)[number]) => ({ state, amount: 2_944_00, currency: 'EUR' as const })
const answer = (state: 'sent' | 'paid' | 'failed' | 'returned', change = {}) => ({
  ...{ state, amounts: [{ amount: 2_944_00, currency: 'EUR' }], reason: 'AC04', said: null },
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
        expect(
          decideAnswer(payment(state), answer('paid', { amounts: [{ amount: 2_944_00, currency: 'EUR', ...change }] })),
        ).toMatchObject({
          outcome: 'other-amount',
          move: null,
        })
    },
  )

  it('without an amount is about the payment of its reference', () => {
    const { move } = decideAnswer(payment('sent'), answer('failed', { amounts: null }))
    expect(move?.kind).toBe('fail')
  })

  it('on what is on its way anyway is noted with its meaning', () => {
    expect(decideAnswer(payment('sent'), answer('sent', { said: 'ACSP, accepted for execution' }))).toMatchObject({
      outcome: 'noted',
      move: null,
      reason: 'ACSP, accepted for execution',
    })
  })
})

describe('a sum of a batch', () => {
  const items = (...states: readonly (typeof paymentStates)[number][]) =>
    states.map((state, index) => ({ index, ...payment(state), amount: 100 << index }))
  const indexes = (state: 'paid' | 'returned', sum: number, ...states: readonly (typeof paymentStates)[number][]) =>
    coveredBy(answer(state, { amounts: [{ amount: sum, currency: 'EUR' }] }), items(...states))?.map(
      ({ index }) => index,
    )

  it.each([
    ['all', 700, ['sent', 'sent', 'sent'], [0, 1, 2]],
    ['the rest of one that was rejected', 600, ['failed', 'sent', 'sent'], [1, 2]],
    ['all, though one was rejected', 700, ['failed', 'sent', 'sent'], [0, 1, 2]],
    ['what is still on its way', 400, ['paid', 'paid', 'sent'], [2]],
    ['all but one that has left since', 600, ['open', 'sent', 'sent'], [1, 2]],
    ['no part of it', 500, ['sent', 'sent', 'sent'], undefined],
  ] as const)('is about %s', (_what, sum, states, expected) => {
    expect(indexes('paid', sum, ...states)).toEqual(expected)
  })

  it('comes back of what had left', () => {
    expect(indexes('returned', 600, 'failed', 'paid', 'paid')).toEqual([1, 2])
    expect(indexes('returned', 200, 'failed', 'paid', 'returned')).toEqual([1])
  })
})
