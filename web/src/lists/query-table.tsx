import type { UseQueryResult } from '@tanstack/react-query'
import { DataTable, type DataTableProps } from '@/ui/data-table.tsx'
import { ErrorState } from '@/ui/states.tsx'

export interface QueryTableProps<Row extends object> extends Omit<DataTableProps<Row>, 'error'> {
  /** The query that reads the rows. */
  readonly query: Pick<UseQueryResult, 'isError' | 'error' | 'refetch'>
  /** Shown when it fails before there are rows: 'The members could not be loaded'. */
  readonly failure: string
}

/** A table of what a query reads. */
export function QueryTable<Row extends object>({
  query: { isError, error, refetch },
  failure,
  ...table
}: QueryTableProps<Row>) {
  return (
    <DataTable
      {...table}
      error={isError && !table.rows && <ErrorState title={failure} error={error} onRetry={refetch} />}
    />
  )
}
