import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { toastFailure } from '@/toast.ts'
import { TextArea } from '@/ui/field.tsx'
import type { UserFormProps } from '@/features/trading/accounts/staff-account-form.tsx'
import { FormDialog } from '@/form/form-dialog.tsx'
import { banUser } from './user-queries.ts'

/** Bans a user for a reason. The button stays enabled without one: a toast says what is missing (specification §5). */
export function BanForm({ user, onClose }: UserFormProps) {
  const [reason, setReason] = useState('')
  const ban = useMutation(banUser)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason.trim() === '') toastFailure('Ban reason required', 'Please provide a reason for banning this user')
    else
      ban.mutate(
        { id: user.id, fullName: user.fullName, banned: true, banReason: reason.trim() },
        { onSuccess: onClose },
      )
  }
  return (
    <FormDialog
      title="Ban User"
      description={`${user.fullName} (${user.email}) is signed out at once and can't sign in until the ban is lifted.`}
      submit="Ban User"
      dangerous
      change={ban}
      onSubmit={submit}
      onClose={onClose}
      width="small"
    >
      <TextArea
        label="Ban Reason"
        hint="The person reads it when signing in."
        value={reason}
        maxLength={2000}
        onChange={(event) => setReason(event.target.value)}
      />
    </FormDialog>
  )
}
