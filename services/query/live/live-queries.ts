import { isPosition, type Position, start } from '../../../infra/event-store/event-store.ts'
import { routes } from '../../api/index.ts'
import type { AuthenticatedCaller } from '../../http/access-control.ts'
import { HttpError } from '../../http/http-errors.ts'
import { certificates, firm, payouts, users } from '../../projections/index.ts'
import type { QueryDependencies, RegisterQuery } from '../query-dependencies.ts'
import { createChangeFeed } from './change-feed.ts'
import { beginEvents, createSseStream, type SseStream } from './event-stream.ts'
import type { Subject } from './live-topics.ts'

/** Streams of one session: a person's tabs and devices that share a cookie. */
export const MAX_STREAMS_PER_SESSION = 8
/** Streams of this process. */
const MAX_STREAMS = 5_000

const RETRY_SECONDS = 10

/** GET /api/live: what changed, told to open pages as server-sent events. */
export function registerLiveQueries(read: RegisterQuery, { accessControl, eventStore, views, log, closing }: QueryDependencies): void {
  const hub = createChangeFeed({ eventStore, views, requiredProjections: [users, payouts, certificates, firm], log })
  const open = new Set<SseStream>()
  const ofSession = new Map<string, number>()

  closing.addEventListener('abort', () => {
    hub.close()
    for (const stream of open) stream.close()
  })

  const count = (session: string, by: 1 | -1): void => {
    const now = (ofSession.get(session) ?? 0) + by
    if (now > 0) ofSession.set(session, now)
    else ofSession.delete(session)
  }

  read(routes.live, [], async ({ caller, query, request, response }) => {
    const other = caller.kind === 'admin' ? await accessControl.traderOf(request) : undefined
    const callers: AuthenticatedCaller[] = other ? [caller, other] : [caller]
    if (request.method === 'HEAD') {
      beginEvents(response)
      response.end()
      return undefined
    }
    const session = caller.session.idHash
    if (closing.aborted || open.size >= MAX_STREAMS) throw new HttpError(503, { message: 'Too many pages listen right now' }, RETRY_SECONDS)
    if ((ofSession.get(session) ?? 0) >= MAX_STREAMS_PER_SESSION)
      throw new HttpError(429, { message: 'Too many pages of this session listen already' }, RETRY_SECONDS)

    const stream = createSseStream(response, {
      subjects: callers.map(subjectOf),
      position: hub.position,
      isStillAuthorized: async () => (await Promise.all(callers.map((each) => accessControl.isStillAuthorized(each)))).every(Boolean),
      onClosed() {
        hub.unsubscribe(stream)
        open.delete(stream)
        count(session, -1)
      },
    })
    open.add(stream)
    count(session, 1)
    try {
      const position = await hub.subscribe(stream, parseLastEventId(request.get('last-event-id') ?? query.after))
      if (position !== undefined) stream.begin(position)
    } catch (error) {
      // Its answer has begun: all that can be done is to let it come back.
      log.warn({ err: error, requestId: request.requestId }, 'A live stream could not begin')
      stream.close()
    }
    return undefined
  })
}

function subjectOf(caller: AuthenticatedCaller): Subject {
  return caller.kind === 'trader' ? { kind: 'trader', id: caller.userId } : { kind: 'admin', id: caller.id }
}

/** What is no position of ours was heard before anything: then everything may have changed. */
function parseLastEventId(id: string | undefined): Position | undefined {
  if (id === undefined || id === '') return undefined
  return isPosition(id) ? id : start
}
