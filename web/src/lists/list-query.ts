import type { Route } from '#services/framework/api/route.ts'
import { addressWith } from '@/api/api.ts'
import { timeZone } from '@/time-zone.ts'

/** The parameters that an address may have. */
export type Address<Name extends string> = { readonly [Each in Name]?: string | undefined }

/** The page size of lists without a choice, and the default of the others. */
export const ROWS = '25'

/** The address of a whole filtered list as a file. */
export function csvOf({ path }: Route, page: Readonly<Record<string, string | number | undefined>>): string {
  return addressWith(path, { ...page, limit: undefined, cursor: undefined })
}

/** The first moment of a day such as '2026-11-26' in the chosen zone, as calls take it; undefined for any other text. */
export function startOfDay(day: string | undefined): string | undefined {
  return momentOf(day, '00:00:00.000')
}

/** The last moment of a day, likewise. */
export function endOfDay(day: string | undefined): string | undefined {
  return momentOf(day, '23:59:59.999')
}

function momentOf(day: string | undefined, time: string): string | undefined {
  if (day === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  // A browser reads the 30th of February as a day of March.
  if (new Date(day).getUTCDate() !== Number(day.slice(-2))) return undefined
  return new Date(`${day}T${time}${timeZone.get() === 'utc' ? 'Z' : ''}`).toISOString()
}
