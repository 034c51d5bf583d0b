import { ErrorState } from '@/ui/states.tsx'

/** In place of what a mailed link does, where its token is missing. */
export function IncompleteLink() {
  return (
    <ErrorState className="py-4!" title="Invalid link">
      The link is incomplete. Open it again from the mail.
    </ErrorState>
  )
}
