import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { comparePositions, type EventStore, type Position } from '../../../infra/event-store/event-store.ts'
import type { ReadModels } from '../../event-sourcing/projections/read-models.ts'
import type { Projection } from '../../event-sourcing/projections/projection.ts'
import { type Change, changeOf } from './live-topics.ts'

/** Who wants to hear what changed. */
export interface ChangeListener {
  /** Changes that the views show now, and the position they reached. */
  changed(changes: readonly Change[], position: Position): void
  /** Some changes may have been missed: anything may have changed up to this position. */
  missed(position: Position): void
}

/** Tells listeners what changed, once the views show it. While nobody listens nothing is read. */
export interface ChangeFeed {
  /**
   * Tells what comes from now on, and what came after a position that the listener has heard of before.
   *
   * @returns the position up to which everything that is not told is shown by the views; undefined when the listener left
   *   or the hub was closed meanwhile.
   */
  subscribe(listener: ChangeListener, heard: Position | undefined): Promise<Position | undefined>
  unsubscribe(listener: ChangeListener): void
  /** Everything up to here was told. */
  position(): Position | undefined
  close(): void
}

export interface ChangeFeedOptions {
  readonly eventStore: Pick<EventStore, 'subscribe' | 'end' | 'checkpointAtEnd'>
  readonly views: Pick<ReadModels, 'waitFor'>
  /** The views that must show a change before it is told. */
  readonly requiredProjections: readonly Projection[]
  readonly log: Pick<Logger, 'warn'>
  /** What is waited before a log that could not be read is read again, in ms. */
  readonly retryAfter?: number
}

/** Changes that are remembered for those who come back after a broken connection. */
const BUFFER_SIZE = 2_000

/** A turn at following the log, from the first listener's coming to the last one's leaving. */
interface FeedSession {
  readonly stopped: AbortController
  /** Resolves when changes are being followed. */
  readonly ready: Promise<void>
  /** All changes after this are among the recent ones. */
  bufferStart: Position
  lastSentPosition: Position
  recent: { readonly position: Position; readonly change: Change }[]
}

/**
 * It follows the log's tail, and holds back what it reads until the views have come as far: so it works alike whether
 * worker and query service are one process or two, and what a listener then reads is never older than what it was told.
 */
export function createChangeFeed({ eventStore, views, requiredProjections, log, retryAfter = 1_000 }: ChangeFeedOptions): ChangeFeed {
  const listeners = new Set<ChangeListener>()
  let turn: FeedSession | undefined
  let closed = false

  const shown = async (position: Position, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && !(await views.waitFor(requiredProjections, position)));
  }

  const follow = async (own: FeedSession, begin: () => void): Promise<void> => {
    const { signal } = own.stopped
    // In this order: what comes in between is told again rather than never.
    const checkpoint = await eventStore.checkpointAtEnd()
    const end = await eventStore.end()
    await shown(end, signal)
    own.bufferStart = end
    own.lastSentPosition = end
    own.recent = []
    begin()
    for await (const { events, position } of eventStore.subscribe(checkpoint, { signal })) {
      const changes = events.flatMap((event) => {
        const change = changeOf(event)
        return change ? [{ position: event.position, change }] : []
      })
      if (changes.length > 0) await shown(position, signal)
      if (signal.aborted) return
      own.lastSentPosition = position
      if (changes.length > 0) tell(own, changes)
    }
  }

  const tell = (own: FeedSession, changes: FeedSession['recent']): void => {
    own.recent.push(...changes)
    const dropped = own.recent.splice(0, Math.max(0, own.recent.length - BUFFER_SIZE)).at(-1)
    if (dropped) own.bufferStart = dropped.position
    for (const listener of listeners)
      listener.changed(
        changes.map(({ change }) => change),
        own.lastSentPosition,
      )
  }

  const keepFollowing = async (own: FeedSession, begin: () => void): Promise<void> => {
    for (let tries = 0; !own.stopped.signal.aborted; tries++) {
      try {
        await follow(own, () => {
          begin()
          if (tries > 0) for (const listener of listeners) listener.missed(own.lastSentPosition)
        })
      } catch (error) {
        log.warn({ err: error }, 'Live changes could not be followed and will be again')
        await delay(retryAfter, undefined, { signal: own.stopped.signal }).catch(() => {})
      }
    }
  }

  const start = async (): Promise<FeedSession> => {
    const stopped = new AbortController()
    const end = await eventStore.end()
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
      stopped.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    const own: FeedSession = { stopped, ready: begun, bufferStart: end, lastSentPosition: end, recent: [] }
    void keepFollowing(own, begin)
    return own
  }

  /** Started once, however many come at the same moment. */
  let starting: Promise<FeedSession> | undefined

  const stopWhenAlone = () => {
    if (listeners.size > 0) return
    turn?.stopped.abort()
    turn = undefined
  }

  return {
    async subscribe(listener, heard) {
      if (closed) return undefined
      listeners.add(listener)
      if (!turn) {
        starting ??= start().finally(() => {
          starting = undefined
        })
        turn = await starting
      }
      const own = turn
      await own.ready
      if (closed || !listeners.has(listener)) {
        stopWhenAlone()
        return undefined
      }
      if (heard !== undefined) catchUp(own, listener, heard)
      return own.lastSentPosition
    },
    unsubscribe(listener) {
      listeners.delete(listener)
      stopWhenAlone()
    },
    position: () => turn?.lastSentPosition,
    close() {
      closed = true
      listeners.clear()
      stopWhenAlone()
    },
  }

  function catchUp({ bufferStart, lastSentPosition, recent }: FeedSession, listener: ChangeListener, heard: Position): void {
    if (comparePositions(heard, bufferStart) < 0) return listener.missed(lastSentPosition)
    const later = recent.filter(({ position }) => comparePositions(position, heard) > 0)
    if (later.length > 0)
      listener.changed(
        later.map(({ change }) => change),
        lastSentPosition,
      )
  }
}
