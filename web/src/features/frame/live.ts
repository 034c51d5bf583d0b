import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Changes, ENDED_EVENT, READY_EVENT } from '#services/framework/api/live-schemas.ts'
import { serviceRoutes } from '#services/framework/api/service-routes.ts'
import { signInRoutes } from '#services/identity/sign-in/sign-in-api.ts'
import { currentUserRoutes } from '#services/trading/traders/current-user-api.ts'
import { ApiError } from '@/api/api-error.ts'
import { addressOf, get } from '@/api/api.ts'
import { parseLeniently } from '@/api/lenient.ts'
import { refetchSubjects } from '@/api/route-query.ts'
import type { Session } from '@/api/session.ts'
import { oldestVisiblePosition, onVisiblePosition, resetVisiblePosition } from '@/api/shown.ts'
import { useStore } from '@/use-store.ts'
import { endingSessions, isEnding } from './session-queries.ts'

/** Receives live changes, and falls back to polling while that is not possible. */

/** Delay before a retry when the server refuses the stream (too many streams, shutdown), in ms. */
const RETRY_AFTER = 10_000
/** Polling interval while the stream is interrupted, in ms. */
const DISCONNECTED_REFRESH_MS = 30_000
/** The stream starts at the position of the first answers, or after this delay without one, in ms. */
const FIRST_RESPONSE_WAIT_MS = 1_000
/** Changes within this interval are passed on together, in ms. */
const THROTTLE_MS = 1_000
/** How many changes are kept for answers that are older than they are. */
const BUFFER_SIZE = 50

/**
 * Shows changes made elsewhere without a reload while the component is mounted and the session is not ending. For page
 * frames.
 */
export function useLive(session: Session): void {
  const client = useQueryClient()
  const isEnding = useStore(endingSessions).includes(session)
  useEffect(() => {
    // The server would refuse a stream that it begins after the session.
    if (isEnding) return
    return connectLiveUpdates(client, session)
  }, [client, session, isEnding])
}

/**
 * One stream for this page while it is visible: browsers limit the connections to a site, and a page in the background
 * needs none. When the page becomes visible, the server resends what it missed. Returns what ends the stream.
 */
function connectLiveUpdates(client: QueryClient, session: Session): () => void {
  let source: EventSource | undefined
  /** The position before the oldest change in the buffer. */
  let since = oldestVisiblePosition()
  let lastEventId = since?.toString()
  let buffer: SubjectChange[] = []
  let retrying: ReturnType<typeof setTimeout> | undefined
  const end = new AbortController()
  const { signal } = end
  const isConnected = () => source?.readyState === EventSource.OPEN
  const notify = throttle((subjects) => refetchSubjects(client, session, subjects))
  // The stream is or was interrupted: anything may have changed.
  const disconnected = () => refetchSubjects(client, session)

  const stop = () => {
    source?.close()
    source = undefined
  }
  const start = () => {
    clearTimeout(retrying)
    if (signal.aborted || source || document.hidden) return
    const own = new EventSource(addressOf(serviceRoutes.live, { query: { after: lastEventId } }))
    source = own
    own.addEventListener(READY_EVENT, (event) => {
      // No answer on this page has a position: its age is unknown.
      if (lastEventId === undefined) disconnected()
      lastEventId = event.lastEventId || lastEventId
    })
    own.addEventListener('message', (event) => {
      lastEventId = event.lastEventId || lastEventId
      const { subjects } = parseLeniently(Changes, JSON.parse(String(event.data)))
      if (/^\d+$/.test(event.lastEventId)) remember({ at: BigInt(event.lastEventId), subjects })
      notify(subjects)
    })
    own.addEventListener(ENDED_EVENT, () => void reconnectAfter(THROTTLE_MS))
    own.addEventListener('error', () => {
      // Otherwise the browser reconnects by itself.
      if (own.readyState === EventSource.CLOSED) void reconnectAfter(RETRY_AFTER)
    })
  }
  const reconnectAfter = async (wait: number) => {
    stop()
    // Closes this connection if the session is over.
    await checkSession(client, session)
    if (!signal.aborted) retrying = setTimeout(start, wait)
  }

  const remember = (change: SubjectChange) => {
    buffer.push(change)
    if (buffer.length > BUFFER_SIZE) since = buffer.shift()?.at
  }

  /**
   * Handles an answer that is older than the newest change: it came from a server that lags behind, or was in transit.
   * The changes since then are applied again, from the buffer or, if it does not reach back that far, by the server.
   */
  const answered = (position: bigint) => {
    if (since !== undefined && position >= since) {
      const missed = buffer.filter(({ at }) => at > position).flatMap(({ subjects }) => subjects)
      if (missed.length > 0) notify(missed)
      return
    }
    since = position
    lastEventId = position.toString()
    buffer = []
    stop()
    start()
  }

  const polling = setInterval(() => {
    if (!isConnected() && !document.hidden) disconnected()
  }, DISCONNECTED_REFRESH_MS)
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : start()), { signal })
  window.addEventListener('focus', () => !isConnected() && disconnected(), { signal })
  const unsubscribe = onVisiblePosition(answered)
  if (since === undefined) retrying = setTimeout(start, FIRST_RESPONSE_WAIT_MS)
  else start()

  return () => {
    end.abort()
    stop()
    unsubscribe()
    // The next connection continues here.
    if (lastEventId !== undefined) resetVisiblePosition(BigInt(lastEventId))
    notify.cancel()
    clearTimeout(retrying)
    clearInterval(polling)
  }
}

/** Changes up to a position of the log. */
interface SubjectChange {
  readonly at: bigint
  readonly subjects: readonly string[]
}

/** Passes on the first change at once, and later ones together after an interval. */
function throttle(notify: (subjects: readonly string[]) => void) {
  const waiting = new Set<string>()
  let pause: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    pause = undefined
    if (waiting.size === 0) return
    const subjects = [...waiting]
    waiting.clear()
    pause = setTimeout(flush, THROTTLE_MS)
    notify(subjects)
  }
  const add = (subjects: readonly string[]) => {
    for (const subject of subjects) waiting.add(subject)
    if (pause === undefined) flush()
  }
  return Object.assign(add, { cancel: () => clearTimeout(pause) })
}

/** How long the answer with a session's new cookie may take, in ms. */
const RENEWAL_MS = 1_500

const readUser = () => get(currentUserRoutes.currentUser, {})

const sessionChecks: Readonly<Record<Session, () => Promise<unknown>>> = {
  trader: async () => {
    try {
      return await readUser()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      // A change of password in this browser gives its session a new cookie, which may still be on its way.
      await new Promise((resolve) => setTimeout(resolve, RENEWAL_MS))
      return readUser()
    }
  },
  admin: async () => {
    const { isAdmin } = await get(signInRoutes.adminAuth, {})
    // The refusal of a call for staff says how the session ended.
    if (!isAdmin) await get(signInRoutes.staffSessions, {})
  },
}

/**
 * Checks whether a session is still open. If it is not, the query client ends it in this page. A page that signs out
 * knows already.
 */
async function checkSession(client: QueryClient, session: Session): Promise<void> {
  if (isEnding(session)) return
  await client
    .fetchQuery({
      queryKey: ['live', session],
      queryFn: sessionChecks[session],
      staleTime: 0,
      gcTime: 0,
      retry: false,
      meta: { session },
    })
    // The query client has handled the end of a session; a network error means nothing.
    .catch(() => {})
}
