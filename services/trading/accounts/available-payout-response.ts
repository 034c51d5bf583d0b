import { printedPayout } from '#services/rules/printed-line.ts'
import { toDecimal } from '#services/rules/money.ts'
import type { AvailablePayout as Answer } from './available-payout-api.ts'
import type { AvailablePayout } from '#services/trading/stream/available-payout.ts'

/** Returns the available payout in an answer. */
export function availableResponse({ waiting, ...figures }: AvailablePayout): Answer {
  const { missing, ...payout } = printedPayout(figures)
  return { ...payout, missing: [...missing], waiting: toDecimal(waiting) }
}
