import { use } from 'react'
import type { AdminPayout } from '../../../../../services/api/payout-schemas.ts'
import { MenuItem } from '../../../ui/menu-popup.tsx'
import { AUDITOR_REASON, useIsAuditor } from '../access.tsx'
import { DecideContext } from './use-verdicts.tsx'

/** The items of a payout's row menu, loaded when the pointer or focus first reaches it. */
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
