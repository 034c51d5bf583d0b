import { z } from 'zod'
import { described, emptyIsNone } from './openapi-component.ts'
import { code, INVALID, request } from './text.ts'

/** The order of a list without `sort`: newest first. '-' before a field means descending. */
export const DEFAULT_ORDER = '-createdAt'

/** Lists of up to a million entries: searched, sorted, and read page by page with a cursor. */

export const MOST_ON_A_PAGE = 1000

/** 1 to {@link MOST_ON_A_PAGE}, as text. */
export const TO_MOST_ON_A_PAGE = /^([1-9][0-9]{0,2}|1000)$/

/** A cursor of the read model store, which alone can validate it. */
export function pageCursor() {
  return described(
    "The start of the page, from the previous page's Link header",
    parameter(code(/^[A-Za-z0-9_-]+$/, 500).optional()),
  )
}

const limitMessage = `Limit must be a whole number from 1 to ${MOST_ON_A_PAGE}`

/** The size of a page. */
export function pageLimit() {
  return described(
    `The size of a page: 1 to ${MOST_ON_A_PAGE}, by default ${MOST_ON_A_PAGE}`,
    parameter(
      z
        .string({ error: limitMessage })
        .regex(TO_MOST_ON_A_PAGE, { error: limitMessage, abort: true })
        .transform(Number)
        .default(MOST_ON_A_PAGE),
    ),
  )
}

/** A parameter in a URL: an empty one counts as absent. */
export function parameter<Schema extends z.ZodType>(schema: Schema) {
  const read = z.preprocess((value) => (value === '' ? undefined : value), schema)
  emptyIsNone.add(read)
  return read
}

/** A filter: true, false or absent. */
export function flag() {
  return parameter(
    z
      .enum(['true', 'false'], { error: INVALID })
      .transform((value) => value === 'true')
      .optional(),
  )
}

/** Without a time zone nobody knows which moment is meant, so that a time needs its offset. */
export const NO_DAY = "A date is a day such as '2026-11-26', or a time such as '2026-11-26T14:07:00Z'"

const noDay = { error: NO_DAY, abort: true }
const DAY_MS = 86_400_000

/** A filter: a day in UTC, or a moment, as ms since 1970. A day is its first or its last moment. */
export function dayOrMoment(ofDay: 'first' | 'last') {
  const day = z.iso.date(noDay).transform((date) => Date.parse(date) + (ofDay === 'first' ? 0 : DAY_MS - 1))
  const moment = z.iso.datetime({ offset: true, ...noDay }).max(40, noDay)
  return parameter(z.union([day, moment.transform((time) => Date.parse(time))], noDay).optional())
}

/** The query of a list, newest first unless `sort` is one of `orders`. */
export function page<Status extends z.ZodType<string>, const Orders extends readonly string[]>(
  status: Status,
  orders: Orders,
) {
  return request({
    search: described(
      'Only entries that contain this text',
      parameter(
        z
          .string({ error: INVALID })
          .max(200, 'Must be at most 200 characters')
          .trim()
          .transform((words) => words || undefined)
          .optional(),
      ),
    ),
    status: described('Only entries with this status', parameter(status.optional())),
    sort: described(
      `The order, descending with '-'; by default ${DEFAULT_ORDER}`,
      parameter(z.enum([DEFAULT_ORDER, ...orders], { error: INVALID }).default(DEFAULT_ORDER)),
    ),
    limit: pageLimit(),
    cursor: pageCursor(),
  })
}

/** The Link header of the next page: the same URL with that page's cursor. */
export function linkToNext(address: string, cursor: string): string {
  const [path = '', query] = address.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', cursor)
  return `<${path}?${parameters}>; rel="next"`
}
