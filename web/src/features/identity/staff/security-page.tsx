import { useQuery } from '@tanstack/react-query'
import { ButtonLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { factorsQuery } from '@/features/identity/second-factors/factor-queries.ts'
import { FactorSections } from '@/features/identity/second-factors/factor-sections.tsx'
import { OwnSessions } from '@/features/identity/sign-in/sessions-section.tsx'

/** How a member of staff signs in: second factors and sessions. The only page of those who must add a factor first. */
export function SecurityPage() {
  const { data } = useQuery(factorsQuery('admin'))
  const mustEnrol = data?.required === true && data.passkeys.length === 0 && data.authenticator === null
  return (
    <>
      <PageHeader
        title="Security"
        {...(data?.required &&
          !mustEnrol && { action: <ButtonLink to="/admin/dashboard">Go to the dashboard</ButtonLink> })}
      >
        How you sign in: your second factors and your sessions.
      </PageHeader>
      {mustEnrol && (
        <p role="note" className="mb-4 rounded-md border border-line bg-sunken px-4 py-2 text-13">
          Your firm requires a second factor. Add a passkey or turn on an authenticator app; after that you can use the
          portal.
        </p>
      )}
      <div className="grid items-start gap-4 lg:grid-cols-[3fr_2fr]">
        <FactorSections kind="admin" />
        {!mustEnrol && data && (
          <div className="lg:col-span-2">
            <OwnSessions kind="admin">The browsers that are signed in with your access key.</OwnSessions>
          </div>
        )}
      </div>
    </>
  )
}
