import { AccountForm, type UserFormProps } from '@/features/trading/accounts/staff-account-form.tsx'
import { BookEntryForm, CloseAccountForm, OpenAccountForm } from '@/features/trading/accounts/account-forms.tsx'
import { TermsForm } from '@/features/trading/accounts/terms-form.tsx'
import { EnrolForm } from '@/features/trading/enrolments/enrol-form.tsx'
import { DeleteUserDialog } from './delete-user-dialog.tsx'
import { CertificateForm } from '@/features/trading/certificates/certificate-form.tsx'
import { UserForm } from './user-form.tsx'
import type { UserForm as UserFormName } from '@/features/frame/user-link.tsx'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { toastFailure } from '@/toast.ts'
import { TextArea } from '@/ui/field.tsx'
import { FormDialog } from '@/form/form-dialog.tsx'
import { banUser } from './user-queries.ts'

/** The form about a user that the address names. */
export function UserForms({
  form,
  onDeleted,
  ...props
}: UserFormProps & { readonly form: UserFormName; readonly onDeleted?: () => void }) {
  if (form === 'delete') return <DeleteUserDialog {...props} {...(onDeleted && { onDeleted })} />
  if (form === 'edit') return <UserForm {...props} />
  if (form === 'ban') return <BanForm {...props} />
  if (form === 'certificate') return <CertificateForm {...props} />
  if (form === 'open-account') return <OpenAccountForm {...props} />
  if (form === 'close-account') return <CloseAccountForm {...props} />
  if (form === 'book-entry') return <BookEntryForm {...props} />
  if (form === 'enrol') return <EnrolForm {...props} />
  if (form === 'terms') return <TermsForm {...props} />
  return <AccountForm form={form} {...props} />
}

/** Bans a user for a reason. The button stays enabled without one: a toast says what is missing (specification §5). */
function BanForm({ user, onClose }: UserFormProps) {
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
