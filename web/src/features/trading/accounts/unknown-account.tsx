import { ButtonLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { ErrorState } from '@/ui/states.tsx'

/** Instead of a page whose address names an account that the trader does not have. */
export function UnknownAccount() {
  return (
    <>
      <PageHeader title="Account not found" />
      <ErrorState
        title="You have no such account"
        action={
          <ButtonLink to="." search={(before: object) => ({ ...before, account: undefined })}>
            Show the current account
          </ButtonLink>
        }
      >
        The address of this page names an account that is not yours, or that does not exist.
      </ErrorState>
    </>
  )
}
