import type { Route } from '#services/framework/api/route.ts'
import { addressWith } from '@/api/api.ts'

/** The parameters that an address may have. */
export type Address<Name extends string> = { readonly [Each in Name]?: string | undefined }

/** The page size of lists without a choice, and the default of the others. */
export const ROWS = '25'

/** The address of a whole filtered list as a file. */
export function csvOf({ path }: Route, page: Readonly<Record<string, string | number | undefined>>): string {
  return addressWith(path, { ...page, limit: undefined, cursor: undefined })
}
