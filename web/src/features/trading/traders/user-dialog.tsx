import type { UserDetails } from '#services/trading/traders/trader-api.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useLocation, useRouter } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { Button } from '@/ui/button.tsx'
import { findRow } from '@/ui/data-table.tsx'
import { Dialog } from '@/ui/dialog.tsx'
import { ButtonLink, TextLink } from '@/ui/link.tsx'
import { MissingInPage } from '@/ui/missing-part.tsx'
import { ErrorState } from '@/ui/states.tsx'
import { Tabs } from '@/ui/tabs.tsx'
import { DateText, EmailText } from '@/ui/text.tsx'
import { useMay, usePermissions } from '@/features/frame/access.tsx'
import { useChangeAddress } from '@/lists/address.ts'
import { accountToName, withAccount } from '@/features/trading/accounts/staff-account-queries.ts'
import { UserAccounts } from '@/features/trading/accounts/user-accounts.tsx'
import { DetailsSkeleton, DetailsView } from './details-view.tsx'
import { userDetailsQuery } from './user-queries.ts'
import { UserCertificates } from '@/features/trading/certificates/user-certificates.tsx'
import { UserSessions } from './user-sessions.tsx'
import { formPermissions, type UserForm } from '@/features/frame/user-link.tsx'
import { lazyPart, lazyPartOr } from '@/lazy-page.ts'
import { accountLabel } from '@/format/account-name.ts'
import { DetailsSection } from '@/ui/details-section.tsx'
import { Badge } from '@/ui/badge.tsx'

const route = getRouteApi('/admin')

const StaffAccountView = lazyPartOr(
  () => import('@/features/trading/accounts/staff-account-view.tsx').then(({ StaffAccountView }) => StaffAccountView),
  MissingInPage,
)
const AccountObservations = lazyPartOr(
  () =>
    import('@/features/trading/observations/account-observations.tsx').then(
      ({ AccountObservations }) => AccountObservations,
    ),
  MissingInPage,
)
const UserNotes = lazyPartOr(
  () => import('@/features/identity/user-notes/user-notes.tsx').then(({ UserNotes }) => UserNotes),
  MissingInPage,
)
const UserForms = lazyPart(() => import('./user-forms.tsx').then(({ UserForms }) => UserForms))

/** The details of the user that the address names, over any page, and the forms about that user. */
export function UserDialog({ id }: { readonly id: string }) {
  const { form, account, part } = route.useSearch()
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
          width={alone ? 'medium' : part === undefined ? 'large' : 'page'}
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
                  onChoose={(chosen) => void change({ ...atFirstRow, account: chosen }, { replace: true })}
                  onEdit={openForm}
                />
                <UserTabs
                  user={user}
                  details={
                    <>
                      <UserNotes user={user} />
                      <UserEnrolments user={user} onEnrol={() => openForm('enrol')} />
                      <DetailsView user={user} onEdit={openForm} />
                      <UserCertificates user={user} />
                      <UserSessions user={user} />
                    </>
                  }
                />
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

/** These parameters of the address are of one list of one account. */
const atFirstRow = {
  rows: undefined,
  only: undefined,
  observed: undefined,
  since: undefined,
  until: undefined,
} as const
const ofParts = { ...atFirstRow, part: undefined, range: undefined } as const

interface UserTabsProps {
  readonly user: UserDetails
  readonly details: ReactNode
}

/** The user; and what the trader sees of the shown account, and what was observed of it. Only an account has them. */
function UserTabs({ user, details }: UserTabsProps) {
  const { part } = route.useSearch()
  const change = useChangeAddress()
  const account = user.tradingAccount?.id
  if (account === undefined) return <>{details}</>
  const onPart = (chosen: typeof part | 'details') =>
    void change({ ...atFirstRow, part: chosen === 'details' ? undefined : chosen }, { replace: true })
  return (
    <Tabs
      label="User"
      value={part ?? 'details'}
      onChange={onPart}
      tabs={[
        { value: 'details', label: 'Details', content: details },
        {
          value: 'overview',
          label: 'Overview',
          content: <StaffAccountView account={account} view="overview" onPerformance={() => onPart('performance')} />,
        },
        {
          value: 'performance',
          label: 'Performance',
          content: <StaffAccountView account={account} view="performance" />,
        },
        { value: 'observations', label: 'Observations', content: <AccountObservations account={account} /> },
      ]}
    />
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
        { ...ofParts, user: undefined, account: undefined, form: undefined },
        { replace: true, state: ({ alone: _, ...before }) => before },
      )
  }
}

interface UserEnrolmentsProps {
  readonly user: Pick<UserDetails, 'enrolments'>
  readonly onEnrol: () => void
}

/** The programmes that a user is enrolled in, and whether the terms of each were accepted. */
function UserEnrolments({ user: { enrolments }, onEnrol }: UserEnrolmentsProps) {
  const mayEnrol = useMay('enrol-traders')
  const button = mayEnrol && (
    <Button look={enrolments.length === 0 ? 'secondary' : 'quiet'} className="h-8! px-2! text-13!" onClick={onEnrol}>
      Enrol
    </Button>
  )
  return (
    <DetailsSection title="Enrolments" buttons={button} className="mb-6">
      {enrolments.length === 0 ? (
        <p className="py-2 text-13 text-muted">In no programme: staff set the limits and the payouts.</p>
      ) : (
        <ul aria-label="Enrolments, newest first" className="divide-y divide-line">
          {enrolments.map(({ id, programme, name, version, order, accepted, accounts, at }) => (
            <li key={id} className="py-2">
              <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <TextLink to="/admin/programmes/$id" params={{ id: programme }} search={{ version: String(version) }}>
                  {name}, version {version}
                </TextLink>
                {!accepted && <Badge tone="waiting">Terms not accepted yet</Badge>}
              </p>
              <p className="text-13 text-muted">
                Enrolled <DateText at={at} how="words" />
                {order !== null && <>, order {order}</>}
                {accepted && (
                  <>
                    , terms accepted <DateText at={accepted.at} how="words" />
                  </>
                )}
                . {accounts.map(({ account, stage }) => `Stage ${stage + 1}: ${accountLabel(account)}`).join(', ')}
              </p>
            </li>
          ))}
        </ul>
      )}
    </DetailsSection>
  )
}
