import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { comparePositions, type EventStore, type Position, start } from '../../../infra/event-store/event-store.ts'
import type { ReadModels } from '../../event-sourcing/read-models/read-model-reader.ts'
import type { Projection } from '../../event-sourcing/read-models/projection.ts'
import { type Change, changeOf } from './live-topics.ts'

export interface ChangeListener {
  /** Changes that the read models show now, and the position up to which they show everything. */
  changed(changes: readonly Change[], position: Position): void
  /** Changes may be missing: anything may have changed up to this position. */
  missed(position: Position): void
}

export interface ChangeFeedOptions {
  readonly eventStore: Pick<EventStore, 'subscribe' | 'end' | 'checkpointAtEnd'>
  readonly readModels: Pick<ReadModels, 'waitFor'>
  /** The projections that must show a change before it is sent. */
  readonly requiredProjections: readonly Projection[]
  readonly log: Pick<Logger, 'warn'>
  /** The wait after a failure, in ms. */
  readonly retryAfter?: number
}

/** Changes that are kept for listeners who reconnect. */
const BUFFER_SIZE = 2_000

/** One following of the log, from the first listener's subscription until the last has left. */
interface FeedSession {
  readonly stopped: AbortController
  /** Resolves once changes are sent, or the session was stopped. */
  readonly ready: Promise<void>
  /** All changes after this are in the buffer. */
  bufferStart: Position
  lastSentPosition: Position
  buffer: { readonly position: Position; readonly change: Change }[]
}

/**
 * Sends changes to listeners once the read models show them. Without listeners it reads nothing.
 *
 * It follows the end of the log, and holds each batch back until the read models show it. So it works the same whether worker
 * and query service are one process or two, and a listener never reads something older than the change it received.
 */
export function createChangeFeed({ eventStore, readModels, requiredProjections, log, retryAfter = 1_000 }: ChangeFeedOptions) {
  const listeners = new Set<ChangeListener>()
  let current: FeedSession | undefined
  let closed = false

  const untilShown = async (position: Position, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && !(await readModels.waitFor(requiredProjections, position)));
  }

  const follow = async (session: FeedSession, begin: () => void): Promise<void> => {
    const { signal } = session.stopped
    // In this order: an event in between is sent twice rather than never.
    const checkpoint = await eventStore.checkpointAtEnd()
    const end = await eventStore.end()
    await untilShown(end, signal)
    Object.assign(session, { bufferStart: end, lastSentPosition: end, buffer: [] })
    begin()
    for await (const { events, position } of eventStore.subscribe(checkpoint, { signal })) {
      const changes = events.flatMap((event) => {
        const change = changeOf(event)
        return change ? [{ position: event.position, change }] : []
      })
      if (changes.length > 0) await untilShown(position, signal)
      if (signal.aborted) return
      session.lastSentPosition = position
      if (changes.length > 0) send(session, changes)
    }
  }

  const send = (session: FeedSession, changes: FeedSession['buffer']): void => {
    session.buffer.push(...changes)
    const dropped = session.buffer.splice(0, Math.max(0, session.buffer.length - BUFFER_SIZE)).at(-1)
    if (dropped) session.bufferStart = dropped.position
    const sent = changes.map(({ change }) => change)
    for (const listener of listeners) listener.changed(sent, session.lastSentPosition)
  }

  const keepFollowing = async (session: FeedSession, begin: () => void): Promise<void> => {
    for (let attempt = 0; !session.stopped.signal.aborted; attempt++) {
      try {
        await follow(session, () => {
          begin()
          if (attempt > 0) for (const listener of listeners) listener.missed(session.lastSentPosition)
        })
      } catch (error) {
        log.warn({ err: error }, 'The log could not be followed for live changes; retrying')
        await delay(retryAfter, undefined, { signal: session.stopped.signal }).catch(() => {})
      }
    }
  }

  const startSession = (): FeedSession => {
    const stopped = new AbortController()
    let begin = () => {}
    const ready = new Promise<void>((resolve) => {
      begin = resolve
      stopped.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    const session: FeedSession = { stopped, ready, bufferStart: start, lastSentPosition: start, buffer: [] }
    void keepFollowing(session, begin)
    return session
  }

  const stopWithoutListeners = () => {
    if (listeners.size > 0) return
    current?.stopped.abort()
    current = undefined
  }

  const catchUp = ({ bufferStart, lastSentPosition, buffer }: FeedSession, listener: ChangeListener, lastReceived: Position): void => {
    if (comparePositions(lastReceived, bufferStart) < 0) return listener.missed(lastSentPosition)
    const later = buffer.filter(({ position }) => comparePositions(position, lastReceived) > 0).map(({ change }) => change)
    if (later.length > 0) listener.changed(later, lastSentPosition)
  }

  return {
    /**
     * Sends all changes from now on, and those after a position that the listener has received before.
     *
     * @returns the position from which on changes are sent; undefined when the listener left or the feed was closed meanwhile.
     */
    async subscribe(listener: ChangeListener, lastReceived: Position | undefined): Promise<Position | undefined> {
      if (closed) return undefined
      listeners.add(listener)
      const session = (current ??= startSession())
      await session.ready
      if (closed || !listeners.has(listener)) {
        stopWithoutListeners()
        return undefined
      }
      if (lastReceived !== undefined) catchUp(session, listener, lastReceived)
      return session.lastSentPosition
    },
    unsubscribe(listener: ChangeListener): void {
      listeners.delete(listener)
      stopWithoutListeners()
    },
    /** Everything up to here was sent. */
    position: (): Position | undefined => current?.lastSentPosition,
    close(): void {
      closed = true
      listeners.clear()
      stopWithoutListeners()
    },
  }
}
