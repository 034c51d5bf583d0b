import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { AddressLink } from '../../ui/address-link.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { TextLink } from '../../ui/link.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { useChangeAddress } from '../admin/lists/address.ts'
import { auditAddressOf, auditAddress } from './addresses.ts'
import { AuditEntryRow } from './fact-row.tsx'
import { filterFromSearch, Filters } from './filters.tsx'
import { activityQuery } from './audit-queries.ts'
import { AuditEntrySkeletons } from './timeline.tsx'

const route = getRouteApi('/admin/audit/facts')

/** Everything one actor did, in all accounts, newest first. */
export function ActivityPage() {
  const filter = route.useSearch()
  const change = useChangeAddress()
  const deeds = useInfiniteQuery(activityQuery(filterFromSearch(filter)))
  const facts = deeds.data?.pages.flatMap(({ items }) => items)
  return (
    <>
      <p className="mb-2 text-13">
        <TextLink to="/admin/audit">All accounts</TextLink>
      </p>
      <PageHeader title={filter.actor === undefined ? 'Everything that was done' : `Everything done by ${nameOf(filter.actor)}`}>
        All facts of the firm, newest first. A fact’s number leads to the account as it was then.
      </PageHeader>
      <Card>
        <Filters reader="auditor" filter={filter} onFilter={(changes) => void change({ ...changes }, { replace: true })} />
        {deeds.isError && !facts ? (
          <ErrorState title="The facts could not be loaded" error={deeds.error} onRetry={() => void deeds.refetch()} />
        ) : facts?.length === 0 && !deeds.hasNextPage ? (
          <EmptyState title="No facts found">Nobody did anything of this kind. Try other filters.</EmptyState>
        ) : (
          <ol aria-label="Facts, newest first" aria-busy={deeds.isFetching || undefined} className="ml-1.5 border-l border-line">
            {facts ? (
              facts.map((fact) => (
                <AuditEntryRow
                  key={fact.number}
                  fact={fact}
                  reader="auditor"
                  href={auditAddress(fact.number, fact.userId ?? undefined)}
                  hrefOf={(number) => auditAddress(number, fact.userId ?? undefined)}
                  actions={
                    fact.userId !== null && (
                      <span>
                        Account{' '}
                        <AddressLink
                          href={auditAddressOf(fact.userId)}
                          className="rounded-sm font-mono underline decoration-edge/60 underline-offset-4 hover:text-ink hover:decoration-ink"
                        >
                          {fact.userId}
                        </AddressLink>
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
        {deeds.hasNextPage && (
          <Button look="secondary" className="mt-3" busy={deeds.isFetchingNextPage} onClick={() => void deeds.fetchNextPage()}>
            Show earlier facts
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
