import type { OwnAccount } from '../../../../services/api/account-schemas.ts'
import { TextLink } from '../../ui/link.tsx'

/** What a trader may ask the reason of. */
export type WhySubject = 'status' | 'limits'

interface WhyLinkProps {
  readonly account: OwnAccount
  readonly about: WhySubject
}

/** Leads to why something was decided; nothing where there is nothing to explain. */
export function WhyLink({ account, about }: WhyLinkProps) {
  if (!isExplained(account, about)) return null
  return (
    <TextLink
      from="/"
      to="/"
      search={(before) => ({ ...before, why: about })}
      resetScroll={false}
      aria-label={about === 'limits' ? 'Why these limits' : 'Why this status'}
      className="text-13"
    >
      Why
    </TextLink>
  )
}

/** A breach and a review are always explained, also by saying that no reason was recorded; the rest where somebody gave one. */
export function isExplained({ status, stamps }: OwnAccount, about: WhySubject): boolean {
  const stamp = stamps[about]
  if (!stamp) return false
  return stamp.reason !== null || (about === 'status' && (status === 'breached' || status === 'under-review'))
}
