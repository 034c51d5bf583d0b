import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { optionsOf } from '#services/framework/api/options.ts'
import {
  type RemovalQuestion,
  removalQuestionLabels,
  removalQuestions,
} from '#services/identity/second-factors/removal-vocabulary.ts'
import { userRoutes } from '#services/identity/users/user-api.ts'
import { useApiForm } from '@/form/api-form.ts'
import { Select } from '@/ui/field.tsx'
import { DateText } from '@/ui/text.tsx'
import { Button } from '@/ui/button.tsx'
import { Loaded } from '@/ui/states.tsx'
import { noSessions, SessionsSkeleton, SessionText } from '@/features/identity/sign-in/sessions-section.tsx'
import { useMay } from '@/features/frame/access.tsx'
import { mailNote } from '@/features/frame/session-queries.ts'
import { DetailsSection } from '@/ui/details-section.tsx'
import { type UserName, staffChange } from '@/features/frame/staff-change.ts'
import { factorRoutes } from '#services/identity/second-factors/second-factor-api.ts'
import { signInRoutes } from '#services/identity/sign-in/sign-in-api.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { ChangeDialog, FormDialog } from '@/form/form-dialog.tsx'

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

/** Mails a trader another link to set a password. */
const sendPasswordLink = staffChange({
  send: ({ id }: UserName) => send(userRoutes.sendPasswordLink, { params: { id } }),
  done: ({ id, fullName }, _answer, client) => [
    'Link made',
    mailNote(client, `${fullName} gets a mail with a link to set a password.`),
    id,
  ],
  failed: () => 'The link could not be sent',
})

/** Stops the removal of a trader's second factors. */
const stopRemoval = staffChange({
  send: ({ id }: UserName) => send(factorRoutes.stopFactorRemoval, { params: { id } }),
  done: ({ id, fullName }) => ['Removal stopped', `The second factors of ${fullName} stay.`, id],
  failed: () => 'The removal could not be stopped',
})

/** Has the second factors of a trader removed after a day, once a question was answered. */
const requestRemoval = staffChange({
  send: ({ id, question }: UserName & { readonly question: RemovalQuestion }) =>
    send(factorRoutes.requestFactorRemoval, { params: { id }, body: { question } }),
  done: ({ id, fullName }, _answer, client) => [
    'Removal asked for',
    mailNote(client, `${fullName} gets a mail, and can stop it for 24 hours.`),
    id,
  ],
  failed: () => 'The removal could not be asked for',
})

const userFactorsQuery = (id: string) =>
  routeQuery(factorRoutes.userFactors, { params: { id }, subjects: ['second-factors'] }, { staleTime: 0 })

/** Where a trader is signed in, a way to end it all, and help for who cannot sign in. */
export function UserSessions({ user }: { readonly user: UserName }) {
  const mayChange = useMay('ban-users')
  const mayRemoveFactors = useMay('remove-factors')
  const sessions = useQuery(userSessionsQuery(user.id))
  const factors = useQuery(userFactorsQuery(user.id)).data
  const mayHelp = useMay('help-sign-in')
  const [asks, setAsks] = useState<'sessions' | 'factors' | 'link' | 'lost' | 'stop'>()
  const small = { look: 'quiet', className: 'h-8! px-2! text-13!' } as const
  return (
    <DetailsSection
      title="Sessions"
      className="mt-6"
      buttons={
        (mayChange || mayRemoveFactors || mayHelp) && (
          <div className="flex flex-wrap justify-end gap-1">
            {mayHelp && (
              <Button {...small} onClick={() => setAsks('link')}>
                Send Password Link
              </Button>
            )}
            {mayHelp && factors?.present && !factors.removal && (
              <Button {...small} onClick={() => setAsks('lost')}>
                Second Factors Lost
              </Button>
            )}
            {mayRemoveFactors && factors?.present && (
              <Button {...small} onClick={() => setAsks('factors')}>
                Remove Second Factors
              </Button>
            )}
            {mayChange && sessions.data && sessions.data.length > 0 && (
              <Button {...small} onClick={() => setAsks('sessions')}>
                Sign Out Everywhere
              </Button>
            )}
          </div>
        )
      }
    >
      {factors?.removal && (
        <div
          role="note"
          className="mb-2 flex flex-wrap items-center gap-2 rounded-md border border-line px-3 py-2 text-13"
        >
          <span>
            All second factors are removed <DateText at={factors.removal.dueAt} how="exact" />. Answered:{' '}
            {removalQuestionLabels[factors.removal.question]}.
          </span>
          {mayHelp && (
            <Button {...small} onClick={() => setAsks('stop')}>
              Stop the Removal
            </Button>
          )}
        </div>
      )}
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
      {asks === 'link' && (
        <ChangeDialog
          change={sendPasswordLink}
          input={user}
          label="Send Password Link"
          look="primary"
          staysAfterFailure
          onClose={() => setAsks(undefined)}
          title={`Send ${user.fullName} a link to set a password`}
          description="It goes to the address of this account. Links that were sent before stay valid."
        />
      )}
      {asks === 'stop' && (
        <ChangeDialog
          change={stopRemoval}
          input={user}
          label="Stop the Removal"
          look="primary"
          staysAfterFailure
          onClose={() => setAsks(undefined)}
          title={`Stop the removal of the second factors of ${user.fullName}`}
          description="They stay as they are. The trader gets a mail."
        />
      )}
      {asks === 'lost' && <LostFactorsForm user={user} onClose={() => setAsks(undefined)} />}
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

const lostForm = z.object({ question: z.enum(removalQuestions, { error: 'Please choose the question' }) })

/** Records which question a trader answered who lost all second factors. */
function LostFactorsForm({ user, onClose }: { readonly user: UserName; readonly onClose: () => void }) {
  const request = useMutation(requestRemoval)
  const { field, handleSubmit, showRefusal } = useApiForm(lostForm, { question: '' })
  const onSubmit = handleSubmit(({ question }) =>
    request.mutate({ ...user, question }, { onSuccess: onClose, onError: showRefusal }),
  )
  return (
    <FormDialog
      title="Second Factors Lost"
      description={`Ask ${user.fullName} something that a thief of the password does not know. The mail about it goes out at once; after 24 hours signing in needs only the password. An administrator can remove them sooner.`}
      submit="Remove After 24 Hours"
      change={request}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Select
        label="Question that was answered"
        hint="Recorded, and shown to the trader. The answer is not."
        options={[
          { value: '', label: 'Please choose the question' },
          ...optionsOf(removalQuestions, removalQuestionLabels),
        ]}
        {...field('question')}
      />
    </FormDialog>
  )
}
