import { AccountForm, type UserFormProps } from '@/features/trading/accounts/staff-account-form.tsx'
import { BookEntryForm, CloseAccountForm, OpenAccountForm } from '@/features/trading/accounts/account-forms.tsx'
import { TermsForm } from '@/features/trading/accounts/terms-form.tsx'
import { DeleteUserDialog } from './delete-user-dialog.tsx'
import { CertificateForm } from '@/features/trading/certificates/certificate-form.tsx'
import { UserForm } from './user-form.tsx'
import type { UserForm as UserFormName } from '@/features/frame/user-link.tsx'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { toastFailure } from '@/toast.ts'
import { Select, TextArea } from '@/ui/field.tsx'
import { FormDialog } from '@/form/form-dialog.tsx'
import { banUser } from './user-queries.ts'
import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import { z } from 'zod'
import { programmesQuery, programmeVersionQuery } from '@/features/programmes/programmes/programme-queries.ts'
import { TermsInWordsView } from '@/features/programmes/programmes/terms-in-words-view.tsx'
import { useApiForm } from '@/form/api-form.ts'
import { ErrorState, Loaded, LoadingLines } from '@/ui/states.tsx'
import { enrolmentRoutes } from '#services/trading/enrolments/enrolment-api.ts'
import { sendAndParse } from '@/api/api.ts'
import { staffChange, type UserName } from '@/features/frame/staff-change.ts'

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

/** Enrols a user in the newest published version of a programme. */
const enrolTrader = staffChange({
  send: ({ id, programme }: UserName & { readonly programme: string }) =>
    sendAndParse(enrolmentRoutes.enrolTrader, { params: { id }, body: { programme } }),
  done: ({ id, fullName }, { version }) => ['Trader enrolled', `${fullName}: version ${version} of the programme.`, id],
  failed: () => 'The trader was not enrolled',
})

const choice = z.object({ programme: z.string().min(1, 'Please choose a programme') })

interface EnrolFormProps {
  readonly user: Pick<UserDetails, 'id' | 'fullName' | 'email'>
  readonly onClose: () => void
}

/** Enrols a user: staff choose a programme and read what it means. */
export function EnrolForm({ user, onClose }: EnrolFormProps) {
  const enrol = useMutation(enrolTrader)
  const programmes = useQuery(programmesQuery)
  const { field, handleSubmit, showRefusal, watch } = useApiForm(choice, { programme: '' })
  const offered = (programmes.data ?? []).flatMap(({ id, name, versions }) => {
    const newest = versions.findLast(({ state }) => state === 'published')
    return newest ? [{ id, name, version: newest.version }] : []
  })
  const chosen = offered.find(({ id }) => id === watch('programme'))
  const onSubmit = handleSubmit(({ programme }) =>
    enrol.mutate({ id: user.id, fullName: user.fullName, programme }, { onSuccess: onClose, onError: showRefusal }),
  )
  return (
    <FormDialog
      title="Enrol"
      description={`${user.fullName} (${user.email}) gets an account in the first stage, and is asked to accept the terms.`}
      submit="Enrol Trader"
      change={enrol}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {programmes.isError && !programmes.data && (
        <ErrorState title="The programmes could not be loaded" error={programmes.error} onRetry={programmes.refetch} />
      )}
      <Select
        label="Programme"
        options={[
          { value: '', label: 'Please choose a programme' },
          ...offered.map(({ id, name, version }) => ({ value: id, label: `${name}, version ${version}` })),
        ]}
        {...field('programme')}
      />
      {chosen && <Terms key={chosen.id} {...chosen} />}
    </FormDialog>
  )
}

function Terms({ id, version }: { readonly id: string; readonly version: number }) {
  const found = useQuery(programmeVersionQuery(id, version))
  const loading = <LoadingLines lines={8} label="Loading the terms" />
  return (
    <Loaded query={found} failure="The terms could not be loaded" loading={loading}>
      {({ words }) => <TermsInWordsView words={words} />}
    </Loaded>
  )
}
