import { useLocation, useNavigate } from '@tanstack/react-router'
import { useForm } from 'react-hook-form'
import { messageOf } from '../../api/api-error.ts'
import { checkedBy, showAtFields } from '../../form/form.ts'
import { toast, toastFailure } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordInput } from '../../ui/field.tsx'
import { ButtonLink, TextLink } from '../../ui/link.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { OutsideFrame } from './outside-frame.tsx'
import { useResetPassword } from './queries.ts'

const loadSchemas = () => import('./schemas.ts')
const checked = checkedBy(() => loadSchemas().then(({ passwordReset }) => passwordReset))

/** Sets a new password with the token of a mailed link. */
export function ResetPasswordPage() {
  const token = useLocation().state.resetToken
  return (
    <OutsideFrame title="Reset password" line="Choose a new password for your account." below={<TextLink to="/auth">Back to Login</TextLink>}>
      {token === undefined ? (
        <ErrorState className="py-4!" title="Invalid reset token" action={<ButtonLink to="/forgot-password">Ask for a new link</ButtonLink>}>
          The link is incomplete. Open it again from the mail, or ask for a new one.
        </ErrorState>
      ) : (
        <ResetForm token={token} />
      )}
    </OutsideFrame>
  )
}

function ResetForm({ token }: { readonly token: string }) {
  const { register, handleSubmit, setError, formState } = useForm({ resolver: checked, defaultValues: { password: '', confirmPassword: '' } })
  const navigate = useNavigate()
  const reset = useResetPassword()
  const submit = handleSubmit(({ password }) =>
    reset.mutate(
      { token, password },
      {
        onSuccess: () => {
          toast('Password reset successful', 'You can now sign in with your new password.')
          void navigate({ to: '/auth', replace: true })
        },
        onError: (error) => {
          showAtFields(error, ['password'], setError)
          toastFailure('Error', messageOf(error, 'Failed to reset password'))
        },
      },
    ),
  )
  return (
    <form noValidate onSubmit={(event) => void submit(event)} onFocus={() => void loadSchemas()} className="flex flex-col gap-4">
      <PasswordInput label="New Password" autoComplete="new-password" {...register('password')} error={formState.errors.password?.message} />
      <PasswordInput label="Confirm Password" autoComplete="new-password" {...register('confirmPassword')} error={formState.errors.confirmPassword?.message} />
      <Button type="submit" busy={reset.isPending}>
        Reset Password
      </Button>
    </form>
  )
}
