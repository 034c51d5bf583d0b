import { toDecimal } from '#services/rules/money.ts'
import { sharesAt } from '#services/rules/engine.ts'
import type { RuleTerms } from '#services/rules/programme.ts'
import { decimal, up } from '#services/rules/exact.ts'
import type { AvailablePayout } from '#services/trading/stream/available-payout.ts'
import { stageTermsOf } from '#services/trading/stream/programme-stage.ts'
import { type Stage, stageAt } from '#services/trading/stream/stage.ts'
import type { PayoutNeed } from './available-payout-api.ts'

const unknown = { have: null, asked: null, left: null, share: null, mostShare: null }

/** The needs of a payout in numbers: one for each open goal and for each other condition that is missing. */
export function payoutNeeds(stage: Stage, now: number, payout: AvailablePayout): PayoutNeed[] {
  if (payout.missing.length === 0) return []
  const { line } = stageAt(stage, now)
  const goals = stageTermsOf(stage.terms, stage.index).rules.flatMap((terms, index) => {
    const rule = line.rules[index]
    return rule?.state === 'open' ? { kind: terms.kind, ...unknown, ...goalNeed(terms, rule.figures) } : []
  })
  const kinds = new Set<string>(goals.map(({ kind }) => kind))
  const others = payout.missing.filter((kind) => !kinds.has(kind))
  return [...goals, ...others.map((kind) => ({ kind, ...unknown, ...conditionNeed(kind, stage, now, payout) }))]
}

type Figures = ReturnType<typeof stageAt>['line']['rules'][number]['figures']

function goalNeed(terms: RuleTerms, { days, missing, target, profit, share, needed }: Figures): Partial<PayoutNeed> {
  switch (terms.kind) {
    case 'minimum-days':
      return { have: String(days ?? 0), asked: String(terms.days), left: String(terms.days - (days ?? 0)) }
    case 'consistency':
      return {
        have: toDecimal(profit ?? 0),
        asked: needed ?? null,
        left: needed === undefined ? null : decimal(BigInt(needed.replace('.', '')) - BigInt(profit ?? 0)),
        share: share ?? null,
        mostShare: terms.share,
      }
    case 'profit-target':
      return { asked: target ?? null, left: missing ?? null }
    default:
      return {}
  }
}

function conditionNeed(kind: string, stage: Stage, now: number, payout: AvailablePayout): Partial<PayoutNeed> {
  const { rules, state } = stageAt(stage, now)
  const { payouts } = rules
  if (!payouts || !state.account) return {}
  const { firstAfterDays, everyDays, minimumOf } = payouts.terms
  const ofAmount = (have: number, asked: number) => ({
    ...{ have: toDecimal(have), asked: toDecimal(asked), left: toDecimal(asked - have) },
  })
  const ofDays = (asked: number, left: number) => ({
    ...{ have: String(asked - left), asked: String(asked), left: String(left) },
  })
  const daysLeft = payout.from === null ? 0 : payout.from - state.account.today
  switch (kind) {
    case 'minimum': {
      const gross = Math.max(0, payout.possible - payout.waiting)
      const trader = sharesAt(rules, state, gross)?.trader ?? 0
      return ofAmount(minimumOf === 'share' ? trader : gross, up(payouts.minimum))
    }
    // The first cent above what stays is profit to take. Where there is more, a floor holds it.
    case 'profit': {
      const asked = up(payouts.buffer) + 1
      return payout.profit < asked ? ofAmount(payout.profit, asked) : {}
    }
    case 'first-after-days':
      return ofDays(firstAfterDays, daysLeft)
    case 'every-days':
      return ofDays(everyDays, daysLeft)
    default:
      return {}
  }
}
