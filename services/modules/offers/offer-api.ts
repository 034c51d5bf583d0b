import { grouped } from '#services/api/money.ts'
import { namedObject } from '#services/api/openapi-component.ts'
import { answer, get } from '#services/api/route.ts'
import { centsOf } from '#services/money/money.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
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

/**
 * All offers; `{size}` and `{challenge}` (one-step, two-step) in the template give each purchase link.
 *
 * @param termsOf The terms that a programme enrols in now: the percentages are theirs. Without them they are those of
 * the specification.
 */
export function offers(
  template: string,
  termsOf: (programme: string) => ProgrammeTerms | undefined = () => undefined,
): Offer[] {
  return accountSizes.map((size) => {
    const link = (challenge: Challenge) =>
      template.replaceAll('{size}', String(size)).replaceAll('{challenge}', challenge)
    const [oneStep, twoStep] = [programmeOf('one-step', size), programmeOf('two-step', size)]
    const [ofOne, ofTwo] = [termsOf(oneStep), termsOf(twoStep)]
    const limits = (terms: ProgrammeTerms | undefined, otherwise: typeof oneStepTerms | typeof twoStepTerms) => ({
      maxDrawdown: percentIn(terms, 0, 'maximum-loss') ?? otherwise.maxDrawdown,
      maxDailyLoss: percentIn(terms, 0, 'daily-loss') ?? otherwise.maxDailyLoss,
    })
    return {
      label: `$${grouped(String(size))}`,
      size,
      oneStep: {
        ...oneStepTerms,
        ...limits(ofOne, oneStepTerms),
        profitTarget: percentIn(ofOne, 0, 'profit-target') ?? oneStepTerms.profitTarget,
        purchaseUrl: link('one-step'),
        programme: oneStep,
      },
      twoStep: {
        ...twoStepTerms,
        ...limits(ofTwo, twoStepTerms),
        phase1Target: percentIn(ofTwo, 0, 'profit-target') ?? twoStepTerms.phase1Target,
        phase2Target: percentIn(ofTwo, 1, 'profit-target') ?? twoStepTerms.phase2Target,
        purchaseUrl: link('two-step'),
        programme: twoStep,
      },
    }
  })
}

/** What the first rule of a kind says, in percent of the account's size; undefined without one in the stage. */
function percentIn(
  terms: ProgrammeTerms | undefined,
  stage: number,
  kind: 'maximum-loss' | 'daily-loss' | 'profit-target',
): number | undefined {
  const rule = terms?.stages[stage]?.rules.find((each) => each.kind === kind)
  if (!terms || !rule || !('limit' in rule || 'target' in rule)) return undefined
  const amount = 'target' in rule ? rule.target : rule.limit
  if ('percent' in amount) return Number(amount.percent)
  return (centsOf(amount.amount) * 100) / centsOf(terms.accountSize)
}

/** The calls about offers. */
export const offerRoutes = {
  offers: get('/api/offers', 'public', {
    summary: 'The evaluation accounts for sale, with what their programmes say now',
    position: 'waits',
    answer: answer('The six offers', z.array(Offer)),
  }),
}
