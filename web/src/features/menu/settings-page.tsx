import { useMutation, useQuery } from '@tanstack/react-query'
import { Card } from '@/ui/card.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { FactorSections } from '@/features/identity/second-factors/factor-sections.tsx'
import { ProfileForm } from '@/features/identity/users/profile-form.tsx'
import { OwnSessions } from '@/features/identity/sign-in/sessions-section.tsx'
import { userQuery } from '@/features/frame/session-queries.ts'
import { type FormEvent, useState } from 'react'
import type { NoticeChanges } from '#services/oversight/notices/notice-api.ts'
import { noticeKindLabels, noticeKinds } from '#services/framework/notice-vocabulary.ts'
import { toast } from '@/toast.ts'
import { Button } from '@/ui/button.tsx'
import { Checkbox, PasswordInput } from '@/ui/field.tsx'
import { FormError, Loaded, LoadingLines } from '@/ui/states.tsx'
import { useUnsaved } from '@/ui/unsaved-work.ts'
import { noticesQuery, useChangeNotices } from '@/features/oversight/notices/notice-queries.ts'
import { useWatch } from 'react-hook-form'
import { PasswordChange } from '#services/identity/sign-in/sign-in-api.ts'
import { useApiForm } from '@/form/api-form.ts'
import { NewPasswordInput } from '@/features/identity/sign-in/new-password-input.tsx'
import { changePassword } from '@/features/identity/sign-in/sign-in-queries.ts'

/**
 * Personal information and password (specification §2), second factors and sessions. The route's guard has loaded the
 * user.
 */
export function SettingsPage() {
  const { data: user } = useQuery(userQuery)
  return (
    <>
      <PageHeader title="Settings">Your personal information, password, second factors and sessions.</PageHeader>
      <div className="grid items-start gap-4 lg:grid-cols-[3fr_2fr]">
        <Card title="Personal information">{user && <ProfileForm user={user} />}</Card>
        <Card title="Change Password">
          <PasswordForm />
        </Card>
        <FactorSections kind="trader" />
        <MailChoicesCard />
        <div className="lg:col-span-2">
          <OwnSessions kind="trader">
            The browsers that are signed in to your account. Change your password if you do not know one.
          </OwnSessions>
        </div>
      </div>
    </>
  )
}

/** Which decisions are mailed to the trader. */
function MailChoicesCard() {
  const notices = useQuery(noticesQuery)
  return (
    <Card title="Mails" className="lg:col-span-2">
      <Loaded query={notices} failure="Your choice could not be loaded" loading={<LoadingLines lines={5} />}>
        {({ muted }) => <Choices muted={muted} />}
      </Loaded>
    </Card>
  )
}

type Muted = NonNullable<NoticeChanges['muted']>

function Choices({ muted }: { readonly muted: Muted }) {
  const change = useChangeNotices()
  const [draft, setDraft] = useState<Muted>()
  const chosen = draft ?? muted
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(
      { muted: chosen },
      { onSuccess: () => (setDraft(undefined), toast('Mails updated', 'Your choice has been saved.')) },
    )
  }
  useUnsaved(() => draft !== undefined)
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <p className="text-13 text-muted">You get a mail about:</p>
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
        {noticeKinds.map((kind) => (
          <Checkbox
            key={kind}
            label={noticeKindLabels[kind]}
            checked={!chosen.includes(kind)}
            onChange={({ target }) =>
              setDraft(target.checked ? chosen.filter((one) => one !== kind) : [...chosen, kind])
            }
          />
        ))}
      </div>
      <p className="text-13 text-muted">
        Mails about your password, your sign-ins, your email address and bans are always sent.
      </p>
      <FormError error={change.error} />
      <Button type="submit" className="self-start" busy={change.isPending} disabled={draft === undefined}>
        Save Choice
      </Button>
    </form>
  )
}

const empty = { currentPassword: '', newPassword: '', confirmPassword: '' }

/** Changes the password, which ends the trader's other sessions (specification §2, §5). */
function PasswordForm() {
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
