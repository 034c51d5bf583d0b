import { grouped } from '#services/api/money.ts'
import { namedObject } from '#services/api/openapi-component.ts'
import { answer, get } from '#services/api/route.ts'
import { z } from 'zod'
import { accountSizes, type Challenge, programmeOf } from './challenges.ts'

/** Evaluation accounts for sale: six sizes, each with two challenges and where to buy them (specification §2, §9). */

const purchaseUrl = z.url({ protocol: /^https?$/ })

/** Percentages of the account's size. */
const oneStepTerms = {
  name: 'One-Step Challenge',
  phase: 'Phase 1',
  maxDrawdown: 10,
  profitTarget: 10,
  maxDailyLoss: 5,
} as const
const twoStepTerms = {
  name: 'Two-Step Challenge',
  maxDrawdown: 10,
  phase1Target: 8,
  phase2Target: 5,
  maxDailyLoss: 5,
} as const

export const Offer = namedObject('Offer', {
  label: z.string(),
  size: z.int().positive(),
  oneStep: z.object({
    name: z.string(),
    phase: z.string(),
    maxDrawdown: z.number(),
    profitTarget: z.number(),
    maxDailyLoss: z.number(),
    purchaseUrl,
    /** The id of the programme that it enrols in. */
    programme: z.string(),
  }),
  twoStep: z.object({
    name: z.string(),
    maxDrawdown: z.number(),
    phase1Target: z.number(),
    phase2Target: z.number(),
    maxDailyLoss: z.number(),
    purchaseUrl,
    programme: z.string(),
  }),
})
export type Offer = z.infer<typeof Offer>

/** All offers; `{size}` and `{challenge}` (one-step, two-step) in the template give each purchase link. */
export function offers(template: string): Offer[] {
  return accountSizes.map((size) => {
    const link = (challenge: Challenge) =>
      template.replaceAll('{size}', String(size)).replaceAll('{challenge}', challenge)
    return {
      label: `$${grouped(String(size))}`,
      size,
      oneStep: { ...oneStepTerms, purchaseUrl: link('one-step'), programme: programmeOf('one-step', size) },
      twoStep: { ...twoStepTerms, purchaseUrl: link('two-step'), programme: programmeOf('two-step', size) },
    }
  })
}

/** The calls about offers. */
export const offerRoutes = {
  offers: get('/api/offers', 'public', {
    summary: 'The evaluation accounts for sale',
    answer: answer('The six offers', z.array(Offer)),
  }),
}
