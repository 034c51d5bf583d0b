import type { Response } from 'express'
import type { Position } from '../../../infra/event-store/event-store.ts'
import { type Changes, ENDED_EVENT, READY_EVENT, type Topic } from '../../api/index.ts'
import { liveTopics } from '../../domain/event-description.ts'
import type { ChangeListener } from './change-feed.ts'
import { type Change, mayEndSession, type Subject, topicsFor } from './live-topics.ts'

export interface SseStreamOptions {
  /** Who listens: one person, who may have a trader's and an administrator's session at once. */
  readonly subjects: readonly Subject[]
  /** Everything up to here was sent. */
  readonly position: () => Position | undefined
  /** Whether all the sessions are still open. */
  readonly isStillAuthorized: () => Promise<boolean>
  /** Called once, when the stream is over. */
  readonly onClosed: () => void
}

/** How often a quiet stream says that it is there, and looks whether its session is, in ms. */
export const HEARTBEAT = 15_000
/** What a browser waits before it comes back, in ms. */
const RETRY = 2_000
/** The least time between two messages, in ms: changes that come meanwhile are sent together. */
const SEND_INTERVAL = 250
/** A client that takes in nothing is let go when so many bytes wait for it. */
const MAX_BUFFERED = 64 * 1024

export interface SseStream extends ChangeListener {
  /** What is sent from here on is all that changes after this position. */
  begin(position: Position): void
  /** Ends without a word: the client comes back by itself. */
  close(): void
}

/** Sends the head of an answer of server-sent events. */
export function beginEvents(response: Response): void {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    // For proxies that would gather or shrink it.
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
  })
}

/** One answer of server-sent events. */
export function createSseStream(response: Response, { subjects, position, isStillAuthorized, onClosed }: SseStreamOptions): SseStream {
  const waiting = new Set<Topic>()
  let reached: Position | undefined
  let told = 0
  let telling: NodeJS.Timeout | undefined
  let begun = false
  let over = false

  const send = (lines: readonly string[]): void => {
    if (over) return
    response.write(`${lines.join('\n')}\n\n`)
    if (response.writableLength > MAX_BUFFERED) response.destroy()
  }

  const tell = (): void => {
    telling = undefined
    if (waiting.size === 0 || !begun) return
    const changes: Changes = { topics: [...waiting] }
    waiting.clear()
    told = performance.now()
    send([...idOf(reached), `data: ${JSON.stringify(changes)}`])
  }

  const note = (topics: readonly Topic[], at: Position): void => {
    for (const topic of topics) waiting.add(topic)
    reached = at
    if (waiting.size === 0 || telling) return
    const wait = told + SEND_INTERVAL - performance.now()
    if (wait <= 0) tell()
    else telling = setTimeout(tell, wait)
  }

  const end = (): void => {
    tell()
    send([`event: ${ENDED_EVENT}`, 'data: {}'])
    stream.close()
  }

  const beat = async (): Promise<void> => {
    // A store that is away for a moment ends nobody's session.
    if (!(await isStillAuthorized().catch(() => true))) return end()
    // A position must not be sent ahead of the changes that wait for it.
    send([': still here', ...(begun && waiting.size === 0 ? idOf(position()) : [])])
  }

  const stream: SseStream = {
    begin(at) {
      begun = true
      send([...idOf(at), `event: ${READY_EVENT}`, 'data: {}'])
      tell()
    },
    changed(changes: readonly Change[], at) {
      note(
        changes.flatMap((change) => subjects.flatMap((subject) => topicsFor(subject, change))),
        at,
      )
      // A client that still has a session is let in again when it comes back.
      if (changes.some((change) => subjects.some((subject) => mayEndSession(subject, change)))) end()
    },
    missed: (at) =>
      note(
        subjects.flatMap(({ kind }) => liveTopics[kind]),
        at,
      ),
    close() {
      if (over) return
      over = true
      response.end()
    },
  }

  const beating = setInterval(() => void beat(), HEARTBEAT)
  response.once('close', () => {
    over = true
    clearInterval(beating)
    clearTimeout(telling)
    onClosed()
  })
  beginEvents(response)
  send([`retry: ${RETRY}`])
  return stream
}

function idOf(position: Position | undefined): string[] {
  return position === undefined ? [] : [`id: ${position}`]
}
