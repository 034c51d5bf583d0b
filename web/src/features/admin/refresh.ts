import type { QueryClient } from '@tanstack/react-query'

/** The second part of the administrators' cache keys: ['admin', 'users', …]. */
export type AdminSubject = 'users' | 'user' | 'payouts' | 'stats'

/** After a change: refetches visible data now, other data when it is next shown. */
export function refresh(client: QueryClient, ...subjects: readonly AdminSubject[]): void {
  for (const subject of subjects) void client.invalidateQueries({ queryKey: ['admin', subject] })
}
