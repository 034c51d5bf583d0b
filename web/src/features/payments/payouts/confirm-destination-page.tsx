import { useMutation } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { messageOf } from '@/api/api-error.ts'
import { IncompleteLink, SignedOutFrame } from '@/features/identity/sign-in/outside-frame.tsx'
import { toastFailure } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { TextLink } from '@/ui/link.tsx'
import { confirmDestination } from './saved-destination-queries.ts'

/** Confirms a saved destination with the token that was mailed. A click, so that no mail scanner does it. */
export function ConfirmDestinationPage() {
  const token = useLocation().state.resetToken
  const confirm = useMutation(confirmDestination)
  return (
    <SignedOutFrame
      title="Confirm a saved destination"
      line="After that you can choose it when you request a payout."
      below={<TextLink to="/payouts">Go to your payouts</TextLink>}
    >
      {token === undefined ? (
        <IncompleteLink />
      ) : confirm.isSuccess ? (
        <p role="status">Thank you. The destination is confirmed.</p>
      ) : (
        <Button
          busy={confirm.isPending}
          onClick={() => confirm.mutate(token, { onError: (error) => toastFailure('Error', messageOf(error)) })}
        >
          Confirm this destination
        </Button>
      )}
    </SignedOutFrame>
  )
}
