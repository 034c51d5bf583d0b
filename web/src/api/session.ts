import type { Route } from '#services/framework/api/route.ts'

/** The kind of session that a call needs. A browser may have both. */
export type Session = 'trader' | 'admin'

/** The session that a call needs; 'none' for one that anyone may make. Any other access is a permission of staff. */
export function sessionOf({ access }: Pick<Route, 'access'>): Session | 'none' {
  if (access === 'public') return 'none'
  return access === 'trader' || access === 'trader-or-any-admin' ? 'trader' : 'admin'
}
