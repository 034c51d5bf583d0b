import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { AuditState } from '#services/oversight/audit/audit-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { auditAddressOf } from '@/addresses.ts'
import { AddressLink } from '@/ui/address-link.tsx'
import { Badge, BannedBadge } from '@/ui/badge.tsx'
import { Card } from '@/ui/card.tsx'
import { ButtonLink, DownloadLink, TextLink } from '@/ui/link.tsx'
import { useFirmName } from '@/firm.ts'
import { PageHeader } from '@/ui/page-header.tsx'
import { ErrorState } from '@/ui/states.tsx'
import { CopyableId } from '@/ui/text.tsx'
import { useMay } from '@/features/frame/access.tsx'
import { exportOf, historyOf, nowQuery } from './audit-queries.ts'
import { titleOfAccount } from './state-sections.ts'
import { Replay, ReplaySkeleton } from './replay.tsx'

const route = getRouteApi('/admin/audit/$id')

/** The history of one account, for auditors and administrators. */
export function AuditAccountPage() {
  const { id } = route.useParams()
  const search = route.useSearch()
  const subject = historyOf(id)
  const now = useQuery(nowQuery(subject))
  const name = now.data?.user?.fullName
  const firm = useFirmName()
  useEffect(() => {
    if (name !== undefined) document.title = `Audit of ${name} · ${firm}`
  }, [name, firm])

  if (now.isError && !now.data)
    return (
      <>
        <PageHeader title="Audit" />
        <Card>
          {now.error instanceof ApiError && now.error.status === 404 ? (
            <ErrorState title="User not found" action={<ButtonLink to="/admin/audit">Find an account</ButtonLink>}>
              No user has or had this id.
            </ErrorState>
          ) : (
            <ErrorState title="The account could not be loaded" error={now.error} onRetry={now.refetch} />
          )}
        </Card>
      </>
    )
  return (
    <>
      <p className="mb-2 text-13">
        <TextLink to="/admin/audit">All accounts</TextLink>
      </p>
      <PageHeader title={name ?? 'Audit'} action={<Exports id={id} />}>
        {now.data ? <AccountOwner id={id} state={now.data} /> : 'Loading the account'}
      </PageHeader>
      {now.data && <AuditedAccounts id={id} state={now.data} />}
      {now.data ? <Replay key={id} subject={subject} search={search} now={now.data} /> : <ReplaySkeleton />}
    </>
  )
}

function AccountOwner({ id, state: { user } }: { readonly id: string; readonly state: AuditState }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {user?.deleted ? <Badge>Deleted</Badge> : <span className="[overflow-wrap:anywhere]">{user?.email}</span>}
      {user?.banned && <BannedBadge />}
      <CopyableId id={id} of={user?.fullName ?? 'this user'} />
    </span>
  )
}

/** Where a trader has several accounts: the way to each one's own history and export, and back to all. */
function AuditedAccounts({ id, state: { user, accounts } }: { readonly id: string; readonly state: AuditState }) {
  if (user !== null && user.id !== id)
    return (
      <p className="mb-4 flex flex-wrap gap-x-3 text-13 text-muted">
        {accounts.map(titleOfAccount).join(', ')}
        <AddressLink look="accent" href={auditAddressOf(user.id)}>
          All accounts of this trader
        </AddressLink>
      </p>
    )
  if (accounts.length < 2) return null
  return (
    <nav aria-label="Accounts of this trader" className="mb-4 flex flex-wrap gap-x-4 gap-y-1 text-13">
      {accounts.toReversed().map((account) => (
        <AddressLink key={account.id} look="accent" href={auditAddressOf(account.id)}>
          {titleOfAccount(account)}
        </AddressLink>
      ))}
    </nav>
  )
}

function Exports({ id }: { readonly id: string }) {
  if (!useMay('export')) return null
  return (
    <>
      <DownloadLink href={exportOf(id, 'csv')}>Export CSV</DownloadLink>
      <DownloadLink look="primary" href={exportOf(id, 'json')}>
        Export with proof
      </DownloadLink>
    </>
  )
}
