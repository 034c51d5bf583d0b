import { useQuery } from '@tanstack/react-query'
import { Card } from '@/ui/card.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { FactorSections } from '@/features/identity/second-factors/factor-sections.tsx'
import { MailChoicesCard } from '@/features/oversight/notices/mail-choices.tsx'
import { PasswordForm } from '@/features/identity/sign-in/password-form.tsx'
import { ProfileForm } from '@/features/identity/users/profile-form.tsx'
import { OwnSessions } from '@/features/identity/sign-in/sessions-section.tsx'
import { userQuery } from '@/features/frame/session-queries.ts'

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
