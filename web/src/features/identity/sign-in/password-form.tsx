import { useMutation } from '@tanstack/react-query'
import { useWatch } from 'react-hook-form'
import { PasswordChange } from '#services/identity/sign-in/sign-in-api.ts'
import { useApiForm } from '@/form/api-form.ts'
import { toast } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { PasswordInput } from '@/ui/field.tsx'
import { FormError } from '@/ui/states.tsx'
import { NewPasswordInput } from './new-password-input.tsx'
import { changePassword } from './sign-in-queries.ts'

const empty = { currentPassword: '', newPassword: '', confirmPassword: '' }

/** Changes the password, which ends the trader's other sessions (specification §2, §5). */
export function PasswordForm() {
  const change = useMutation(changePassword)
  const { control, field, handleSubmit, reset, reportRefusal } = useApiForm(PasswordChange, empty)
  const onSubmit = handleSubmit((passwords) =>
    change.mutate(passwords, {
      onSuccess: () => {
        reset()
        toast('Password updated', 'Your password has been updated successfully.')
      },
      onError: reportRefusal('Update failed'),
    }),
  )
  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-col gap-4">
      <PasswordInput label="Current Password" autoComplete="current-password" {...field('currentPassword')} />
      <NewPasswordInput
        label="New Password"
        typed={useWatch({ control, name: 'newPassword' })}
        hint="8 to 100 characters. Signs out your other devices."
        {...field('newPassword', { deps: 'confirmPassword' })}
      />
      <PasswordInput label="Confirm Password" autoComplete="new-password" {...field('confirmPassword')} />
      <FormError error={change.error} />
      <Button type="submit" busy={change.isPending} className="self-start">
        Update Password
      </Button>
    </form>
  )
}
