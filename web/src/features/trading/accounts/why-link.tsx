import type { OwnAccount } from '#services/trading/accounts/account-api.ts'
import { TextLink } from '@/ui/link.tsx'
import { questionAbout, type WhySubject } from './why-subjects.ts'

interface WhyLinkProps {
  readonly account: OwnAccount
  readonly about: WhySubject
}

/** A link to the reason of a decision; renders nothing without one. */
export function WhyLink({ account, about }: WhyLinkProps) {
  if (!isExplained(account, about)) return null
  return (
    <TextLink
      from="/"
      to="/"
      search={(before) => ({ ...before, why: about })}
      resetScroll={false}
      aria-label={questionAbout(about)}
      className="text-13"
    >
      Why
    </TextLink>
  )
}

/**
 * A breach and a review are always explained, if only by 'no reason was recorded'; other decisions when they have a
 * reason.
 */
export function isExplained({ status, stamps }: OwnAccount, about: WhySubject): boolean {
  const stamp = stamps[about]
  if (!stamp) return false
  return stamp.reason !== null || (about === 'status' && (status === 'breached' || status === 'under-review'))
}
