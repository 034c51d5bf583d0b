/** What a status is called and which colour goes with it (specification §4). */

export type Tone = 'good' | 'review' | 'waiting' | 'bad' | 'outline' | 'plain'

export interface StatusWord {
  readonly word: string
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

const accountWords: ReadonlyMap<string, StatusWord> = new Map([
  ['active', { word: 'Active', tone: 'good' }],
  ['under-review', { word: 'Under Review', tone: 'review' }],
  ['breached', { word: 'Breached', tone: 'bad' }],
  ['pending', { word: 'Pending', tone: 'waiting' }],
])

/** A missing status counts as pending; one that nobody knows is Unknown. */
export function accountStatusWord(status: string | null | undefined): StatusWord {
  return accountWords.get(status || 'pending') ?? { word: 'Unknown', tone: 'plain' }
}

const payoutWords: ReadonlyMap<string, StatusWord> = new Map([
  ['pending', { word: 'Pending', tone: 'waiting' }],
  ['approved', { word: 'Approved', tone: 'good' }],
  ['rejected', { word: 'Rejected', tone: 'bad' }],
])

/** A missing status is Unknown; one that nobody knows is shown as it is. */
export function payoutStatusWord(status: string | null | undefined): StatusWord {
  return status ? (payoutWords.get(status) ?? { word: status, tone: 'plain' }) : { word: 'Unknown', tone: 'plain' }
}
