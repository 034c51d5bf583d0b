import { ruleKindLabels } from '#services/rules/rule-kind-labels.ts'
import { inDollars } from '#services/rules/money.ts'
import type { AccountStanding, StandingRule } from '#services/trading/accounts/account-standing.ts'
import { accountStatusLabels } from '#services/trading/stream/account-vocabulary.ts'
import type { AccountStatus } from '#services/trading/stream/account.ts'
import type { PayoutStatus } from '#services/trading/stream/payout.ts'
import { shownFloor } from '#services/rules/floor.ts'

/** Reasons to look twice before a payout is approved. They never prevent an approval. Whole cents. */

/** A payout, as far as warnings look at it. */
export interface WarnedPayout {
  readonly id: string
  readonly accountId: string
  readonly amount: number
  readonly status: PayoutStatus
  readonly method: string
  readonly hold: { readonly reason: string } | null
}

/** The account that it is asked from. */
export interface WarnedAccount {
  readonly status: AccountStatus
  readonly profitLoss: number
  readonly payoutEnabled: boolean
  readonly banned: boolean
  readonly emailConfirmed: boolean
  /** The programme whose terms the trader has not accepted; null for none. */
  readonly unacceptedTerms: string | null
}

/** Where the money of a payout goes. */
export interface Destination {
  readonly method: string
  /** Tells one from another; blank where nothing says where the money goes. */
  readonly details: string
  readonly isChecked: boolean
}

export interface WarningFacts {
  readonly payout: WarnedPayout
  readonly destination: Destination
  /** Null after the user was deleted. */
  readonly account: WarnedAccount | null
  readonly standing: AccountStanding | null
  /** The amount that the terms make available now; null without terms. */
  readonly available: number | null
  /** All payouts of the trader. */
  readonly ofUser: readonly WarnedPayout[]
  /** Where the last approved payout went; null without one. */
  readonly last: Destination | null
}

/** Returns reasons to look twice, in the words that staff read. */
export function payoutWarnings({
  payout,
  destination,
  account,
  standing,
  available,
  ofUser,
  last,
}: WarningFacts): readonly string[] {
  if (payout.status === 'approved' || payout.status === 'withdrawn') return []
  if (!account) return payoutStops({ payout, account })
  return [
    ...payoutStops({ payout, account }),
    ...(available === null ? amountWarnings(payout, account, ofUser) : termsWarnings(payout, available, ofUser)),
    ...(standing ? standingWarnings(payout, standing) : []),
    ...(account.status === 'active' ? [] : [`The account is not active: ${accountStatusLabels[account.status]}.`]),
    ...(account.payoutEnabled ? [] : ['Payouts are disabled for this account.']),
    ...(account.unacceptedTerms === null
      ? []
      : [
          `The trader has not accepted the terms of ${account.unacceptedTerms} yet. Payouts do not wait for it: the dashboard asks until it is done.`,
        ]),
    ...(account.emailConfirmed ? [] : ['The email address of the trader is not confirmed.']),
    ...uncheckedWarnings(destination),
    ...destinationWarnings(destination, last),
  ]
}

/** The reasons for which a decision on several payouts leaves one out, unless it is chosen. */
export function payoutStops({ payout, account }: Pick<WarningFacts, 'payout' | 'account'>): readonly string[] {
  if (payout.status === 'approved' || payout.status === 'withdrawn') return []
  if (!account) return ['The user was deleted.']
  return [
    ...(payout.hold ? [`On hold: ${payout.hold.reason}`] : []),
    ...(account.banned ? ['The user is banned.'] : []),
  ]
}

/** The payouts of the same account with this status. */
function othersOf({ id, accountId }: WarnedPayout, ofUser: readonly WarnedPayout[], status: PayoutStatus) {
  return ofUser.filter((other) => other.status === status && other.accountId === accountId && other.id !== id)
}

function termsWarnings(payout: WarnedPayout, available: number, ofUser: readonly WarnedPayout[]): readonly string[] {
  const { amount } = payout
  if (amount > available) return [`The amount is above the ${inDollars(available)} that the terms make available now.`]
  const others = othersOf(payout, ofUser, 'pending')
  const together = others.reduce((sum, other) => sum + other.amount, amount)
  if (together <= available) return []
  return [
    `All ${others.length + 1} open requests together, ${inDollars(together)}, are above the ${inDollars(available)} that the terms make available now.`,
  ]
}

/** Without terms: what the profit was paid out for already counts no more. */
function amountWarnings(
  payout: WarnedPayout,
  { profitLoss }: WarnedAccount,
  ofUser: readonly WarnedPayout[],
): readonly string[] {
  const { amount } = payout
  if (profitLoss <= 0) return [`The account has no profit: ${inDollars(profitLoss)}.`]
  const paid = othersOf(payout, ofUser, 'approved').reduce((sum, other) => sum + other.amount, 0)
  const profit = profitLoss - paid
  if (paid > 0 && amount > profit)
    return [
      `Of the profit of ${inDollars(profitLoss)}, ${inDollars(paid)} are approved already: the amount is ${inDollars(amount - profit)} above the rest.`,
    ]
  if (amount > profit) return [`The amount is ${inDollars(amount - profit)} above the profit of ${inDollars(profit)}.`]
  const others = othersOf(payout, ofUser, 'pending')
  const together = others.reduce((sum, other) => sum + other.amount, amount)
  if (together <= profit) return []
  return [
    `All ${others.length + 1} open requests together, ${inDollars(together)}, are above ${paid > 0 ? `the ${inDollars(profit)} of profit that is not approved yet` : `the profit of ${inDollars(profit)}`}.`,
  ]
}

/** A payout lowers the balance, but no floor: only the daily one moves with it. */
function standingWarnings({ amount }: WarnedPayout, { line }: AccountStanding): readonly string[] {
  const reached = line.rules.flatMap(({ kind, state, lost }) => {
    const isLimit = kind === 'maximum-loss' || kind === 'daily-loss'
    return isLimit && state === 'warned' && lost !== null
      ? [`${ruleKindLabels[kind]} is reached: ${inDollars(lost)} lost.`]
      : []
  })
  if (reached.length > 0) return reached
  const maximum = line.rules.find(({ kind }) => kind === 'maximum-loss')
  const left = maximum && roomOf(maximum, line.balance)
  return left !== undefined && amount >= left
    ? [`The payout leaves nothing until the maximum loss: ${inDollars(left)} is left.`]
    : []
}

function roomOf({ figures: { floor } }: StandingRule, balance: number): number | undefined {
  return floor && Math.max(0, balance - shownFloor(floor))
}

function uncheckedWarnings({ details, isChecked }: Destination): readonly string[] {
  if (isChecked) return []
  return [
    details.trim() === ''
      ? 'The request says nothing about where the money goes: no batch takes it before it has a destination.'
      : 'Where the money goes is in the words of the trader, and was not checked: most batches do not take it.',
  ]
}

function destinationWarnings(destination: Destination, last: Destination | null): readonly string[] {
  if (!last) return []
  if (last.method !== destination.method) return ['The payment method differs from the last payout.']
  return essential(last.details) === essential(destination.details)
    ? []
    : ['The payment details differ from the last payout.']
}

function essential(details: string): string {
  return details.replaceAll(/\s+/g, '').toLowerCase()
}
