import { useMutation } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useWatch } from 'react-hook-form'
import { PasswordResetForm } from '#services/identity/sign-in/sign-in-api.ts'
import { useApiForm } from '@/form/api-form.ts'
import { toast } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { PasswordInput } from '@/ui/field.tsx'
import { ButtonLink, TextLink } from '@/ui/link.tsx'
import { ErrorState, FormError } from '@/ui/states.tsx'
import { SignedOutFrame } from './outside-frame.tsx'
import { NewPasswordInput } from './new-password-input.tsx'
import { resetPassword } from './sign-in-queries.ts'

/** Sets a new password with the token of a mailed link. */
export function ResetPasswordPage() {
  const token = useLocation().state.resetToken
  return (
    <SignedOutFrame
      title="Reset password"
      line="Choose a new password for your account."
      below={<TextLink to="/auth">Back to Login</TextLink>}
    >
      {token === undefined ? (
        <ErrorState
          className="py-4!"
          title="Invalid reset token"
          action={<ButtonLink to="/forgot-password">Request a new link</ButtonLink>}
        >
          The link is incomplete. Open it again from the mail, or request a new one.
        </ErrorState>
      ) : (
        <ResetForm token={token} />
      )}
    </SignedOutFrame>
  )
}

function ResetForm({ token }: { readonly token: string }) {
  const navigate = useNavigate()
  const reset = useMutation(resetPassword)
  const { control, field, handleSubmit, reportRefusal } = useApiForm(PasswordResetForm, {
    password: '',
    confirmPassword: '',
  })
  const onSubmit = handleSubmit(({ password }) =>
    reset.mutate(
      { token, password },
      {
        onSuccess: () => {
          toast('Password reset successful', 'You can now sign in with your new password.')
          void navigate({ to: '/auth', replace: true })
        },
        onError: reportRefusal('Error', 'Failed to reset password'),
      },
    ),
  )
  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
      <NewPasswordInput
        label="New Password"
        typed={useWatch({ control, name: 'password' })}
        {...field('password', { deps: 'confirmPassword' })}
      />
      <PasswordInput label="Confirm Password" autoComplete="new-password" {...field('confirmPassword')} />
      <FormError error={reset.error} fallback="Failed to reset password" />
      <Button type="submit" busy={reset.isPending}>
        Reset Password
      </Button>
    </form>
  )
}
