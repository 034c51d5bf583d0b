import { centsOf, toDecimal, grouped } from '#services/rules/money.ts'
import { valueOf } from '#services/rules/amount.ts'
import { up } from '#services/rules/exact.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import type { Queries } from '#services/framework/module.ts'
import type { ProgrammesParts } from '#services/programmes/parts.ts'
import { accountSizes, type Challenge, challenges, programmeOf } from '#services/programmes/programmes/challenges.ts'
import type { Offer, offerRoutes, OfferRule } from '../offer-api.ts'
import { programmes } from '../programme-read-model.ts'
import { offeredVersion } from '../programme.ts'

const sold = challenges.flatMap((challenge) => accountSizes.map((size) => programmeOf(challenge, size)))

/** The evaluation accounts for sale, with what their programmes say now. */
export function offerQueries({ config, readModels }: ProgrammesParts['queries']): Queries<typeof offerRoutes> {
  return {
    offers: {
      needs: [programmes],
      handle: async () => {
        const found = await readModels.getMany(programmes, sold)
        const termsOf = (id: string) => offeredVersion(found.get(id)?.versions ?? [])?.version.terms
        return { body: offers(config.purchaseUrl, termsOf) }
      },
    },
  }
}

/** The percentages of the specification (§9), for a programme that sells nothing now. */
const specified = {
  'one-step': { maximum: 10, daily: 5, targets: [10] },
  'two-step': { maximum: 10, daily: 5, targets: [8, 5] },
} as const

type Limit = 'maximum-loss' | 'daily-loss' | 'profit-target'

/** The figures of a rule in an offer. Null where the programme has none of the kind. */
type Figures = Pick<OfferRule, 'percent' | 'amount'> | null

/**
 * All offers; `{size}` and `{challenge}` (one-step, two-step) in the template give each purchase link.
 *
 * @param termsOf The terms that a programme enrols in now: the rules are theirs. Without them they are those of the
 * specification.
 */
export function offers(
  template: string,
  termsOf: (programme: string) => ProgrammeTerms | undefined = () => undefined,
): Offer[] {
  return accountSizes.map((size) => {
    const challenge = (name: Challenge) => {
      const programme = programmeOf(name, size)
      const terms = termsOf(programme)
      const { maximum, daily, targets } = specified[name]
      const figures = (stage: number, kind: Limit, otherwise: number): Figures =>
        terms ? figuresIn(terms, stage, kind) : { percent: otherwise, amount: toDecimal(size * otherwise) }
      return {
        maximum: figures(0, 'maximum-loss', maximum),
        daily: figures(0, 'daily-loss', daily),
        targets: targets.map((target, stage) => figures(stage, 'profit-target', target)),
        programme,
        purchaseUrl: template.replaceAll('{size}', String(size)).replaceAll('{challenge}', name),
      }
    }
    const [one, two] = [challenge('one-step'), challenge('two-step')]
    const [target = null] = one.targets
    const [first = null, second = null] = two.targets
    return {
      label: `$${grouped(String(size))}`,
      size,
      oneStep: {
        name: 'One-Step Challenge',
        phase: 'Phase 1',
        ...limitsOf(one),
        profitTarget: target?.percent ?? null,
        rules: rulesOf([['Profit Target', target], ...namedLimits(one)]),
      },
      twoStep: {
        name: 'Two-Step Challenge',
        ...limitsOf(two),
        phase1Target: first?.percent ?? null,
        phase2Target: second?.percent ?? null,
        rules: rulesOf([['Phase 1 Target', first], ['Phase 2 Target', second], ...namedLimits(two)]),
      },
    }
  })
}

interface ChallengeFigures {
  readonly maximum: Figures
  readonly daily: Figures
  readonly programme: string
  readonly purchaseUrl: string
}

function limitsOf({ maximum, daily, programme, purchaseUrl }: ChallengeFigures) {
  return { maxDrawdown: maximum?.percent ?? null, maxDailyLoss: daily?.percent ?? null, purchaseUrl, programme }
}

type Named = readonly [name: string, figures: Figures]

function namedLimits({ maximum, daily }: ChallengeFigures): readonly Named[] {
  return [
    ['Daily Drawdown', daily],
    ['Maximum Loss', maximum],
  ]
}

function rulesOf(named: readonly Named[]): OfferRule[] {
  return named.flatMap(([name, figures]) => (figures ? [{ name, ...figures }] : []))
}

/** Returns the figures of the first rule of a kind; null without one in the stage. */
function figuresIn({ stages, accountSize }: ProgrammeTerms, stage: number, kind: Limit): Figures {
  const rule = stages[stage]?.rules.find((each) => each.kind === kind)
  if (!rule || !('limit' in rule || 'target' in rule)) return null
  const terms = 'target' in rule ? rule.target : rule.limit
  const size = centsOf(accountSize)
  const amount = up(valueOf(terms, size))
  if ('amount' in terms) return { percent: Math.round((amount * 10_000) / size) / 100, amount: toDecimal(amount) }
  return { percent: Number(terms.percent), amount: terms.of === 'account-size' ? toDecimal(amount) : null }
}
