import { centsOf, toDecimal, grouped } from '#services/rules/money.ts'
import { valueOf } from '#services/rules/amount.ts'
import { up } from '#services/rules/exact.ts'
import type { ProgrammeTerms } from '#services/rules/programme.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { Queries } from '#services/framework/module.ts'
import type { ProgrammesParts } from '#services/programmes/parts.ts'
import { accountSizes, type Challenge, challenges, programmeOf } from '#services/programmes/programmes/challenges.ts'
import { type FirmOffer, OFFERS_ID, offerStreams } from '../firm-offers.ts'
import type { FirmOffer as ListedOffer, FirmOffers, Offer, offerRoutes, OfferRule } from '../offer-api.ts'
import { programmes } from '../programme-read-model.ts'
import { offeredVersion } from '../programme.ts'

/** The evaluation accounts for sale, with what their programmes say now, and what staff have set. */
export function offerQueries(parts: ProgrammesParts['queries']): Queries<typeof offerRoutes> {
  const template = parts.config.purchaseUrl
  return {
    offers: {
      needs: [programmes],
      handle: async () => {
        const { firm, termsOf } = await readOffers(parts)
        return { body: firm ? setOffers(template, firm, termsOf) : offers(template, termsOf) }
      },
    },

    firmOffers: {
      needs: [programmes],
      handle: async () => ({ body: await readFirmOffers(parts, template) }),
    },
  }
}

interface OfferParts {
  readonly repositories: Repositories
  readonly readModels: Pick<ReadModels, 'getMany'>
}

/** What the firm has set, from the log, and the terms of what it may sell. */
async function readOffers({ repositories, readModels }: OfferParts) {
  const { state: firm } = await repositories.of(offerStreams).load(OFFERS_ID)
  const found = await readModels.getMany(programmes, firm ? firm.map(({ programme }) => programme) : specifiedOffers)
  const termsOf = (id: string) => offeredVersion(found.get(id)?.versions ?? [])?.version.terms
  const nameOf = (id: string) => found.get(id)?.versions.at(-1)?.terms.name ?? id
  return { firm, termsOf, nameOf }
}

/**
 * What the firm has set, and what the page to buy an account sells now. The checklist of the owner and `proofdesk status`
 * read it too.
 *
 * @param template That of PURCHASE_URL.
 */
export async function readFirmOffers(parts: OfferParts, template: string): Promise<FirmOffers> {
  const { firm, termsOf, nameOf } = await readOffers(parts)
  const listed = (firm ?? []).map((offer) => ({
    ...{ programme: offer.programme, name: nameOf(offer.programme) },
    ...{ price: offer.price, purchaseUrl: offer.purchaseUrl },
    ...offerStanding(template, offer, termsOf),
  }))
  return { ...pageStanding(template, firm, termsOf), offers: listed }
}

/** What the page sells. @param firm Null until the firm has set its offers. */
export function pageStanding(
  template: string,
  firm: readonly FirmOffer[] | null,
  termsOf: TermsOf,
): Omit<FirmOffers, 'offers'> {
  if (!firm) {
    const shown = specifiedOffers.length
    return { isSet: false, shown, toExample: leadsToExample(template) ? shown : 0 }
  }
  const shown = firm.map((offer) => offerStanding(template, offer, termsOf)).filter(({ hidden }) => hidden === null)
  return { isSet: true, shown: shown.length, toExample: shown.filter(({ isExample }) => isExample).length }
}

const specifiedOffers = challenges.flatMap((challenge) => accountSizes.map((size) => programmeOf(challenge, size)))

/** The percentages of the specification (§9), for a programme that sells nothing now. */
const specified = {
  'one-step': { maximum: 10, daily: 5, targets: [10] },
  'two-step': { maximum: 10, daily: 5, targets: [8, 5] },
} as const

type Limit = 'maximum-loss' | 'daily-loss' | 'profit-target'

/** The figures of a rule in an offer. Null where the programme has none of the kind. */
type Figures = Pick<OfferRule, 'percent' | 'amount'> | null

type TermsOf = (programme: string) => ProgrammeTerms | undefined

/**
 * The offers of the specification; `{size}` and `{challenge}` (one-step, two-step) in the template give each purchase
 * link.
 *
 * @param termsOf The terms that a programme enrols in now: the rules are theirs. Without them they are those of the
 * specification.
 */
export function offers(template: string, termsOf: TermsOf = () => undefined): Offer[] {
  return accountSizes.map((size) => {
    const sold = (challenge: Challenge): Sold => {
      const programme = programmeOf(challenge, size)
      return { programme, price: null, purchaseUrl: linkOf(template, challenge, size), terms: termsOf(programme) }
    }
    return sizeOffer(size, sold('one-step'), sold('two-step'))
  })
}

/**
 * What the firm has set for sale, without what nobody can buy. Challenges of one size stand in one entry, where the
 * first of them does.
 */
export function setOffers(template: string, firm: readonly FirmOffer[], termsOf: TermsOf): Offer[] {
  const shown = firm.flatMap(({ programme, price, purchaseUrl }): Sold[] => {
    const { link, hidden } = offerStanding(template, { programme, purchaseUrl }, termsOf)
    return link === null || hidden
      ? []
      : [{ programme, price: price || null, purchaseUrl: link, terms: termsOf(programme) }]
  })
  const bySize = new Map<number, Sold[]>()
  return shown
    .flatMap((sold): (() => Offer)[] => {
      const named = challengeOf(sold.programme)
      if (!named) return [() => otherOffer(sold)]
      const ofSize = bySize.get(named.size)
      if (ofSize) {
        ofSize.push(sold)
        return []
      }
      const all = [sold]
      bySize.set(named.size, all)
      const of = (challenge: Challenge) => all.find(({ programme }) => programme === programmeOf(challenge, named.size))
      return [() => sizeOffer(named.size, of('one-step'), of('two-step'))]
    })
    .map((make) => make())
}

