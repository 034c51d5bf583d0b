/** What a status is called and which colour goes with it (specification §4). */

export type Tone = 'good' | 'review' | 'waiting' | 'bad' | 'outline' | 'plain'

export interface StatusLabel {
  readonly label: string
  readonly tone: Tone
}

/** What each status of a trading account means (specification §4). */
export const accountMeanings: readonly { readonly status: string; readonly meaning: string }[] = [
  { status: 'active', meaning: 'Your account is fully active with trading privileges.' },
  { status: 'pending', meaning: 'Your account is being verified and set up.' },
  { status: 'under-review', meaning: 'Your trading activity is being reviewed.' },
  { status: 'breached', meaning: 'Your account has violated the rules.' },
]

/** The meaning of one status; a missing one counts as pending. */
export function accountMeaning(status: string | null | undefined): string | undefined {
  return accountMeanings.find((one) => one.status === (status || 'pending'))?.meaning
}

const accountLabels: ReadonlyMap<string, StatusLabel> = new Map([
  ['active', { label: 'Active', tone: 'good' }],
  ['under-review', { label: 'Under Review', tone: 'review' }],
  ['breached', { label: 'Breached', tone: 'bad' }],
  ['pending', { label: 'Pending', tone: 'waiting' }],
])

/** A missing status counts as pending; one that nobody knows is Unknown. */
export function accountStatusLabel(status: string | null | undefined): StatusLabel {
  return accountLabels.get(status || 'pending') ?? { label: 'Unknown', tone: 'plain' }
}

const payoutLabels: ReadonlyMap<string, StatusLabel> = new Map([
  ['pending', { label: 'Pending', tone: 'waiting' }],
  ['approved', { label: 'Approved', tone: 'good' }],
  ['rejected', { label: 'Rejected', tone: 'bad' }],
])

/** A missing status is Unknown; one that nobody knows is shown as it is. */
export function payoutStatusLabel(status: string | null | undefined): StatusLabel {
  return status ? (payoutLabels.get(status) ?? { label: status, tone: 'plain' }) : { label: 'Unknown', tone: 'plain' }
}
