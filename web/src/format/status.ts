/** What a status is called and which colour goes with it (specification §4). */

export type Tone = 'good' | 'review' | 'waiting' | 'bad' | 'outline' | 'plain'

export interface StatusWord {
  readonly word: string
  readonly tone: Tone
}

const accountWords: Readonly<Record<string, StatusWord>> = {
  active: { word: 'Active', tone: 'good' },
  'under-review': { word: 'Under Review', tone: 'review' },
  breached: { word: 'Breached', tone: 'bad' },
  pending: { word: 'Pending', tone: 'waiting' },
}

/** A missing status counts as pending; one that nobody knows is Unknown. */
export function accountStatusWord(status: string | null | undefined): StatusWord {
  return accountWords[status || 'pending'] ?? { word: 'Unknown', tone: 'plain' }
}

const payoutWords: Readonly<Record<string, StatusWord>> = {
  pending: { word: 'Pending', tone: 'waiting' },
  approved: { word: 'Approved', tone: 'good' },
  rejected: { word: 'Rejected', tone: 'bad' },
}

/** A missing status is Unknown; one that nobody knows is shown as it is. */
export function payoutStatusWord(status: string | null | undefined): StatusWord {
  return status ? (payoutWords[status] ?? { word: status, tone: 'plain' }) : { word: 'Unknown', tone: 'plain' }
}
