import type { AdminPayout, PayoutAccount } from '#services/modules/payouts/payout-api.ts'
import { formatCents, formatMoney } from '@/format/money.ts'
import { accountStatusLabel } from '@/format/status.ts'
import { centsOf } from '@/features/accounts/room-left.ts'

/** Warnings before a payout is approved: pure functions of the user's payouts and account. */

/** The size of an account in cents: its balance without the profit or loss of this phase. */
export function accountSize({ balance, profitLoss }: PayoutAccount): number {
  return centsOf(balance) - centsOf(profitLoss)
}

/** What was paid before: the approved payouts, the newest verdict first. */
export function paidBefore(payout: AdminPayout, ofUser: readonly AdminPayout[]): readonly AdminPayout[] {
  return ofUser
    .filter(({ id, status }) => status === 'approved' && id !== payout.id)
    .toSorted(
      (one, other) => Date.parse(other.decidedAt ?? other.createdAt) - Date.parse(one.decidedAt ?? one.createdAt),
    )
}

/** Reasons to look twice before approving, from all known payouts of the user. They never prevent an approval. */
export function payoutWarnings(
  payout: AdminPayout,
  account: PayoutAccount | null,
  ofUser: readonly AdminPayout[],
): readonly string[] {
  if (payout.status === 'approved') return []
  if (!account) return ['The user was deleted.']
  const label = accountStatusLabel(account.status).label
  return [
    ...amountWarnings(payout, account, ofUser),
    ...(account.status === 'active' ? [] : [`The account is not active: ${label}.`]),
    ...(account.payoutEnabled ? [] : ['Payouts are disabled for this account.']),
    ...(account.banned ? ['The user is banned.'] : []),
    ...detailsWarnings(payout, ofUser),
  ]
}

function amountWarnings(
  { id, amount }: AdminPayout,
  { profitLoss }: PayoutAccount,
  ofUser: readonly AdminPayout[],
): readonly string[] {
  const [asked, profit] = [centsOf(amount), centsOf(profitLoss)]
  if (profit <= 0) return [`The account has no profit: ${formatMoney(profitLoss)}.`]
  if (asked > profit)
    return [`The amount is ${formatCents(asked - profit)} above the profit of ${formatMoney(profitLoss)}.`]
  const others = ofUser.filter((other) => other.status === 'pending' && other.id !== id)
  const together = others.reduce((sum, other) => sum + centsOf(other.amount), asked)
  if (together <= profit) return []
  return [
    `All ${others.length + 1} open requests together, ${formatCents(together)}, are above the profit of ${formatMoney(profitLoss)}.`,
  ]
}

function detailsWarnings(payout: AdminPayout, ofUser: readonly AdminPayout[]): readonly string[] {
  const [last] = paidBefore(payout, ofUser)
  if (!last) return []
  if (last.paymentMethod !== payout.paymentMethod) return ['The payment method differs from the last payout.']
  return sameDetails(last.paymentDetails, payout.paymentDetails)
    ? []
    : ['The payment details differ from the last payout.']
}

function sameDetails(one: string, other: string): boolean {
  const essential = (details: string) => details.replaceAll(/\s+/g, '').toLowerCase()
  return essential(one) === essential(other)
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** How long ago, in words: 'less than an hour', '5 hours', '19 days'. `now` is in ms since 1970. */
export function timeSince(at: string, now: number): string {
  const past = Math.max(0, now - Date.parse(at))
  if (past < HOUR) return 'less than an hour'
  const [count, unit] = past < 2 * DAY ? [Math.floor(past / HOUR), 'hour'] : [Math.floor(past / DAY), 'day']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
