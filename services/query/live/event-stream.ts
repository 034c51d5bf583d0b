import type { Response } from 'express'
import type { Position } from '#infra/event-store/event-store.ts'
import { type Changes, ENDED_EVENT, READY_EVENT } from '#services/framework/api/live-schemas.ts'
import { type SubjectName, subjectNames } from '#services/oversight/event-catalogue.ts'
import type { ChangeListener } from './change-feed.ts'
import { type Change, concerns, type Reader } from './live-changes.ts'

export interface SseStreamOptions {
  /** The sessions of one client, who may be signed in as a trader and as an administrator at once. */
  readonly readers: readonly Reader[]
  /** Everything up to here was sent. */
  readonly position: () => Position
  /** Called once, when the stream is closed. */
  readonly onClosed: () => void
}

/** How often a stream sends a heartbeat, in ms. */
const HEARTBEAT = 15_000
/** The wait before a browser reconnects, in ms. */
const RETRY = 2_000
/** The shortest time between two messages, in ms: changes in between are sent together. */
const SEND_INTERVAL = 250
/** A client that does not read is disconnected when this many bytes wait for it. */
const MAX_BUFFERED = 64 * 1024

export interface SseStream extends ChangeListener {
  /** From here on the stream sends all that changes after this position. */
  begin(position: Position): void
  /** Says that a session of it is over, and closes. */
  end(): void
  /** Closes without a message: the client reconnects. */
  close(): void
}

/** Sends the head of a response of server-sent events. */
export function beginEvents(response: Response): void {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    // For proxies that would buffer or compress it.
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
  })
}

/** One response of server-sent events. */
export function createSseStream(response: Response, { readers, position, onClosed }: SseStreamOptions): SseStream {
  const pending = new Set<SubjectName>()
  let lastPosition: Position | undefined
  let lastSentAt = 0
  let timer: NodeJS.Timeout | undefined
  let hasBegun = false
  let isClosed = false

  const send = (lines: readonly string[]): void => {
    if (isClosed) return
    response.write(`${lines.join('\n')}\n\n`)
    if (response.writableLength > MAX_BUFFERED) response.destroy()
  }

  const flush = (): void => {
    timer = undefined
    if (pending.size === 0 || !hasBegun) return
    const changes: Changes = { subjects: [...pending] }
    pending.clear()
    lastSentAt = performance.now()
    send([...idOf(lastPosition), `data: ${JSON.stringify(changes)}`])
  }

  const enqueue = (subjects: readonly SubjectName[], at: Position): void => {
    for (const subject of subjects) pending.add(subject)
    lastPosition = at
    if (pending.size === 0 || timer) return
    const wait = lastSentAt + SEND_INTERVAL - performance.now()
    if (wait <= 0) flush()
    else timer = setTimeout(flush, wait)
  }

  const sendHeartbeat = (): void => {
    // While changes are pending, the position of the last message must not pass theirs.
    send([': still here', ...(hasBegun && pending.size === 0 ? idOf(position()) : [])])
  }

  const stream: SseStream = {
    begin(at) {
      hasBegun = true
      send([...idOf(at), `event: ${READY_EVENT}`, 'data: {}'])
      flush()
    },
    changed(changes: readonly Change[], at) {
      const own = changes.filter((change) => readers.some((reader) => concerns(reader, change)))
      enqueue(
        own.map(({ subject }) => subject),
        at,
      )
    },
    missed(at) {
      // Any of them may have changed when messages were missed.
      enqueue(subjectNames, at)
    },
    end() {
      flush()
      send([`event: ${ENDED_EVENT}`, 'data: {}'])
      stream.close()
    },
    close() {
      if (isClosed) return
      isClosed = true
      response.end()
    },
  }

  const heartbeat = setInterval(sendHeartbeat, HEARTBEAT)
  response.once('close', () => {
    isClosed = true
    clearInterval(heartbeat)
    clearTimeout(timer)
    onClosed()
  })
  beginEvents(response)
  send([`retry: ${RETRY}`])
  return stream
}

function idOf(position: Position | undefined): string[] {
  return position === undefined ? [] : [`id: ${position}`]
}
