import type { ListedOwnAccount } from '#services/trading/accounts/account-api.ts'
import { lazyPartOr } from '@/lazy-page.ts'
import { MissingInPage } from '@/ui/missing-part.tsx'

const AcceptTerms = lazyPartOr(() => import('./accept-terms.tsx').then(({ AcceptTerms }) => AcceptTerms), MissingInPage)

interface UnacceptedTermsProps {
  /** All of the trader's; undefined while they load. */
  readonly accounts: readonly ListedOwnAccount[] | undefined
}

/** Asks for the acceptance of terms, whichever account is shown. It loads only for traders of a programme. */
export function UnacceptedTerms({ accounts = [] }: UnacceptedTermsProps) {
  // Only an account of a programme has a size.
  const open = accounts.filter((account) => account.open && account.size !== null)
  return open.length > 0 && <AcceptTerms open={open.map(({ id }) => id)} />
}
