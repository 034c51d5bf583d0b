import type { QueryClient } from '@tanstack/react-query'

/** What administrators read, as the cache's keys begin: ['admin', 'users', …]. */
export type AdminSubject = 'users' | 'user' | 'payouts' | 'stats'

/** After a change: what is shown is read again now, the rest when it is next shown. */
export function refresh(client: QueryClient, ...subjects: readonly AdminSubject[]): void {
  for (const subject of subjects) void client.invalidateQueries({ queryKey: ['admin', subject] })
}