/** What an offer leads to, and whether the page shows it. The checklist of the owner reads it too. */
export function offerStanding(
  template: string,
  { programme, purchaseUrl }: Pick<FirmOffer, 'programme' | 'purchaseUrl'>,
  termsOf: TermsOf,
): Pick<ListedOffer, 'link' | 'hidden' | 'isExample'> {
  const terms = termsOf(programme)
  const named = challengeOf(programme)
  const size = named?.size ?? (terms ? centsOf(terms.accountSize) / 100 : 0)
  // The default of the variable sells nothing.
  const byDefault = leadsToExample(template) ? null : linkOf(template, named?.challenge ?? programme, size)
  const link = purchaseUrl ?? byDefault
  return {
    link,
    hidden: terms ? (link === null ? 'no-link' : null) : 'retired',
    isExample: link !== null && leadsToExample(link),
  }
}

const exampleHosts = /(^|\.)(example|test|invalid|localhost|example\.(com|net|org))$/

/** Whether an address is one of those that are kept for examples (RFC 2606): nobody can buy there. */
export function leadsToExample(address: string): boolean {
  const plain = address.replaceAll(/[{}]/g, '')
  return !URL.canParse(plain) || exampleHosts.test(new URL(plain).hostname)
}

function linkOf(template: string, challenge: string, size: number): string {
  return template.replaceAll('{size}', String(size)).replaceAll('{challenge}', challenge)
}

/** The size and the challenge that a programme is of. Undefined for the firm's own programmes. */
function challengeOf(programme: string) {
  return challenges
    .flatMap((challenge) => accountSizes.map((size) => ({ challenge, size })))
    .find(({ challenge, size }) => programmeOf(challenge, size) === programme)
}

/** A programme that is for sale. */
interface Sold extends Pick<ChallengeFigures, 'programme' | 'price' | 'purchaseUrl'> {
  /** Undefined where it enrols nobody now. */
  readonly terms: ProgrammeTerms | undefined
}

/** The offer of a size in the challenges that are for sale. */
function sizeOffer(size: number, oneStep: Sold | undefined, twoStep: Sold | undefined): Offer {
  const figured = (challenge: Challenge, { terms, ...sold }: Sold) => {
    const { maximum, daily, targets } = specified[challenge]
    const figures = (stage: number, kind: Limit, otherwise: number): Figures =>
      terms ? figuresIn(terms, stage, kind) : { percent: otherwise, amount: toDecimal(size * otherwise) }
    return {
      ...sold,
      maximum: figures(0, 'maximum-loss', maximum),
      daily: figures(0, 'daily-loss', daily),
      targets: targets.map((target, stage) => figures(stage, 'profit-target', target)),
    }
  }
  const [one, two] = [oneStep && figured('one-step', oneStep), twoStep && figured('two-step', twoStep)]
  const [target = null] = one?.targets ?? []
  const [first = null, second = null] = two?.targets ?? []
  return {
    label: labelOf(size),
    size,
    oneStep: one
      ? {
          name: 'One-Step Challenge',
          phase: 'Phase 1',
          ...limitsOf(one),
          profitTarget: target?.percent ?? null,
          rules: rulesOf([['Profit Target', target], ...namedLimits(one)]),
        }
      : null,
    twoStep: two
      ? {
          name: 'Two-Step Challenge',
          ...limitsOf(two),
          phase1Target: first?.percent ?? null,
          phase2Target: second?.percent ?? null,
          rules: rulesOf([['Phase 1 Target', first], ['Phase 2 Target', second], ...namedLimits(two)]),
        }
      : null,
    other: null,
  }
}

/** The offer of a programme of the firm's own. It enrols: its terms are known. */
function otherOffer({ terms, ...sold }: Sold): Offer {
  const size = terms ? centsOf(terms.accountSize) / 100 : 0
  const stages = terms?.stages ?? []
  const targets = stages.flatMap(({ name }, stage): Named[] => [
    [`${name} Target`, terms ? figuresIn(terms, stage, 'profit-target') : null],
  ])
  const limits = (kind: Limit) => (terms ? figuresIn(terms, 0, kind) : null)
  const rules = rulesOf([...targets, ...namedLimits({ maximum: limits('maximum-loss'), daily: limits('daily-loss') })])
  const label = labelOf(size)
  return { label, size, oneStep: null, twoStep: null, other: { name: terms?.name ?? label, ...sold, rules } }
}

function labelOf(size: number): string {
  return `$${grouped(String(size))}`
}

interface ChallengeFigures {
  readonly maximum: Figures
  readonly daily: Figures
  readonly programme: string
  readonly price: string | null
  readonly purchaseUrl: string
}

function limitsOf({ maximum, daily, programme, price, purchaseUrl }: ChallengeFigures) {
  return { maxDrawdown: maximum?.percent ?? null, maxDailyLoss: daily?.percent ?? null, purchaseUrl, programme, price }
}

type Named = readonly [name: string, figures: Figures]

function namedLimits({ maximum, daily }: Pick<ChallengeFigures, 'maximum' | 'daily'>): readonly Named[] {
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
