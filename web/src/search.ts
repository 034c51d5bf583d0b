/** Search parameters as addresses carry them: plain texts, read by each route into what it knows. */

export type Search = Readonly<Record<string, unknown>>

/** One of the values a parameter may have; anything else counts as left out, so no address can break a page. */
export function oneOf<const Value extends string>(value: unknown, allowed: readonly Value[]): Value | undefined {
  return allowed.find((one) => one === value)
}

/** A text that somebody typed; empty counts as left out. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, 500) : undefined
}

/** Without quotes or types: '?search=123' stays the text 123, and a shared link reads as it was typed. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

export function stringifySearch(search: Search): string {
  const given = Object.entries(search).flatMap(([name, value]) => (typeof value === 'string' && value !== '' ? [[name, value]] : []))
  const text = new URLSearchParams(given).toString()
  return text === '' ? '' : `?${text}`
}

/** Search parameters that may all be left out: links to the page need not name them. */
export function optional<Given extends object>(search: Given): Partial<Given> {
  return search
}
