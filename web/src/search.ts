/** Search parameters: plain text in the address, validated by each route. */

export type Search = Readonly<Record<string, unknown>>

/** One of the allowed values; anything else counts as missing, so that no address breaks a page. */
export function oneOf<const Value extends string>(value: unknown, allowed: readonly Value[]): Value | undefined {
  return allowed.find((one) => one === value)
}

/** Free text; empty counts as missing. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, 500) : undefined
}

/** Without quotes or types: '?search=123' stays the text 123. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

export function stringifySearch(search: Search): string {
  const present = Object.entries(search).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value]] : [],
  )
  const text = new URLSearchParams(present).toString()
  return text === '' ? '' : `?${text}`
}

/** Makes all search parameters optional for links to the page. */
export function optional<Given extends object>(search: Given): Partial<Given> {
  return search
}
