import type { Standing } from '#services/trading/accounts/standing-api.ts'
import { EventLink } from './event-link.tsx'

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
