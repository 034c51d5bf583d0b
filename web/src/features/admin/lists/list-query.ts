import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { SubjectName } from '#services/modules/subjects.ts'
import { addressWith, getPage, type Schema, type Query } from '@/api/api.ts'
import { FRESH } from '@/query-client.ts'

/** The parameters that an address may have. */
export type Address<Name extends string> = { readonly [Each in Name]?: string | undefined }

/** The page size of lists without a choice, and the default of the others. */
export const ROWS = '25'

/** A list of the administrators. The previous page stays visible while another one loads. */
export const listQuery = <Item>(
  subject: 'users' | 'payouts',
  schema: Schema<Item[]>,
  page: Query,
  subjects: readonly SubjectName[],
  staleTime: number = FRESH.admin,
) =>
  queryOptions({
    queryKey: ['admin', subject, page],
    queryFn: ({ signal }) => getPage(`/api/admin/${subject}`, schema, page, signal),
    placeholderData: keepPreviousData,
    staleTime,
    meta: { session: 'admin', subjects },
  })

/** The address of a whole filtered list as a file. */
export function csvOf(subject: 'users' | 'payouts', page: Query): string {
  return addressWith(`/api/admin/${subject}.csv`, { ...page, limit: undefined, cursor: undefined })
}
