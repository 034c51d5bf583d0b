import { useContext } from 'react'
import type { Standing } from '#services/trading/accounts/standing-api.ts'
import { AccountInAddress, ReadByStaff } from '@/account-in-address.ts'
import { auditAddress, ownHistoryAddress } from '@/addresses.ts'
import { eventNumber } from '@/format/counts.ts'
import { AddressLink } from '@/ui/address-link.tsx'

interface DecidedByPersonProps {
  readonly person: NonNullable<Standing['person']>
  /** The user's id, on pages of staff. */
  readonly of?: string | undefined
}

/** Says that a person decided, not the rules of the programme: the status, or that a finding does not count. */
export function DecidedByPerson({ person: { decided, event }, of }: DecidedByPersonProps) {
  return (
    <span className="text-13">
      Decided by a person: {decided === 'status' ? 'the status' : 'a finding of the rules was dismissed'}{' '}
      <EventLink number={event} of={of} />
    </span>
  )
}

interface EventLinkProps {
  readonly number: number
  /** The user's id, on pages of staff that show several; without any it leads to the trader's own history. */
  readonly of?: string | undefined
}

/** The number of an event, as a link to it in the history. */
export function EventLink({ number, of: named }: EventLinkProps) {
  const account = useContext(AccountInAddress)
  const read = useContext(ReadByStaff)
  const of = named ?? read
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
