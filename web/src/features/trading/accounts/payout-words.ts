import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import type { OwnAvailablePayout } from '#services/trading/accounts/available-payout-api.ts'
import { isFunded } from '#services/trading/stream/account-vocabulary.ts'
import { formatDate } from '@/format/dates.ts'
import { centsOf, formatMoney } from '@/format/money.ts'

/** The terms of an account about its next payout, in words. */

const words: ReadonlyMap<string, string> = new Map([
  ['first-after-days', 'the days before the first payout'],
  ['every-days', 'the days between two payouts'],
  ['minimum', 'the minimum amount'],
  ['profit', 'profit'],
  ['breached', 'an account that is not breached'],
  ['minimum-days', 'the minimum days'],
  ['consistency', 'a smaller part of the best result'],
  ['profit-target', 'the profit target'],
])

type Waiting = Pick<OwnAvailablePayout, 'waiting' | 'missing' | 'from'> & {
  readonly terms: Pick<OwnAvailablePayout['terms'], 'everyDays'>
}

/** Whether the terms allow no request beside the one that waits: those with days between two payouts. */
export function hasToWait({ waiting, terms }: Waiting): boolean {
  return terms.everyDays > 0 && centsOf(waiting) > 0
}

/** Why no request is possible now; undefined where one is. */
export function whyNotNow(payout: Waiting): string | undefined {
  if (hasToWait(payout)) return 'A request waits already. You can make the next one once it is decided.'
  return payout.missing.length > 0 ? `Still missing: ${missingInWords(payout.missing)}.` : undefined
}

/** The first day on which a request is possible. */
export function nextDayInWords(payout: Waiting): string {
  if (hasToWait(payout)) return 'After the decision'
  return firstDayInWords(payout)
}

/** The first day of a payout by the terms. A day that is reached helps nobody while something else is missing. */
export function firstDayInWords({ from, missing }: Pick<OwnAvailablePayout, 'from' | 'missing'>): string {
  if (from !== null) return formatDate(from, 'date')
  return missing.length === 0 ? 'Now' : 'Once nothing is missing'
}

/** Says in words what holds a payout back. */
export function missingInWords(missing: readonly string[]): string {
  return missing.map((one) => words.get(one) ?? one).join(', ')
}

type Terms = Pick<OwnAvailablePayout, 'available' | 'traderReceives' | 'split'> & {
  readonly terms: Pick<OwnAvailablePayout['terms'], 'takes'>
}

/**
 * Says what the trader receives of the available amount. Where the firm's share leaves first, it is no fixed part of
 * it.
 */
export function receivesOfAvailable({ traderReceives, split, terms }: Terms): string {
  return terms.takes === 'firm-share-first' ? formatMoney(traderReceives) : `${formatMoney(traderReceives)} (${split}%)`
}

/** Says what the trader receives of an amount, as far as the server or the terms say it. */
export function receivesOf(amount: string, payout: Terms): string {
  const { available, traderReceives, split, terms } = payout
  if (centsOf(amount) === centsOf(available))
    return `You receive ${formatMoney(traderReceives)}; the amount leaves your account.`
  if (terms.takes === 'everything') return `Your terms allow only the whole available ${formatMoney(available)}.`
  if (terms.takes === 'firm-share-first')
    return "The firm's share of the whole profit leaves first, and you receive the rest of it; the amount leaves your account."
  return `You receive ${split}% of the profit in it; the amount leaves your account.`
}

/**
 * Says what comes before the first payout of an account in evaluation: most who read that there is none are in one.
 * With a programme its stages say what an evaluation is, else the name of the phase. An account that has ended leads to
 * none. A funded account of a programme may wait for staff.
 */
export function beforePayouts(
  account: Pick<OwnAccount, 'phase' | 'programme' | 'status' | 'open' | 'payoutEnabled'>,
): string | undefined {
  const { phase, programme, status, open, payoutEnabled } = account
  if (programme && open && !payoutEnabled && isFunded(account))
    return 'Payouts are not enabled for this account. A member of staff enables them.'
  if (phase === null || isFunded(account)) return undefined
  if (status === 'breached') return `This account was breached in ${phase}: no payout follows from it.`
  if (!open) return `This account was in ${phase} and is closed: no payout follows from it.`
  return programme
    ? `Payouts begin with the funded stage of ${programme.name}. This account is in ${phase}: pass it first.`
    : `Payouts begin with a funded account. This one is in ${phase}: reach its profit target first.`
}
