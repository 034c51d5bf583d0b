import type { AuditMoments } from '#services/oversight/audit/audit-api.ts'

/** Indexes in the history of an account: the first event is at 0. */

/** An event by its number and time. */
export interface Moment {
  readonly number: number
  /** Ms since 1970. */
  readonly at: number
}

export function momentAt({ numbers, times }: AuditMoments, index: number): Moment | undefined {
  const [number, at] = [numbers[index], times[index]]
  return number === undefined || at === undefined ? undefined : { number, at }
}

/** The index of the last one up to a number or time, -1 where there is none. */
export function lastIndexUpTo(ascending: readonly number[], most: number): number {
  return ascending.findLastIndex((one) => one <= most)
}

/** The index that an address names, by an event's number or a time; undefined for anything else. */
export function indexOfAddress({ numbers, times }: AuditMoments, at: string): number | undefined {
  if (/^\d+$/.test(at)) {
    const index = lastIndexUpTo(numbers, Number(at))
    return numbers[index] === Number(at) ? index : undefined
  }
  const time = Date.parse(at)
  const index = Number.isNaN(time) ? -1 : lastIndexUpTo(times, time)
  return index < 0 ? undefined : index
}

/** Events on a page of the timeline. */
export const PAGE_SIZE = 50

/**
 * The first and last shown page of the timeline. Pages are counted from the oldest event, so that full ones never
 * change.
 */
export interface PageRange {
  readonly oldest: number
  readonly newest: number
}

export function pageOf(index: number): number {
  return Math.floor(Math.max(index, 0) / PAGE_SIZE)
}

/** Returns the entries to show around an index without filters: its page and the one before, which leads up to it. */
export function pageRangeAround(index: number): PageRange {
  return { oldest: Math.max(pageOf(index) - 1, 0), newest: pageOf(index) }
}

/** The numbers of the first and last event of a page. */
export function boundsOf(
  numbers: readonly number[],
  page: number,
): { readonly from: number; readonly to: number } | undefined {
  const own = numbers.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE)
  const [from, to] = [own[0], own.at(-1)]
  return from === undefined || to === undefined ? undefined : { from, to }
}

/** Where a key leads: arrows event by event, Page Up and Down in larger steps, Home and End to the ends. */
export function indexAfterKey(key: string, index: number, count: number): number | undefined {
  const large = Math.max(10, Math.round(count / 20))
  const target = {
    ArrowLeft: index - 1,
    ArrowDown: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index + 1,
    PageDown: index - large,
    PageUp: index + large,
    Home: 0,
    End: count - 1,
  }[key]
  return target === undefined ? undefined : Math.min(Math.max(target, 0), Math.max(count - 1, 0))
}
