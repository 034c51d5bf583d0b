import { use } from 'react'
import type { AdminPayout } from '../../../../../services/api/payout-schemas.ts'
import { MenuItem } from '../../../ui/menu-popup.tsx'
import { AUDITOR_REASON, useIsAuditor } from '../access.tsx'
import { DecideContext } from './payouts-table.tsx'

/** Each verdict on a payout but the one that stands. Loaded and made when the menu of a row is first reached for. */
export function PayoutMenu({ payout }: { readonly payout: AdminPayout }) {
  const decide = use(DecideContext)
  const isAuditor = useIsAuditor()
  if (isAuditor)
    return (
      <>
        <MenuItem disabled onSelect={() => {}}>
          {AUDITOR_REASON}
        </MenuItem>
        <MenuItem onSelect={() => decide(payout, 'review')}>View Request</MenuItem>
      </>
    )
  return (
    <>
      <MenuItem disabled={payout.status === 'approved'} onSelect={() => decide(payout, 'approved')}>
        Approve
      </MenuItem>
      <MenuItem disabled={payout.status === 'rejected'} dangerous onSelect={() => decide(payout, 'rejected')}>
        Reject
      </MenuItem>
    </>
  )
}
