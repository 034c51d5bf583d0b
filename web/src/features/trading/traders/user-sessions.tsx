import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@/ui/button.tsx'
import { AlertDialog } from '@/ui/dialog.tsx'
import { ErrorState } from '@/ui/states.tsx'
import { noSessions, SessionsSkeleton, SessionText } from '@/features/identity/sign-in/sessions-section.tsx'
import { useMay } from '@/features/frame/access.tsx'
import { DetailsSection } from '@/ui/details-section.tsx'
import { endUserSessions, userSessionsQuery } from './user-session-queries.ts'
import { removeUserFactors } from './user-session-queries.ts'
import type { UserName } from '@/features/frame/staff-change.ts'

/** Where a trader is signed in, and a way to end it all. */
export function UserSessions({ user }: { readonly user: UserName }) {
  const mayChange = useMay('ban-users')
  const mayRemoveFactors = useMay('remove-factors')
  const { data, error, refetch } = useQuery(userSessionsQuery(user.id))
  const end = useMutation(endUserSessions)
  const remove = useMutation(removeUserFactors)
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
            {mayChange && data && data.length > 0 && (
              <Button look="quiet" className="h-8! px-2! text-13!" onClick={() => setAsks('sessions')}>
                Sign Out Everywhere
              </Button>
            )}
          </div>
        )
      }
    >
      {data ? (
        data.length === 0 ? (
          noSessions
        ) : (
          <ul aria-label="Sessions" className="divide-y divide-line">
            {data.map((session) => (
              <li key={session.id} className="py-2">
                <SessionText session={session} />
              </li>
            ))}
          </ul>
        )
      ) : error ? (
        <ErrorState title="The sessions could not be loaded" error={error} onRetry={refetch} />
      ) : (
        <SessionsSkeleton />
      )}
      {asks === 'factors' && (
        <AlertDialog
          onClose={() => setAsks(undefined)}
          title={`Remove the second factors of ${user.fullName}`}
          description="For a trader who lost them: passkeys, authenticator app and recovery codes stop working, and signing in needs only the password. Make sure that you talk to the right person. The trader gets a mail."
          action={{
            label: 'Remove Second Factors',
            busy: remove.isPending,
            onClick: () => remove.mutate(user, { onSuccess: () => setAsks(undefined) }),
          }}
        />
      )}
      {asks === 'sessions' && (
        <AlertDialog
          onClose={() => setAsks(undefined)}
          title={`Sign ${user.fullName} out everywhere`}
          description="Every open page of this trader closes. The trader can sign in again, and sees this in the history."
          action={{
            label: 'Sign Out Everywhere',
            busy: end.isPending,
            onClick: () => end.mutate(user, { onSuccess: () => setAsks(undefined) }),
          }}
        />
      )}
    </DetailsSection>
  )
}
