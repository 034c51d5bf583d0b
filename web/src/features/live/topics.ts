import type { QueryClient } from '@tanstack/react-query'
import type { Topic } from '#services/api/live-schemas.ts'
import type { Session } from '@/query-client.ts'

/** The cache keys that each kind of change invalidates, their parts joined by '/'. An open history follows its key 'now'. */
const keys: Readonly<Record<Session, Readonly<Partial<Record<Topic, readonly string[]>>>>> = {
  trader: {
    user: ['user', 'notices', 'history/now'],
    account: ['account', 'notices', 'history/now'],
    // Requests, verdicts and certificates are marks on the balance curve too.
    payouts: ['payouts', 'notices', 'account/history', 'history/now'],
    certificates: ['certificates', 'notices', 'account/history', 'history/now'],
  },
  admin: {
    users: ['admin/users', 'admin/user', 'admin/audit/now', 'admin/stats'],
    payouts: ['admin/payouts', 'admin/audit/now', 'admin/stats'],
  },
}

/** The topics that a session receives. */
export function topicsOf(session: Session): readonly Topic[] {
  return (['user', 'account', 'payouts', 'certificates', 'users'] as const).filter((topic) => keys[session][topic])
}

/** Refetches visible data now, other data when it is next shown. */
export function invalidateTopics(client: QueryClient, session: Session, topics: Iterable<Topic>): void {
  const affected = new Set([...topics].flatMap((topic) => keys[session][topic] ?? []))
  for (const key of affected) void client.invalidateQueries({ queryKey: key.split('/') })
}
