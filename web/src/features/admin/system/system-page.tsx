import { useMutation, useQuery } from '@tanstack/react-query'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { RoleNotice, useMay } from '../access.tsx'
import { retryDeadLetter, systemQuery } from './system-queries.ts'
import { SystemView } from './system-view.tsx'

/** The state of the portal, for operators who look into slow or missing updates. */
export function SystemPage() {
  const system = useQuery(systemQuery)
  const retry = useMutation(retryDeadLetter)
  const mayRetry = useMay('operate')
  return (
    <>
      <PageHeader title="System">The state of the portal: read models and rebuilds, dead letters, mail and seals.</PageHeader>
      <RoleNotice />
      {system.isError && !system.data ? (
        <Card>
          <ErrorState title="The system's state could not be loaded" error={system.error} onRetry={system.refetch} />
        </Card>
      ) : (
        <SystemView system={system.data} retrying={retry.isPending ? retry.variables : undefined} onRetry={mayRetry ? (id) => retry.mutate(id) : undefined} />
      )}
    </>
  )
}
