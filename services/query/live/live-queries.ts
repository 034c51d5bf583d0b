import { allProjections } from '#services/portal/modules.ts'
import { isPosition, type Position, start } from '#infra/event-store/event-store.ts'
import type { serviceRoutes } from '#services/framework/api/service-routes.ts'
import type { AuthenticatedCaller } from '#services/framework/http/caller.ts'
import { clientNetwork } from '#services/framework/http/client-network.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import type { PortalParts } from '#services/portal/parts.ts'
import type { Query } from '#services/framework/module.ts'
import { createChangeFeed } from './change-feed.ts'
import { beginEvents, createSseStream, type SseStream } from './event-stream.ts'
import type { Reader } from './live-changes.ts'
import { assertSlotFree, type StreamClient } from './stream-slots.ts'

const RETRY_SECONDS = 10

/** The longest time that a stream outlives its session, in ms. */
const SESSION_CHECK_MS = 1_000

export interface LiveQueryParts extends Pick<
  PortalParts['queries'],
  'accessControl' | 'sessions' | 'eventStore' | 'readModels' | 'log'
> {
  /** Aborts when the service is about to stop, to end live streams. */
  readonly closing: AbortSignal
}

/** GET /api/live: changes as server-sent events, for open pages. */
export function createLiveQuery({
  accessControl,
  sessions,
  eventStore,
  readModels,
  log,
  closing,
}: LiveQueryParts): Query<typeof serviceRoutes.live>['handle'] {
  const feed = createChangeFeed({ eventStore, readModels, requiredProjections: allProjections, log })
  /** The open streams, with the callers they belong to. */
  const open = new Map<SseStream, StreamClient & { readonly callers: readonly AuthenticatedCaller[] }>()

  closing.addEventListener('abort', () => {
    feed.close()
    clearInterval(checking)
    for (const stream of open.keys()) stream.close()
  })

  /** Most sessions end without an event, and in another process: all streams ask together which are over. */
  const endWithSessions = async () => {
    const all = [...open.values()].flatMap(({ callers }) => callers.map(({ session }) => session))
    if (all.length === 0) return
    // An unavailable session store ends no session.
    const over = new Set(await sessions.overAmong(all).catch(() => []))
    for (const [stream, { callers }] of open)
      if (callers.some((each) => over.has(each.session) || accessControl.hasExpired(each))) stream.end()
  }
  const checking = setInterval(() => void endWithSessions(), SESSION_CHECK_MS)

  return async ({ caller, query, request, response }) => {
    const other = caller.kind === 'admin' ? await accessControl.traderOf(request) : undefined
    const callers: AuthenticatedCaller[] = other ? [caller, other] : [caller]
    if (request.method === 'HEAD') {
      beginEvents(response)
      response.end()
      return undefined
    }
    if (closing.aborted)
      throw new HttpError(503, { message: 'Proofdesk is stopping. Please try again in a moment.' }, RETRY_SECONDS)
    const isStaff = caller.kind === 'admin'
    const person = isStaff ? caller.id : caller.userId
    const client = { callers, session: caller.session.idHash, person, isStaff, network: clientNetwork(request) }
    assertSlotFree(client, [...open.values()])
    const stream = createSseStream(response, {
      readers: callers.map(readerOf),
      position: feed.position,
      onClosed() {
        feed.unsubscribe(stream)
        open.delete(stream)
      },
    })
    open.set(stream, client)
    try {
      const position = await feed.subscribe(stream, parseLastEventId(request.get('last-event-id') ?? query.after))
      if (position !== undefined) stream.begin(position)
    } catch (error) {
      // The response has begun: close it, and the client reconnects.
      log.warn({ err: error, requestId: request.requestId }, 'A live stream could not begin')
      stream.close()
    }
    return undefined
  }
}

function readerOf(caller: AuthenticatedCaller): Reader {
  return caller.kind === 'trader' ? { kind: 'trader', id: caller.userId } : { kind: 'admin', id: caller.id }
}

/** An unknown position counts as the beginning: everything may have changed since. */
function parseLastEventId(id: string | undefined): Position | undefined {
  if (id === undefined || id === '') return undefined
  return isPosition(id) ? id : start
}
