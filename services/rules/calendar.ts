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
  readonly publishedAt: Instant
  /** Null while none is newer. */
  readonly until: Instant | null
}

export interface Calendar {
  /** When anything at all was published for the first time; null for an empty calendar. */
  readonly firstPublishedAt: Instant | null
  /**
   * The versions that concern a symbol with these currencies, by their instants. Null currencies are unknown: then only
   * entries with symbols concern it.
   */
  versionsFor(symbol: string, currencies: readonly string[] | null): readonly Version[]
}

interface Concerning extends Version {
  readonly currency: string | null
  readonly matches: ((symbol: string) => boolean) | null
}

/** Symbols whose versions are remembered. */
const MOST_REMEMBERED = 500

/** @param publications in any order, each once */
export function calendarOf(publications: readonly Publication[]): Calendar {
  const ordered = publications.toSorted((one, other) => compareInstants(one.publishedAt, other.publishedAt))
  const byId = new Map<string, Publication[]>()
  for (const one of ordered) addTo(byId, one.id, one)
  const byCurrency = new Map<string, Concerning[]>()
  const bySymbols: Concerning[] = []
  for (const versions of byId.values())
    for (const [index, one] of versions.entries()) {
      if (one.withdrawn) continue
      const { symbols, currency = null } = one
      const version: Concerning = {
        ...{ id: one.id, at: one.at, impact: one.impact, title: one.title, currency },
        ...{ publishedAt: one.publishedAt, until: versions[index + 1]?.publishedAt ?? null },
        matches: symbols ? matcherOf(symbols) : null,
      }
      // "An entry with `symbols` concerns exactly the symbols that they match, its currency is then only shown."
      if (version.matches) bySymbols.push(version)
      else if (currency !== null) addTo(byCurrency, currency, version)
    }
  const known = new Map<string, readonly Version[]>()
  return {
    firstPublishedAt: ordered[0]?.publishedAt ?? null,
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

export const emptyCalendar: Calendar = { firstPublishedAt: null, versionsFor: () => [] }

function addTo<Item>(lists: Map<string, Item[]>, name: string, item: Item): void {
  const list = lists.get(name)
  if (list) list.push(item)
  else lists.set(name, [item])
}
