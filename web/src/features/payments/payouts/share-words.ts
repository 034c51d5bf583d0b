import type { OwnAvailablePayout } from '#services/trading/accounts/available-payout-api.ts'
import { centsOf, formatMoney } from '@/format/money.ts'

type Terms = Pick<OwnAvailablePayout, 'available' | 'traderReceives' | 'split'> & {
  readonly terms: Pick<OwnAvailablePayout['terms'], 'takes'>
}

/** What the trader receives of what is available. Where the firm's share leaves first, it is no fixed part of it. */
export function receivesOfAvailable({ traderReceives, split, terms }: Terms): string {
  return terms.takes === 'firm-share-first' ? formatMoney(traderReceives) : `${formatMoney(traderReceives)} (${split}%)`
}

/** What the trader receives of an amount, as far as the server says it or the terms do. */
export function receivesOf(amount: string, payout: Terms): string {
  const { available, traderReceives, split, terms } = payout
  if (centsOf(amount) === centsOf(available))
    return `You receive ${formatMoney(traderReceives)}; the amount leaves your account.`
  if (terms.takes === 'everything') return `Your terms allow only the whole available ${formatMoney(available)}.`
  if (terms.takes === 'firm-share-first')
    return "The firm's share of the whole profit leaves first, and you receive the rest of it; the amount leaves your account."
  return `You receive ${split}% of the profit in it; the amount leaves your account.`
}
