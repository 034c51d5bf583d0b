import { useContext } from 'react'
import { AccountInAddress } from '@/account-in-address.ts'
import { auditAddress, ownHistoryAddress } from '@/addresses.ts'
import { eventNumber } from '@/format/counts.ts'
import { AddressLink } from '@/ui/address-link.tsx'

interface EventLinkProps {
  readonly number: number
  /** The user's id, on pages of staff; without one it leads to the trader's own history. */
  readonly of?: string | undefined
}

/** The number of an event, as a link to it in the history. */
export function EventLink({ number, of }: EventLinkProps) {
  const account = useContext(AccountInAddress)
  return (
    <AddressLink
      look="quiet"
      className="font-mono"
      href={of === undefined ? ownHistoryAddress(number, account) : auditAddress(number, of)}
    >
      {eventNumber(number)}
    </AddressLink>
  )
}
