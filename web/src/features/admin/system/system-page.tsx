import { useQuery } from '@tanstack/react-query'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { AuditorNotice, useIsAuditor } from '../access.tsx'
import { LoadFailure } from '../lists/load-failure.tsx'
import { systemQuery, useRetry } from './system-queries.ts'
import { SystemView } from './system-view.tsx'

/** How the portal itself is: what an operator looks at when something is slow, or does not show. */
export function SystemPage() {
  const system = useQuery(systemQuery)
  const retry = useRetry()
  const isAuditor = useIsAuditor()
  return (
    <>
      <PageHeader title="System">How the portal itself is: its views and their rebuilds, what was set aside, mail and seals.</PageHeader>
      <AuditorNotice />
      {system.isError && !system.data ? (
        <Card>
          <LoadFailure title="The system's state could not be loaded" error={system.error} onRetry={() => void system.refetch()} />
        </Card>
      ) : (
        <SystemView system={system.data} retrying={retry.isPending ? retry.variables : undefined} onRetry={isAuditor ? undefined : (id) => retry.mutate(id)} />
      )}
    </>
  )
}
