import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useLocation, useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useRef } from 'react'
import type { UserDetails } from '../../../../../services/api/user-schemas.ts'
import { Button } from '../../../ui/button.tsx'
import { findRow } from '../../../ui/data-table.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ButtonLink } from '../../../ui/link.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { useIsAuditor } from '../access.tsx'
import { useChangeAddress } from '../lists/address.ts'
import { DetailsSkeleton, DetailsView } from './details-view.tsx'
import { userDetailsQuery } from './user-management-queries.ts'
import { UserSessions } from './user-sessions.tsx'
import type { UserForm } from './user-link.tsx'

const route = getRouteApi('/admin')

const UserForms = lazy(() => import('./user-forms.tsx').then((module) => ({ default: module.UserForms })))

/** The details of the user that the address names, over whatever page it is, and the forms about that user. */
export function UserDialog({ id }: { readonly id: string }) {
  const { form } = route.useSearch()
  const alone = useLocation({ select: ({ state }) => state.alone === true }) && form !== undefined
  const details = useQuery(userDetailsQuery(id))
  const isAuditor = useIsAuditor()
  const change = useChangeAddress()
  const close = useClose()
  const openForm = (name: UserForm | undefined) => void change({ form: name }, { replace: true, state: (before) => ({ ...before, alone: false }) })
  const closeForm = alone ? close : () => openForm(undefined)
  // Read when this opened, not kept from before: a form must begin with what is.
  const fresh = details.isFetchedAfterMount ? details.data : undefined
  const shownForm = isAuditor ? undefined : form
  const returnTo = () => findRow(id)
  return (
    <>
      {!(alone && shownForm) && (
        <DetailsDialog
          user={details.data}
          error={details.isError && !details.data ? details.error : undefined}
          onRetry={details.refetch}
          mayChange={!isAuditor}
          onEdit={openForm}
          onClose={close}
          returnTo={returnTo}
        />
      )}
      <Suspense>{shownForm && fresh && <UserForms form={shownForm} user={fresh} onClose={closeForm} />}</Suspense>
      {alone && details.isError && !details.data && (
        <Dialog open onClose={close} title="User" returnTo={returnTo}>
          <ErrorState title="The user could not be loaded" error={details.error} onRetry={details.refetch} />
        </Dialog>
      )}
    </>
  )
}

interface DetailsDialogProps {
  readonly user: UserDetails | undefined
  readonly error: unknown
  readonly mayChange: boolean
  readonly onRetry: () => void
  readonly onEdit: (form: UserForm) => void
  readonly onClose: () => void
  readonly returnTo: () => HTMLElement | undefined
}

function DetailsDialog({ user, error, mayChange, onRetry, onEdit, onClose, returnTo }: DetailsDialogProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      returnTo={returnTo}
      width="large"
      title={user?.fullName ?? 'User Details'}
      description={user ? `User details of ${user.email}` : undefined}
      footer={
        user && (
          <>
            <ButtonLink look="quiet" to="/admin/audit/$id" params={{ id: user.id }}>
              Audit
            </ButtonLink>
            <ButtonLink look="quiet" to="/admin/payouts" search={{ of: user.id }}>
              Payouts
            </ButtonLink>
            {mayChange && (
              <>
                <Button look="secondary" onClick={() => onEdit('certificate')}>
                  Upload Certificate
                </Button>
                <Button onClick={() => onEdit('edit')}>Edit User</Button>
              </>
            )}
          </>
        )
      }
    >
      {user ? (
        <>
          <DetailsView user={user} mayChange={mayChange} onEdit={onEdit} />
          <UserSessions user={user} mayChange={mayChange} />
        </>
      ) : error ? (
        <ErrorState title="The user could not be loaded" error={error} onRetry={onRetry} />
      ) : (
        <DetailsSkeleton />
      )}
    </Dialog>
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
    if (openedHere) router.history.back()
    else void change({ user: undefined, form: undefined }, { replace: true, state: ({ alone: _, ...before }) => before })
  }
}
