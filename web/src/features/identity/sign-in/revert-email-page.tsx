import { useMutation } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { messageOf } from '@/api/api-error.ts'
import { toast, toastFailure } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { TextLink } from '@/ui/link.tsx'
import { IncompleteLink, SignedOutFrame } from './outside-frame.tsx'
import { revertEmail } from './sign-in-queries.ts'

/**
 * Takes a change of email back with the token mailed to the address before. A click, so that no mail scanner does it.
 */
export function RevertEmailPage() {
  const token = useLocation().state.resetToken
  const revert = useMutation(revertEmail)
  const takeBack = (value: string) =>
    revert.mutate(
      { token: value },
      {
        onSuccess: () => toast('Email restored', 'We sent you a link to set a new password.'),
        onError: (error) => toastFailure('Error', messageOf(error)),
      },
    )
  return (
    <SignedOutFrame
      title="Email changed"
      line="The email of your account was changed to another address."
      below={<TextLink to="/auth">Back to Login</TextLink>}
    >
      {token === undefined ? (
        <IncompleteLink />
      ) : revert.isSuccess ? (
        <p>
          Your account has this email again, and everyone is signed out. Open the mail that we just sent you, and choose
          a new password.
        </p>
      ) : (
        <div className="flex flex-col gap-4">
          <p>
            If it was not you, take the change back. Everyone is signed out, and we mail you a link to choose a new
            password.
          </p>
          <Button busy={revert.isPending} onClick={() => takeBack(token)}>
            Take the change back
          </Button>
        </div>
      )}
    </SignedOutFrame>
  )
}
