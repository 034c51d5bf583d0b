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

/** The scope of a trader's lists: all accounts, instead of the chosen one. */
export function scopeOf({ scope }: Search) {
  return optional({ scope: oneOf(scope, ['all']) })
}

/** The account of a trader's pages. Absent, not undefined, where none is named: then links keep the one before. */
export function accountOf({ account }: Search): { account?: string | undefined } {
  const named = textOf(account)
  return named === undefined ? {} : { account: named }
}
