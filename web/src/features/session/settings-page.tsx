import { useQuery } from '@tanstack/react-query'
import { Card } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PasswordForm } from './password-form.tsx'
import { ProfileForm } from './profile-form.tsx'
import { userQuery } from './session-queries.ts'

/** Personal information and password (specification §2). The route's guard has loaded the user. */
export function SettingsPage() {
  const { data: user } = useQuery(userQuery)
  return (
    <>
      <PageHeader title="Settings">Your personal information and password.</PageHeader>
      <div className="grid items-start gap-4 lg:grid-cols-[3fr_2fr]">
        <Card title="Personal information">{user && <ProfileForm user={user} />}</Card>
        <Card title="Change Password">
          <PasswordForm />
        </Card>
      </div>
    </>
  )
}
