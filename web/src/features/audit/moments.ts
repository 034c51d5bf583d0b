import type { AuditMoments } from '../../../../services/api/audit-schemas.ts'

/** Indexes in the history of an account: the first event is at 0. */

/** An event by its number and time. */
export interface Moment {
  readonly number: number
  /** Ms since 1970. */
  readonly at: number
}

export function momentAt({ numbers, times }: AuditMoments, place: number): Moment | undefined {
  const [number, at] = [numbers[place], times[place]]
  return number === undefined || at === undefined ? undefined : { number, at }
}

/** The index of the last one up to a number or time, -1 where there is none. */
export function lastIndexUpTo(ascending: readonly number[], most: number): number {
  return ascending.findLastIndex((one) => one <= most)
}

/** The index that an address names, by an event's number or a time; undefined for anything else. */
export function indexOfAddress({ numbers, times }: AuditMoments, at: string): number | undefined {
  if (/^\d+$/.test(at)) {
    const place = lastIndexUpTo(numbers, Number(at))
    return numbers[place] === Number(at) ? place : undefined
  }
  const time = Date.parse(at)
  const place = Number.isNaN(time) ? -1 : lastIndexUpTo(times, time)
  return place < 0 ? undefined : place
}

/** Events on a page of the timeline. */
export const PAGE_SIZE = 50

/** The first and last shown page of the timeline. Pages are counted from the oldest event, so that full ones never change. */
export interface PageRange {
  readonly oldest: number
  readonly newest: number
}

export function pageOf(place: number): number {
  return Math.floor(Math.max(place, 0) / PAGE_SIZE)
}

/** What is shown around a place without filters: its page and the one before, so that something leads up to it. */
export function pageRangeAround(place: number): PageRange {
  return { oldest: Math.max(pageOf(place) - 1, 0), newest: pageOf(place) }
}

/** The numbers of the first and last event of a page. */
export function boundsOf(numbers: readonly number[], page: number): { readonly from: number; readonly to: number } | undefined {
  const own = numbers.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE)
  const [from, to] = [own[0], own.at(-1)]
  return from === undefined || to === undefined ? undefined : { from, to }
}

/** Where a key leads: arrows event by event, Page Up and Down in larger steps, Home and End to the ends. */
export function indexAfterKey(key: string, place: number, count: number): number | undefined {
  const large = Math.max(10, Math.round(count / 20))
  const target = {
    ArrowLeft: place - 1,
    ArrowDown: place - 1,
    ArrowRight: place + 1,
    ArrowUp: place + 1,
    PageDown: place - large,
    PageUp: place + large,
    Home: 0,
    End: count - 1,
  }[key]
  return target === undefined ? undefined : Math.min(Math.max(target, 0), Math.max(count - 1, 0))
}
