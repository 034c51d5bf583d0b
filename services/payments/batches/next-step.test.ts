import { expect, it } from 'vitest'
import { answerOutcomes } from './batch-vocabulary.ts'
import { externalReasons } from './files/external-reasons.ts'
import { nextStep } from './next-step.ts'

const row = { payment: 'sent', payee: null, remedy: null, isOurs: true } as const

it('says for each reason of ISO 20022 who can do something about a payment that did not arrive', () => {
  const step = (code: string) =>
    nextStep({ ...row, outcome: 'recorded', payment: 'failed', remedy: externalReasons.get(code)?.remedy ?? null })
  expect(step('AC01')).toBe('Ask the trader for another destination, then pay it in a new batch.')
  expect(step('AM04')).toMatch(/^Put the firm's account/)
  expect(step('AM05')).toMatch(/^Ask the bank what it wants/)
  expect(step('AB05')).toBe('Pay it again in a new batch.')
  expect(step('MS03')).toBe('Ask the bank why, then pay it in a new batch.')
  expect(step('of the bank alone')).toBe('Ask the bank why, then pay it in a new batch.')
})

it('leaves nothing to do where money arrived, and asks for somebody where nothing was recorded', () => {
  const steps = answerOutcomes.map((outcome) => nextStep({ ...row, outcome, payment: 'paid' }) !== null)
  expect(steps).toEqual([false, false, false, true, true, true])
})

it('asks to look before an order is approved whose payee has another name', () => {
  const steps = (['match', 'close-match', 'no-match', 'not-possible'] as const).map((payee) =>
    nextStep({ ...row, outcome: 'noted', payee }),
  )
  expect(steps).toEqual([
    null,
    'Compare the name with the destination before you approve the order at the bank.',
    'Ask the trader about the destination before you approve the order at the bank.',
    'Decide at the bank whether it is paid without the check.',
  ])
})
