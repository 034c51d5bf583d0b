import { useMutation, useQuery, mutationOptions } from '@tanstack/react-query'
import { type OpenSession, signInRoutes } from '#services/identity/sign-in/sign-in-api.ts'
import type { Session } from '@/api/session.ts'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { EmptyState, ErrorState, Loading, Skeleton } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import { messageOf } from '@/api/api-error.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { toast, toastFailure } from '@/toast.ts'

const { ownSessions, endOwnSessions, staffSessions, endStaffSessions } = signInRoutes
const calls = {
  trader: { sessions: ownSessions, end: endOwnSessions },
  admin: { sessions: staffSessions, end: endStaffSessions },
} as const

/** One's own sessions. */
const ownSessionsQuery = (kind: Session) =>
  routeQuery(calls[kind].sessions, { subjects: ['sign-in', 'users'] }, { staleTime: 0 })

/** Ends one of one's own sessions, or without an id all but this one. */
const endOwnSession = (kind: Session) =>
  mutationOptions({
    mutationFn: (id: string | undefined) => send(calls[kind].end, { query: { id } }),
    onSuccess: () => toast('Signed out', 'Pages that were open there are closed.'),
    onError: (error) => toastFailure('Update failed', messageOf(error)),
    onSettled: (_answer, _error, _id, _before, { client }) =>
      client.invalidateQueries({ queryKey: ownSessionsQuery(kind).queryKey }),
    meta: { session: kind },
  })

/** Where one is signed in, with a way to end each session. */
export function OwnSessions({ kind, children }: { readonly kind: Session; readonly children: string }) {
  const { data: sessions, isError, refetch } = useQuery(ownSessionsQuery(kind))
  const end = useMutation(endOwnSession(kind))
  const others = sessions?.filter(({ current }) => !current) ?? []
  return (
    <Card
      title="Sessions"
      action={
        others.length > 1 && (
          <Button
            look="secondary"
            busy={end.isPending && end.variables === undefined}
            onClick={() => end.mutate(undefined)}
          >
            Sign Out All Others
          </Button>
        )
      }
    >
      <p className="mb-2 text-13 text-muted">{children}</p>
      {sessions ? (
        <ul aria-label="Sessions" className="divide-y divide-line">
          {sessions.map((session) => (
            <li key={session.id} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3 last:pb-0">
              <SessionText id={`session-${session.id}`} session={session} />
              {!session.current && (
                // Several sessions may be in the same kind of browser: the name also says where and since when.
                <Button
                  look="secondary"
                  id={`end-${session.id}`}
                  busy={end.isPending && end.variables === session.id}
                  aria-labelledby={`end-${session.id} session-${session.id}`}
                  onClick={() => end.mutate(session.id)}
                >
                  Sign Out
                </Button>
              )}
            </li>
          ))}
        </ul>
      ) : isError ? (
        <ErrorState title="The sessions could not be loaded" onRetry={refetch} />
      ) : (
        <SessionsSkeleton />
      )}
    </Card>
  )
}

/** A session in words: where, since when, last used. */
export function SessionText({ id, session }: { readonly id?: string; readonly session: OpenSession }) {
  const { browser, address, since, lastSeen, current } = session
  return (
    <div id={id} className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">{browser}</span>
        {current && <Badge tone="good">This browser</Badge>}
        <span className="font-mono text-12 break-all text-muted">{address}</span>
      </p>
      <p className="text-13 text-muted">
        Since <DateText at={since} how="stamp" />, last seen <DateText at={lastSeen} how="stamp" />
      </p>
    </div>
  )
}

export function SessionsSkeleton() {
  return (
    <Loading label="Loading sessions" className="flex flex-col gap-3">
      {[1, 2].map((line) => (
        <Skeleton key={line} className="h-9 w-full" />
      ))}
    </Loading>
  )
}

/** For a trader without sessions. */
export const noSessions = <EmptyState className="py-4!" title="Not signed in anywhere" />
