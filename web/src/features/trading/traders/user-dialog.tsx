import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useLocation, useRouter } from '@tanstack/react-router'
import { useRef } from 'react'
import { Button } from '@/ui/button.tsx'
import { findRow } from '@/ui/data-table.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { ButtonLink } from '@/ui/link.tsx'
import { ErrorState } from '@/ui/states.tsx'
import { EmailText } from '@/ui/text.tsx'
import { usePermissions } from '@/features/frame/access.tsx'
import { useChangeAddress } from '@/lists/address.ts'
import { accountToName, withAccount } from '@/features/trading/accounts/staff-account-queries.ts'
import { UserEnrolments } from '@/features/trading/enrolments/user-enrolments.tsx'
import { UserAccounts } from '@/features/trading/accounts/user-accounts.tsx'
import { DetailsSkeleton, DetailsView } from './details-view.tsx'
import { userDetailsQuery } from './user-queries.ts'
import { UserCertificates } from '@/features/trading/certificates/user-certificates.tsx'
import { UserSessions } from './user-sessions.tsx'
import { formPermissions, type UserForm } from '@/features/frame/user-link.tsx'
import { lazyPart } from '@/lazy-page.ts'

const route = getRouteApi('/admin')

const UserForms = lazyPart(() => import('./user-forms.tsx').then(({ UserForms }) => UserForms))

/** The details of the user that the address names, over any page, and the forms about that user. */
export function UserDialog({ id }: { readonly id: string }) {
  const { form, account } = route.useSearch()
  const may = usePermissions()
  const shownForm = form && may(formPermissions[form]) ? form : undefined
  const alone = useLocation({ select: ({ state }) => state.alone === true }) && shownForm !== undefined
  const details = useQuery(userDetailsQuery(id))
  const user = details.data && withAccount(details.data, account)
  const change = useChangeAddress()
  const close = useClose()
  const openForm = (name: UserForm | undefined) =>
    void change({ form: name }, { replace: true, state: (before) => ({ ...before, alone: false }) })
  const failure = details.isError && !user && (
    <ErrorState title="The user could not be loaded" error={details.error} onRetry={details.refetch} />
  )
  return (
    <>
      {(!alone || failure) && (
        <Dialog
          onClose={close}
          returnTo={() => findRow(id)}
          width={alone ? 'medium' : 'large'}
          title={user?.fullName ?? (alone ? 'User' : 'User Details')}
          description={
            user && (
              <>
                User details of <EmailText email={user.email} />
              </>
            )
          }
          footer={user && <DetailsFooter user={user} onEdit={openForm} />}
        >
          {failure ||
            (user ? (
              <>
                <UserAccounts
                  user={user}
                  current={details.data?.tradingAccount?.id}
                  onChoose={(chosen) => void change({ account: chosen }, { replace: true })}
                  onEdit={openForm}
                />
                <UserEnrolments user={user} onEnrol={() => openForm('enrol')} />
                <DetailsView user={user} onEdit={openForm} />
                <UserCertificates user={user} />
                <UserSessions user={user} />
              </>
            ) : (
              <DetailsSkeleton />
            ))}
        </Dialog>
      )}
      {/* Read when this opened, not cached before: a form begins with the present state. */}
      {shownForm && user && details.isFetchedAfterMount && (
        <UserForms form={shownForm} user={user} onClose={alone ? close : () => openForm(undefined)} onDeleted={close} />
      )}
    </>
  )
}

function DetailsFooter({ user, onEdit }: { readonly user: UserDetails; readonly onEdit: (form: UserForm) => void }) {
  const may = usePermissions()
  const { id } = user
  return (
    <>
      <ButtonLink look="quiet" to="/admin/audit/$id" params={{ id }}>
        Audit
      </ButtonLink>
      <ButtonLink look="quiet" to="/admin/payouts" search={{ of: id, ofAccount: accountToName(user) }}>
        Payouts
      </ButtonLink>
      {may(formPermissions.delete) && (
        <Button look="quiet" className="text-bad" onClick={() => onEdit('delete')}>
          Delete User
        </Button>
      )}
      {may(formPermissions.certificate) && (
        <Button look="secondary" onClick={() => onEdit('certificate')}>
          Upload Certificate
        </Button>
      )}
      {may(formPermissions.edit) && <Button onClick={() => onEdit('edit')}>Edit User</Button>}
    </>
  )
}

/** Closes the dialog: back to where it was opened, or, after a link led here, to the page without it. */
function useClose(): () => void {
  const router = useRouter()
  const change = useChangeAddress()
  const openedHere = useLocation({ select: ({ state }) => state.openedHere === true })
  const closing = useRef(false)
  return () => {
    // Going back takes a moment, in which a second Escape must not go back further.
    if (closing.current) return
    closing.current = true
    // Everything is saved: the question before leaving is for the browser's Back.
    if (openedHere) router.history.back({ ignoreBlocker: true })
    else
      void change(
        { user: undefined, account: undefined, form: undefined },
        { replace: true, state: ({ alone: _, ...before }) => before },
      )
  }
}
