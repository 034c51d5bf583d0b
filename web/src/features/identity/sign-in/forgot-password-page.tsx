import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { PasswordForgotten } from '#services/identity/sign-in/sign-in-api.ts'
import { ApiError, messageOf } from '@/api/api-error.ts'
import { useApiForm } from '@/form/api-form.ts'
import { toast, toastFailure } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { TextInput } from '@/ui/field.tsx'
import { TextLink } from '@/ui/link.tsx'
import { SignedOutFrame } from './outside-frame.tsx'
import { requestPasswordReset } from './sign-in-queries.ts'

/** Requests a mailed link to set a new password. */
export function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState<string>()
  const forgot = useMutation(requestPasswordReset)
  const { field, handleSubmit, showRefusal } = useApiForm(PasswordForgotten, { email: '' })
  const onSubmit = handleSubmit((request) =>
    forgot.mutate(request, {
      onSuccess: () => {
        setSentTo(request.email)
        toast('Reset email sent', 'If the address is registered, a link to reset the password is on its way.')
      },
      onError: (error) => {
        showRefusal(error)
        // Only a foreign server answers without JSON (specification §8).
        const isForeign = error instanceof ApiError && !error.hasNoMessage && /^\d{3}: /.test(error.message)
        toastFailure('Error', isForeign ? 'Invalid server response' : messageOf(error, 'Failed to send reset email'))
      },
    }),
  )
  return (
    <SignedOutFrame
      title="Forgot password"
      line="We send you a link to set a new password."
      below={<TextLink to="/auth">Back to Login</TextLink>}
    >
      <form noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
        <TextInput label="Email" type="email" autoComplete="username" {...field('email')} />
        <Button type="submit" busy={forgot.isPending}>
          Send reset link
        </Button>
        {sentTo !== undefined && (
          <p className="text-13 text-muted">
            If {sentTo} is registered, a mail is on its way. Its link works once, for a short time. No mail after a few
            minutes? Check your spam folder, or try again.
          </p>
        )}
      </form>
    </SignedOutFrame>
  )
}
