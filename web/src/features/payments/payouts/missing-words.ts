import type { OwnAvailablePayout } from '#services/trading/accounts/available-payout-api.ts'
import { formatDate } from '@/format/dates.ts'
import { centsOf } from '@/format/money.ts'

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

/** What holds a payout back, in words. */
export function missingInWords(missing: readonly string[]): string {
  return missing.map((one) => words.get(one) ?? one).join(', ')
}
