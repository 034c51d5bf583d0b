import type { Tone } from '#services/framework/api/options.ts'
import {
  accountStatuses,
  accountStatusLabels,
  accountStatusTones,
  breachRuleName as nameOfBreach,
  breachRules,
  platformLabels,
  platforms,
} from '#services/trading/stream/account-vocabulary.ts'
import {
  paymentStateLabels,
  paymentStates,
  paymentStateTones,
  payoutStatuses,
  payoutStatusLabels,
  payoutStatusTones,
} from '#services/trading/stream/payout-vocabulary.ts'

/** Labels and colours of statuses (specification §4). */

export interface StatusLabel {
  readonly label: string
  readonly tone: Tone
}

type AccountStatus = (typeof accountStatuses)[number]

/** The meanings of account statuses (specification §4). */
export const accountMeanings: readonly { readonly status: AccountStatus; readonly meaning: string }[] = [
  { status: 'active', meaning: 'Your account is fully active with trading privileges.' },
  { status: 'pending', meaning: 'Your account is being verified and set up.' },
  { status: 'under-review', meaning: 'Your trading activity is being reviewed.' },
  { status: 'breached', meaning: 'Your account has violated the rules.' },
]

/** The meaning of a status; a missing status counts as pending. */
export function accountMeaning(status: string | null | undefined): string | undefined {
  return accountMeanings.find((one) => one.status === (status || 'pending'))?.meaning
}

/** A missing status counts as pending; an unrecognized one is Unknown. */
export function accountStatusLabel(status: string | null | undefined): StatusLabel {
  const known = accountStatuses.find((one) => one === (status || 'pending'))
  return known
    ? { label: accountStatusLabels[known], tone: accountStatusTones[known] }
    : { label: 'Unknown', tone: 'plain' }
}

/** A missing status is Unknown; an unrecognized one is shown as it is. */
export function payoutStatusLabel(status: string | null | undefined): StatusLabel {
  const known = payoutStatuses.find((one) => one === status)
  return known
    ? { label: payoutStatusLabels[known], tone: payoutStatusTones[known] }
    : { label: status || 'Unknown', tone: 'plain' }
}

/** Where the money of a payout is; an unrecognized state is shown as it is. */
export function paymentStateLabel(state: string): StatusLabel {
  const known = paymentStates.find((one) => one === state)
  return known ? { label: paymentStateLabels[known], tone: paymentStateTones[known] } : { label: state, tone: 'plain' }
}

/** The trading platform of an account; an unrecognized one is shown as it is. */
export function platformName(platform: string): string {
  const known = platforms.find((one) => one === platform)
  return known ? platformLabels[known] : platform
}

/** The rule that a breach names; an unrecognized one is shown as it is. */
export function breachRuleName(rule: string, isFinding = false): string {
  const known = breachRules.find((one) => one === rule)
  return known ? nameOfBreach(known, isFinding) : rule || 'Unknown'
}
