import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { MOST_EXPORTED_EVENTS } from '#services/oversight/audit/audit-api.ts'
import { formatCount } from '@/format/counts.ts'
import { AddressLink } from '@/ui/address-link.tsx'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { DownloadLink, TextLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState, ErrorState } from '@/ui/states.tsx'
import { useMay } from '@/features/frame/access.tsx'
import { auditAddressOf, auditAddress } from '@/addresses.ts'
import { AuditEntryRow } from './audit-entry-row.tsx'
import { filterFromSearch, Filters } from './filters.tsx'
import { activityFile, activityQuery } from './audit-queries.ts'
import { AuditEntrySkeletons } from './timeline.tsx'

const route = getRouteApi('/admin/audit/facts')

/** Everything one actor did, in all accounts, newest first. */
export function ActivityPage() {
  const filter = route.useSearch()
  const activity = useInfiniteQuery(activityQuery(filterFromSearch(filter)))
  const mayExport = useMay('export')
  const events = activity.data?.pages.flatMap(({ items }) => items)
  return (
    <>
      <p className="mb-2 text-13">
        <TextLink to="/admin/audit">All accounts</TextLink>
      </p>
      <PageHeader
        title={filter.actor === undefined ? 'Activity' : `Activity of ${nameOf(filter.actor)}`}
        action={mayExport && <DownloadLink href={activityFile(filterFromSearch(filter))}>Export CSV</DownloadLink>}
      >
        What happened in the whole firm, newest first. An event’s number leads to the account as it was then.
        {mayExport && ` A file has all events of this choice, up to ${formatCount(MOST_EXPORTED_EVENTS)}.`}
      </PageHeader>
      <Card>
        <Filters reader="auditor" filter={filter} />
        {activity.isError && !events ? (
          <ErrorState title="The events could not be loaded" error={activity.error} onRetry={activity.refetch} />
        ) : events?.length === 0 && !activity.hasNextPage ? (
          <EmptyState title="No events found">Try other filters.</EmptyState>
        ) : (
          <ol
            aria-label="Events, newest first"
            aria-busy={activity.isFetching || undefined}
            className="ml-1.5 border-l border-line"
          >
            {events ? (
              events.map((event) => (
                <AuditEntryRow
                  key={event.number}
                  entry={event}
                  reader="auditor"
                  namesAccount
                  href={auditAddress(event.number, event.userId ?? undefined)}
                  hrefOf={(number) => auditAddress(number, event.userId ?? undefined)}
                  actions={
                    event.userId !== null && (
                      <span className="inline-flex flex-wrap items-baseline gap-x-2">
                        Account{' '}
                        <AddressLink look="quiet" href={auditAddressOf(event.userId)}>
                          {event.userName ?? event.userId}
                        </AddressLink>
                        <span className="font-mono">{event.userId}</span>
                      </span>
                    )
                  }
                />
              ))
            ) : (
              <AuditEntrySkeletons />
            )}
          </ol>
        )}
        {activity.hasNextPage && (
          <Button
            look="secondary"
            className="mt-3"
            busy={activity.isFetchingNextPage}
            onClick={() => void activity.fetchNextPage()}
          >
            Show earlier events
          </Button>
        )}
      </Card>
    </>
  )
}

/** Kinds of actors stand for all of them; everything else is the label of an access key. */
function nameOf(actor: string): string {
  return { trader: 'traders', admin: 'administrators', system: 'Proofdesk' }[actor] ?? actor
}
