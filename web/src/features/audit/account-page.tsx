import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { AuditState } from '#services/modules/audit/audit-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { Badge, BannedBadge } from '@/ui/badge.tsx'
import { Card } from '@/ui/card.tsx'
import { ButtonLink, DownloadLink, TextLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { ErrorState } from '@/ui/states.tsx'
import { CopyableId } from '@/ui/text.tsx'
import { useMay } from '@/features/shell/access.tsx'
import { exportOf, historyOf, nowQuery } from './audit-queries.ts'
import { Replay, ReplaySkeleton } from './replay.tsx'

const route = getRouteApi('/admin/audit/$id')

/** The history of one account, for auditors and administrators. */
export function AuditAccountPage() {
  const { id } = route.useParams()
  const search = route.useSearch()
  const subject = historyOf(id)
  const now = useQuery(nowQuery(subject))
  const name = now.data?.user?.fullName
  useEffect(() => {
    if (name !== undefined) document.title = `Audit of ${name} · Proofdesk`
  }, [name])

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
      {now.data ? <Replay subject={subject} search={search} now={now.data} /> : <ReplaySkeleton />}
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
