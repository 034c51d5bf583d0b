import { z } from 'zod'
import { money, oneOf } from './amount.ts'
import { consistency } from './consistency.ts'
import { dailyLoss } from './daily-loss.ts'
import { inactivity } from './inactivity.ts'
import { maximumDays } from './maximum-days.ts'
import { maximumLoss } from './maximum-loss.ts'
import { minimumDays } from './minimum-days.ts'
import { payoutTerms } from './payouts.ts'
import { profitTarget } from './profit-target.ts'
import type { AnyRule, StageFacts } from './rule.ts'
import { flatAt } from './flat-at.ts'
import { hedging } from './hedging.ts'
import { holdingTime } from './holding-time.ts'
import { news } from './news.ts'
import { shortTrades } from './short-trades.ts'
import { instruments } from './symbol-name.ts'
import { symbols } from './symbols.ts'
import { tradesPerDay } from './trades-per-day.ts'
import { volume } from './volume.ts'
import { timeOfDay, zoneName } from './day-terms.ts'

/** A programme: the terms of a firm, written once, as data (rules.md). Every parameter is required. */

/** The kinds of rules. A new kind is a file and a line here; the compiler then asks for its label and its sentence. */
const kinds = {
  'maximum-loss': maximumLoss,
  'daily-loss': dailyLoss,
  'profit-target': profitTarget,
  'minimum-days': minimumDays,
  'maximum-days': maximumDays,
  inactivity,
  consistency,
  'holding-time': holdingTime,
  'flat-at': flatAt,
  news,
  volume,
  symbols,
  hedging,
  'trades-per-day': tradesPerDay,
  'short-trades': shortTrades,
}

const { 'maximum-loss': first, ...others } = kinds

export const rule = z.discriminatedUnion('kind', [first.schema, ...Object.values(others).map(({ schema }) => schema)], {
  error: `expected "kind" to be one of ${Object.keys(kinds).join(', ')}`,
})
export type RuleTerms = z.infer<typeof rule>

/** The terms of a rule that judges single trades (behaviour.md). */
export type BehaviourTerms = Extract<RuleTerms, { readonly tolerated: number }>

export function judgesTrades(terms: RuleTerms): terms is BehaviourTerms {
  return 'tolerated' in terms
}

export function compileRule(terms: RuleTerms, size: number, stage: StageFacts): AnyRule {
  return kinds[terms.kind].compile(terms, size, stage)
}

const name = z.string('expected a text').min(1, 'expected a text').max(200, 'expected at most 200 characters')

const common = { name, rules: z.array(rule, 'expected a list of rules').max(100, 'expected at most 100 rules') }

const hoursText = 'expected a whole number of hours from 1 to 8760'
const hours = z.int(hoursText).min(1, hoursText).max(8_760, hoursText)

/** What the firm promises of payouts: the hours from the request to the verdict, and from the approval to the sending. */
export const promises = z.strictObject({ decidedWithinHours: hours, sentWithinHours: hours })
export type Promises = z.infer<typeof promises>

export const fundedStage = z.strictObject({
  ...common,
  funded: z.literal(true, 'expected "funded" to be true'),
  payouts: payoutTerms,
  promises: promises.exactOptional(),
})

export const evaluationStage = z.strictObject({ ...common, funded: z.literal(false) })

/** "`payouts` stands in every funded stage and in no other." @param stages of both kinds, as a place takes them */
export function stagesOf<Funded extends typeof fundedStage, Evaluation extends typeof evaluationStage>(
  funded: Funded,
  evaluation: Evaluation,
) {
  const stage = z.discriminatedUnion('funded', [funded, evaluation], { error: 'expected "funded" to be true or false' })
  return z.array(stage, 'expected a list of stages').min(1, 'expected a stage').max(20, 'expected at most 20 stages')
}

export const programme = z.strictObject({
  name,
  currency: z.string('expected a currency like "USD"').regex(/^[A-Z]{3}$/, 'expected a currency like "USD"'),
  accountSize: money.refine((size) => !/^0\.00$/.test(size), 'expected an amount above "0.00"'),
  day: z.strictObject({
    zone: zoneName,
    startsAt: timeOfDay,
  }),
  breaches: oneOf('proposed', 'automatically'),
  passes: oneOf('proposed', 'automatically').exactOptional(),
  payoutsEnabled: oneOf('when-funded', 'by-staff').exactOptional(),
  instruments: instruments.exactOptional(),
  stages: stagesOf(fundedStage, evaluationStage),
})
export type Programme = z.infer<typeof programme>

/** The portal takes US dollars only. */
export const programmeTerms = programme.extend({ currency: z.literal('USD', 'expected "USD"') })
export type ProgrammeTerms = z.infer<typeof programmeTerms>

/** The terms of an account: a programme of one funded stage. */
export const accountTerms = programmeTerms.extend({
  stages: z.array(fundedStage, 'expected a list of one funded stage').length(1, 'expected one funded stage'),
})
export type AccountTerms = z.infer<typeof accountTerms>

/** The JSON Schema of a programme. */
export function programmeSchema(): unknown {
  return z.toJSONSchema(programme)
}

/** Index of the stage in its programme, from 0. */
export const stageIndex = z.int().min(0)
