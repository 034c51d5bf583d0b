import { AccountForm, type UserFormProps } from '@/features/trading/accounts/staff-account-form.tsx'
import { BookEntryForm } from '@/features/trading/accounts/book-entry-form.tsx'
import { CloseAccountForm } from '@/features/trading/accounts/close-account-form.tsx'
import { OpenAccountForm } from '@/features/trading/accounts/open-account-form.tsx'
import { TermsForm } from '@/features/trading/accounts/terms-form.tsx'
import { EnrolForm } from '@/features/trading/enrolments/enrol-form.tsx'
import { BanForm } from './ban-form.tsx'
import { DeleteUserDialog } from './delete-user-dialog.tsx'
import { CertificateForm } from '@/features/trading/certificates/certificate-form.tsx'
import { UserForm } from './user-form.tsx'
import type { UserForm as UserFormName } from '@/features/frame/user-link.tsx'

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
