import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import { ruleSentences } from '#services/rules/sentences.ts'
import {
  amountsOf,
  at,
  changed,
  changedOne,
  type Family,
  filled,
  filledAmount,
  inUnit,
  named,
  resized,
  rewritten,
  withSize,
  withValue,
} from './family.ts'

const json = z.record(z.string(), z.json())
const preset = json.parse(presetTerms('two-step', 100_000))
const alone: Family = [{ terms: preset }]
const { limit } = ruleSentences['maximum-loss'].blanks
if (limit?.kind !== 'amount') throw new Error('A limit is an amount')

const sizes = (family: Family) => family.map(({ terms }) => terms['accountSize'])
const names = (family: Family) => family.map(({ terms }) => terms['name'])
const LOSS = 'stages[0].rules[0].limit'
const losses = (family: Family) => family.map(({ terms }) => at(terms, LOSS))

describe('programmes for several sizes', () => {
  it('take the next usual sizes, and the name of each', () => {
    const family = withSize(withSize(alone))
    expect(sizes(family)).toEqual(['100000.00', '5000.00', '10000.00'])
    expect(names(family)).toEqual(['Two-Step 100K', 'Two-Step 5K', 'Two-Step 10K'])
    const [first, second] = resized(family, 1, '2500.00')
    expect([first.terms['name'], second?.terms['name']]).toEqual(['Two-Step 100K', 'Two-Step 2,500'])
    expect(second?.terms['stages']).toEqual(preset['stages'])
  })

  it('are named like the first one, where nobody names them otherwise', () => {
    const family = withSize(withSize([{ terms: { ...preset, name: '' } }]))
    expect(names(named(named(family, 'Sprint'), 'Sprint 100K'))).toEqual(['Sprint 100K', 'Sprint 5K', 'Sprint 10K'])
    expect(names(named(family, 'Sprint'))).toEqual(['Sprint', 'Sprint 5K', 'Sprint 10K'])
    const own = changedOne(family, 1, (member) => ({ ...member, terms: { ...member.terms, name: 'Starter' } }))
    expect(names(named(own, 'Sprint'))).toEqual(['Sprint', 'Starter', 'Sprint 10K'])
  })

  it('are filled in together', () => {
    const family = filled(withSize(alone), 'day.zone', 'Europe/Prague')
    expect(family.map(({ terms }) => at(terms, 'day.zone'))).toEqual(['Europe/Prague', 'Europe/Prague'])
  })

  it('scale dollars, until somebody types others', () => {
    const dollars = inUnit(resized(withSize(alone), 1, '50000.00'), LOSS, 'dollars')
    expect(losses(dollars)).toEqual([{ amount: '10000.00' }, { amount: '5000.00' }])
    const more = filledAmount(dollars, LOSS, '12000.00', limit)
    expect(losses(more)).toEqual([{ amount: '12000.00' }, { amount: '6000.00' }])
    const smaller = resized(more, 1, '10000.00')
    expect(losses(smaller)).toEqual([{ amount: '12000.00' }, { amount: '1200.00' }])
    const typed = changedOne(smaller, 1, (member) => ({
      ...member,
      terms: withValue(member.terms, `${LOSS}.amount`, '1250.00'),
    }))
    expect(losses(filledAmount(typed, LOSS, '8000.00', limit))).toEqual([{ amount: '8000.00' }, { amount: '1250.00' }])
    expect(losses(inUnit(smaller, LOSS, 'account-size'))).toEqual([
      { percent: '12', of: 'account-size' },
      { percent: '12', of: 'account-size' },
    ])
  })

  it('have the dollars that a payout needs in common', () => {
    const [first, second] = withSize(alone)
    expect(amountsOf(first.terms).map(({ label }) => label)).toEqual(['Smallest payout'])
    expect(second && at(second.terms, 'stages[2].payouts.minimum')).toEqual({ amount: '50.00' })
  })

  it('follow a document that was written as JSON, with their own names and dollars', () => {
    const family = changedOne(withSize(alone), 1, (member) => ({
      ...member,
      terms: withValue({ ...member.terms, name: 'Starter' }, 'stages[2].payouts.minimum.amount', '20.00'),
    }))
    const [first, second] = rewritten(family, { ...preset, breaches: 'automatically' })
    expect([first.terms['breaches'], second?.terms['breaches']]).toEqual(['automatically', 'automatically'])
    expect(second?.terms['name']).toBe('Starter')
    expect(second && at(second.terms, 'stages[2].payouts.minimum')).toEqual({ amount: '20.00' })
  })

  it('get and lose rules together', () => {
    const family = changed(withSize(alone), (terms) => withValue(terms, 'stages[0].rules', []))
    expect(family.map(({ terms }) => at(terms, 'stages[0].rules'))).toEqual([[], []])
    expect(preset).toEqual(presetTerms('two-step', 100_000))
  })
})
