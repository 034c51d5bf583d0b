import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import type { OwnAvailablePayout, PayoutNeed } from '#services/trading/accounts/available-payout-api.ts'
import { isFunded } from '#services/trading/stream/account-vocabulary.ts'
import { formatDate } from '@/format/dates.ts'
import { centsOf, formatMoney } from '@/format/money.ts'

/** The terms of an account about its next payout, in words. */

const names: ReadonlyMap<string, string> = new Map([
  ['first-after-days', 'Days before the first payout'],
  ['every-days', 'Days between two payouts'],
  ['minimum', 'Minimum payout'],
  ['profit', 'Profit'],
  ['breached', 'The account is breached'],
  ['minimum-days', 'Minimum days'],
  ['consistency', 'Consistency'],
  ['profit-target', 'Profit target'],
])

/** A condition of a payout that is missing, in numbers: 'Minimum days: 3 of 5, 2 left'. */
export function needInWords({ kind, have, asked, left, share, mostShare }: PayoutNeed): string {
  const name = names.get(kind) ?? kind
  if (left === null) return kind === 'profit' ? `${name}: all of it keeps the account above its maximum loss` : name
  switch (kind) {
    case 'consistency':
      return `${name}: the best result is ${share}% of the profit, of at most ${mostShare}%. ${formatMoney(left)} more profit is needed, ${formatMoney(asked)} in all`
    case 'profit':
      return `${name}: ${formatMoney(have)}, ${formatMoney(left)} more is needed`
    case 'profit-target':
      return `${name}: ${formatMoney(left)} left to a balance of ${formatMoney(asked)}`
    case 'minimum':
      return `${name}: ${formatMoney(have)} of ${formatMoney(asked)}, ${formatMoney(left)} left`
    default:
      return have === null ? name : `${name}: ${have} of ${asked}, ${left} left`
  }
}

/** Where nothing was earned yet, the smallest payout says how much is: the first cent of it helps nobody. */
export function needsWorthSaying(needs: readonly PayoutNeed[]): readonly PayoutNeed[] {
  const hasMinimum = needs.some(({ kind }) => kind === 'minimum')
  return needs.filter(({ kind, left }) => !(hasMinimum && kind === 'profit' && left === '0.01'))
}

type Waiting = Pick<OwnAvailablePayout, 'waiting' | 'missing' | 'from'> & {
  readonly terms: Pick<OwnAvailablePayout['terms'], 'everyDays'>
}

/** Whether the terms allow no request beside the one that waits: those with days between two payouts. */
export function hasToWait({ waiting, terms }: Waiting): boolean {
  return terms.everyDays > 0 && centsOf(waiting) > 0
}

/** Why no request is possible now; undefined where one is. */
export function whyNotNow(payout: Waiting & Pick<OwnAvailablePayout, 'available'>): string | undefined {
  if (hasToWait(payout)) return 'A request waits already. You can make the next one once it is decided.'
  return centsOf(payout.available) > 0 ? undefined : 'Nothing is available for a payout now.'
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

type Eligibility = Pick<OwnAccount, 'phase' | 'programme' | 'status' | 'open' | 'payoutEnabled'>

/** Whether an account may ask for payouts. The dashboard and the payouts page say the same of it. */
export function isEligible({ open, payoutEnabled }: Pick<Eligibility, 'open' | 'payoutEnabled'>): boolean {
  return open && payoutEnabled
}

/**
 * Says why an account is not eligible, and what comes first: most who read it are in an evaluation. With a programme its
 * stages say what an evaluation is, else the name of the phase. An account that has ended leads to none. A funded
 * account of a programme may wait for staff.
 */
export function whyNotEligible(account: Eligibility): string {
  const { phase, programme, status, open } = account
  const inPhase = phase === null ? '' : ` in ${phase}`
  if (status === 'breached') return `This account was breached${inPhase}: no payout follows from it.`
  if (!open) return `This account${phase === null ? '' : ` was${inPhase} and`} is closed: no payout follows from it.`
  if (programme && isFunded(account)) return 'Payouts are not enabled for this account. A member of staff enables them.'
  if (phase === null || isFunded(account)) return 'An administrator enables payouts for this account.'
  return programme
    ? `Payouts begin with the funded stage of ${programme.name}. This account is in ${phase}: pass it first.`
    : `Payouts begin with a funded account. This one is in ${phase}: reach its profit target first.`
}
