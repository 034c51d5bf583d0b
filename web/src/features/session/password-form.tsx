import { useMutation } from '@tanstack/react-query'
import { useForm } from '../../form/form.ts'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { PasswordInput } from '../../ui/field.tsx'
import { FormError } from '../../ui/states.tsx'
import { changePassword } from './session-queries.ts'

const loadSchema = () => import('../../../../services/api/session-schemas.ts').then(({ PasswordChange }) => PasswordChange)
const empty = { currentPassword: '', newPassword: '', confirmPassword: '' }

/** Changes the password, which ends the trader's other sessions (specification §2, §5). */
export function PasswordForm() {
  const change = useMutation(changePassword)
  const { form, field, reset, reportRefusal } = useForm(empty, loadSchema, (passwords) =>
    change.mutate(passwords, {
      onSuccess: () => {
        reset()
        toast('Password updated', 'Your password has been updated successfully.')
      },
      onError: reportRefusal('Update failed'),
    }),
  )
  return (
    <form {...form} className="flex flex-col gap-4">
      <PasswordInput label="Current Password" autoComplete="current-password" {...field('currentPassword')} />
      <PasswordInput label="New Password" autoComplete="new-password" hint="8 to 100 characters. Signs out your other devices." {...field('newPassword')} />
      <PasswordInput label="Confirm Password" autoComplete="new-password" {...field('confirmPassword')} />
      <FormError error={change.error} />
      <Button type="submit" busy={change.isPending} className="self-start">
        Update Password
      </Button>
    </form>
  )
}
