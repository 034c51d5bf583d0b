import { describe, expect, it } from 'vitest'
import { presetTerms } from '#services/programmes/programmes/presets.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import { Offer } from '../offer-api.ts'
import { offers } from './offers.ts'

const rule = (name: string, percent: number, amount: string | null) => ({ name, percent, amount })

describe('the offers', () => {
  it('are the six sizes with the terms of both challenges and a link each (specification §9)', () => {
    const all = offers('https://shop.example/{challenge}/{size}?s={size}')
    for (const offer of all) expect(Offer.parse(offer)).toEqual(offer)
    expect(all.map(({ label }) => label)).toEqual(['$5,000', '$10,000', '$25,000', '$50,000', '$100,000', '$200,000'])
    expect(all.map(({ size }) => size)).toEqual([5000, 10000, 25000, 50000, 100000, 200000])
    const limits = [rule('Daily Drawdown', 5, '500.00'), rule('Maximum Loss', 10, '1000.00')]
    expect(all[1]).toEqual({
      label: '$10,000',
      size: 10000,
      oneStep: {
        name: 'One-Step Challenge',
        phase: 'Phase 1',
        maxDrawdown: 10,
        profitTarget: 10,
        maxDailyLoss: 5,
        purchaseUrl: 'https://shop.example/one-step/10000?s=10000',
        price: null,
        programme: 'one-step-10000',
        rules: [rule('Profit Target', 10, '1000.00'), ...limits],
      },
      twoStep: {
        name: 'Two-Step Challenge',
        maxDrawdown: 10,
        phase1Target: 8,
        phase2Target: 5,
        maxDailyLoss: 5,
        purchaseUrl: 'https://shop.example/two-step/10000?s=10000',
        price: null,
        programme: 'two-step-10000',
        rules: [rule('Phase 1 Target', 8, '800.00'), rule('Phase 2 Target', 5, '500.00'), ...limits],
      },
      other: null,
    })
  })

  it('are the same by the presets of the programmes', () => {
    const presets = offers('https://shop.example', (id) =>
      presetTerms(id.startsWith('one') ? 'one-step' : 'two-step', Number(id.split('-').at(-1))),
    )
    expect(presets).toEqual(offers('https://shop.example'))
  })

  it('say only what a programme says, never what another one would', () => {
    const terms = presetTerms('one-step', 10_000)
    const stages = terms.stages.map((stage) => ({
      ...stage,
      rules: stage.rules.flatMap((each): ProgrammeTerms['stages'][number]['rules'] => {
        if (each.kind === 'maximum-loss') return [{ ...each, limit: { amount: '333.33' } }]
        if (each.kind === 'profit-target') return [{ ...each, target: { percent: '6', of: 'account-size' } }]
        return []
      }),
    }))
    const changed: ProgrammeTerms = { ...terms, stages }
    const [, offer] = offers('https://shop.example', () => changed)
    expect(offer?.oneStep).toMatchObject({
      ...{ maxDrawdown: 3.33, maxDailyLoss: null, profitTarget: 6 },
      rules: [rule('Profit Target', 6, '600.00'), rule('Maximum Loss', 3.33, '333.33')],
    })
  })
})
