import { z } from 'zod'
import { oneOf } from './amount.ts'
import { compareInstants, type Instant } from './instant.ts'
import { moment } from './observation.ts'
import type { Moment } from './instant.ts'
import { matcherOf, symbolNames } from './symbol-name.ts'

/** The calendar of a firm: its news, as they were published (behaviour.md, "The calendar"). */

export const impact = oneOf('low', 'medium', 'high')
export type Impact = z.infer<typeof impact>

const text = (most: number) =>
  z.string('expected a text').min(1, 'expected a text').max(most, `expected at most ${most} characters`)

/** An entry, apart from who published it when. "`currency` or `symbols` may be absent, not both." */
export const entryFields = {
  id: text(200),
  at: moment,
  currency: z
    .string('expected a currency like "USD"')
    .regex(/^[A-Z]{3}$/, 'expected a currency like "USD"')
    .optional(),
  symbols: symbolNames.optional(),
  impact,
  title: text(500),
}

/** A line of a calendar: one version of an entry. */
export const publication = z
  .strictObject({ ...entryFields, publishedAt: moment, withdrawn: z.literal(true, 'expected true').optional() })
  .refine(({ currency, symbols }) => currency !== undefined || symbols !== undefined, {
    path: ['currency'],
    error: 'expected "currency", "symbols" or both',
  })
export type Publication = z.infer<typeof publication>

/** Equal for publications that are equal in all fields: instants as instants. */
export function contentOfPublication({ at, publishedAt, ...rest }: Publication): string {
  const plain = ({ ms, ns }: Moment) => `${ms}.${ns}`
  const fields = Object.entries({ ...rest, at: plain(at), publishedAt: plain(publishedAt) })
  return JSON.stringify(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** A version of an entry, while it is the newest. */
export interface Version {
  readonly id: string
  readonly at: Instant
  readonly impact: Impact
  readonly title: string
  /** Shown only, where the entry has symbols. */
  readonly currency: string | null
  readonly publishedAt: Instant
  /** Null while none is newer. */
  readonly until: Instant | null
}

/**
 * What was published so far. It may grow: what is published later judges no instant before, so what was judged with less
 * stays right.
 */
export interface Calendar {
  /** How many publications it holds. */
  readonly size: number
  /** When anything at all was published for the first time; null for an empty calendar. */
  readonly firstPublishedAt: Instant | null
  /**
   * The versions that concern a symbol with these currencies, by their instants. Null currencies are unknown: then only
   * entries with symbols concern it.
   */
  versionsFor(symbol: string, currencies: readonly string[] | null): readonly Version[]
}

export interface GrowingCalendar extends Calendar {
  /** Those of one id come in the order of their publication. */
  add(publication: Publication): void
}

interface Concerning extends Version {
  until: Instant | null
  readonly matches: ((symbol: string) => boolean) | null
}

/** Symbols whose versions are remembered. */
const MOST_REMEMBERED = 500

/** An empty calendar that grows. */
export function growingCalendar(): GrowingCalendar {
  const newest = new Map<string, Concerning>()
  const byCurrency = new Map<string, Concerning[]>()
  const bySymbols: Concerning[] = []
  const known = new Map<string, readonly Version[]>()
  let firstPublishedAt: Instant | null = null
  let size = 0
  return {
    get size() {
      return size
    },
    get firstPublishedAt() {
      return firstPublishedAt
    },
    add({ id, at, impact, title, publishedAt, symbols, currency = null, withdrawn }) {
      if (!firstPublishedAt || compareInstants(publishedAt, firstPublishedAt) < 0) firstPublishedAt = publishedAt
      size += 1
      const before = newest.get(id)
      if (before && !before.until) before.until = publishedAt
      known.clear()
      if (withdrawn) return
      const matches = symbols ? matcherOf(symbols) : null
      const version: Concerning = { id, at, impact, title, currency, publishedAt, until: null, matches }
      newest.set(id, version)
      // "An entry with `symbols` concerns exactly the symbols that they match, its currency is then only shown."
      if (matches) bySymbols.push(version)
      else if (currency !== null) insertInto(byCurrency, currency, version)
    },
    versionsFor(symbol, currencies) {
      const key = `${symbol} ${currencies?.join(',') ?? '?'}`
      const before = known.get(key)
      if (before) return before
      const found = [
        ...(currencies ?? []).flatMap((currency) => byCurrency.get(currency) ?? []),
        ...bySymbols.filter(({ matches }) => matches?.(symbol)),
      ].toSorted((one, other) => compareInstants(one.at, other.at))
      if (known.size >= MOST_REMEMBERED) known.clear()
      known.set(key, found)
      return found
    },
  }
}

/** @param publications in any order, each once */
export function calendarOf(publications: readonly Publication[]): Calendar {
  const calendar = growingCalendar()
  const ordered = publications.toSorted((one, other) => compareInstants(one.publishedAt, other.publishedAt))
  for (const one of ordered) calendar.add(one)
  return calendar
}

export const emptyCalendar: Calendar = { size: 0, firstPublishedAt: null, versionsFor: () => [] }

function insertInto(lists: Map<string, Concerning[]>, name: string, version: Concerning): void {
  const list = lists.get(name)
  if (!list) return void lists.set(name, [version])
  // They mostly come in their order.
  const place = list.findLastIndex(({ at }) => compareInstants(at, version.at) <= 0) + 1
  list.splice(place, 0, version)
}
