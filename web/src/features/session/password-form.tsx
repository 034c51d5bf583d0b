import { useForm } from 'react-hook-form'
import { messageOf } from '../../api/api-error.ts'
import { checkedBy, showAtFields } from '../../form/form.ts'
import { toast, toastFailure } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordInput } from '../../ui/field.tsx'
import { useChangePassword } from './session-queries.ts'

const loadSchemas = () => import('./profile-checks.ts')
const checked = checkedBy(() => loadSchemas().then(({ passwordChange }) => passwordChange))
const empty = { currentPassword: '', newPassword: '', confirmPassword: '' }

/** Changes the password, which ends the trader's other sessions (specification §2, §5). */
export function PasswordForm() {
  const { register, handleSubmit, reset, setError, formState } = useForm({ resolver: checked, defaultValues: empty })
  const { errors } = formState
  const change = useChangePassword()
  const submit = handleSubmit((passwords) =>
    change.mutateAsync(passwords).then(
      () => {
        reset(empty)
        toast('Password updated', 'Your password has been updated successfully.')
      },
      (error: unknown) => {
        showAtFields(error, ['currentPassword', 'newPassword', 'confirmPassword'], setError)
        toastFailure('Update failed', messageOf(error, 'Please try again in a moment.'))
      },
    ),
  )
  return (
    <form noValidate onSubmit={(event) => void submit(event)} onFocus={() => void loadSchemas()} className="flex flex-col gap-4">
      <PasswordInput label="Current Password" autoComplete="current-password" {...register('currentPassword')} error={errors.currentPassword?.message} />
      <PasswordInput
        label="New Password"
        autoComplete="new-password"
        hint="8 to 100 characters. Signs out your other devices."
        {...register('newPassword')}
        error={errors.newPassword?.message}
      />
      <PasswordInput label="Confirm Password" autoComplete="new-password" {...register('confirmPassword')} error={errors.confirmPassword?.message} />
      <Button type="submit" busy={change.isPending} className="self-start">
        Update Password
      </Button>
    </form>
  )
}
