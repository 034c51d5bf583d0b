import type { OwnAccount } from '../../../../services/api/account-schemas.ts'
import type { Stamp } from '../../../../services/api/stamp-schemas.ts'

/** The requirements of a payout, and whether they are met. */

export interface Requirement {
  readonly name: string
  readonly fulfilled: boolean
  /** The present state, or what is missing and who can change it. */
  readonly explanation: string
  readonly stamp: Stamp | null
}

/** Eligibility enables the form; an administrator checks the rest before approving (specification §4, §6). */
export function requirements({ status, payoutEnabled, stamps }: OwnAccount, banned: boolean): readonly Requirement[] {
  const breached = status === 'breached'
  return [
    {
      name: 'Account active',
      fulfilled: status === 'active',
      explanation: status === 'active' ? 'Your account is active.' : (notActive[status] ?? 'Your account is not active.'),
      stamp: stamps.status,
    },
    {
      name: 'Eligible for payouts',
      fulfilled: payoutEnabled,
      explanation: payoutEnabled ? 'Payouts are enabled for your account.' : 'An administrator enables payouts. Please contact support.',
      stamp: stamps.payouts,
    },
    {
      name: 'Not banned',
      fulfilled: !banned,
      explanation: banned ? 'Your account is banned. Contact support.' : 'Your account is not banned.',
      stamp: null,
    },
    {
      name: 'No breach',
      fulfilled: !breached,
      explanation: breached ? 'A rule was breached. Contact support for a review.' : 'Your account has no breach.',
      stamp: breached ? stamps.status : null,
    },
  ]
}

const notActive: Readonly<Partial<Record<OwnAccount['status'], string>>> = {
  pending: 'Your account is still being verified and set up.',
  'under-review': 'Your trading activity is being reviewed. Wait for the outcome.',
  breached: 'Your account is breached.',
}
