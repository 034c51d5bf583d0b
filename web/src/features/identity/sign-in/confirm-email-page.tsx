import { useMutation } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { messageOf } from '@/api/api-error.ts'
import { useFirmName } from '@/firm.ts'
import { toastFailure } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { TextLink } from '@/ui/link.tsx'
import { IncompleteLink, SignedOutFrame } from './outside-frame.tsx'
import { confirmEmail } from './sign-in-queries.ts'

/** Confirms an address with the token mailed to it. A click, so that no mail scanner does it. */
export function ConfirmEmailPage() {
  const token = useLocation().state.resetToken
  const firm = useFirmName()
  const confirm = useMutation(confirmEmail)
  return (
    <SignedOutFrame
      title="Confirm your email"
      line="You show with it that you read the mails to this address."
      below={<TextLink to="/">Go to {firm}</TextLink>}
    >
      {token === undefined ? (
        <IncompleteLink />
      ) : confirm.isSuccess ? (
        <p role="status">Thank you. Your email address is confirmed.</p>
      ) : (
        <Button
          busy={confirm.isPending}
          onClick={() => confirm.mutate({ token }, { onError: (error) => toastFailure('Error', messageOf(error)) })}
        >
          Confirm this address
        </Button>
      )}
    </SignedOutFrame>
  )
}
