import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/ui/button.tsx'
import { Loaded } from '@/ui/states.tsx'
import { noSessions, SessionsSkeleton, SessionText } from '@/features/identity/sign-in/sessions-section.tsx'
import { useMay } from '@/features/frame/access.tsx'
import { DetailsSection } from '@/ui/details-section.tsx'
import { type UserName, staffChange } from '@/features/frame/staff-change.ts'
import { factorRoutes } from '#services/identity/second-factors/second-factor-api.ts'
import { signInRoutes } from '#services/identity/sign-in/sign-in-api.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { ChangeDialog } from '@/form/form-dialog.tsx'

/** Where a trader is signed in. */
const userSessionsQuery = (id: string) =>
  routeQuery(signInRoutes.userSessions, { params: { id }, subjects: ['sign-in', 'users'] }, { staleTime: 0 })

/** Ends every session of a trader. */
const endUserSessions = staffChange({
  send: ({ id }: UserName) => send(signInRoutes.endUserSessions, { params: { id } }),
  done: ({ id, fullName }) => ['Signed out everywhere', `${fullName} has to sign in again.`, id],
  failed: () => 'Update failed',
})

/** Removes the second factors of a trader who lost them. */
const removeUserFactors = staffChange({
  send: ({ id }: UserName) => send(factorRoutes.removeUserFactors, { params: { id } }),
  done: ({ id, fullName }) => ['Second factors removed', `${fullName} signs in with the password alone.`, id],
  failed: () => 'Update failed',
})

/** Where a trader is signed in, and a way to end it all. */
export function UserSessions({ user }: { readonly user: UserName }) {
  const mayChange = useMay('ban-users')
  const mayRemoveFactors = useMay('remove-factors')
  const sessions = useQuery(userSessionsQuery(user.id))
  const [asks, setAsks] = useState<'sessions' | 'factors'>()
  return (
    <DetailsSection
      title="Sessions"
      className="mt-6"
      buttons={
        (mayChange || mayRemoveFactors) && (
          <div className="flex flex-wrap justify-end gap-1">
            {mayRemoveFactors && (
              <Button look="quiet" className="h-8! px-2! text-13!" onClick={() => setAsks('factors')}>
                Remove Second Factors
              </Button>
            )}
            {mayChange && sessions.data && sessions.data.length > 0 && (
              <Button look="quiet" className="h-8! px-2! text-13!" onClick={() => setAsks('sessions')}>
                Sign Out Everywhere
              </Button>
            )}
          </div>
        )
      }
    >
      <Loaded query={sessions} failure="The sessions could not be loaded" loading={<SessionsSkeleton />}>
        {(open) =>
          open.length === 0 ? (
            noSessions
          ) : (
            <ul aria-label="Sessions" className="divide-y divide-line">
              {open.map((session) => (
                <li key={session.id} className="py-2">
                  <SessionText session={session} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {asks === 'factors' && (
        <ChangeDialog
          change={removeUserFactors}
          input={user}
          label="Remove Second Factors"
          staysAfterFailure
          onClose={() => setAsks(undefined)}
          title={`Remove the second factors of ${user.fullName}`}
          description="For a trader who lost them: passkeys, authenticator app and recovery codes stop working, and signing in needs only the password. Make sure that you talk to the right person. The trader gets a mail."
        />
      )}
      {asks === 'sessions' && (
        <ChangeDialog
          change={endUserSessions}
          input={user}
          label="Sign Out Everywhere"
          staysAfterFailure
          onClose={() => setAsks(undefined)}
          title={`Sign ${user.fullName} out everywhere`}
          description="Every open page of this trader closes. The trader can sign in again, and sees this in the history."
        />
      )}
    </DetailsSection>
  )
}
