import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { comparePositions, type EventStore, type Position, start } from '#infra/event-store/event-store.ts'
import type { ReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'
import { type Change, changeOf } from './live-changes.ts'

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
}

/** Changes that are kept for listeners who reconnect. */
const BUFFER_SIZE = 2_000

/** The wait after a failure, in ms. */
const RETRY_AFTER_MS = 1_000

interface Sent {
  readonly position: Position
  readonly change: Change
}

/**
 * Sends changes to listeners once the read models show them. It reads nothing before the first listener.
 *
 * It follows the end of the log, and holds each batch back until the read models show it. So it works the same whether
 * worker and query service are one process or two, and a listener never reads something older than the change it
 * received.
 */
export function createChangeFeed({ eventStore, readModels, requiredProjections, log }: ChangeFeedOptions) {
  const listeners = new Set<ChangeListener>()
  const closing = new AbortController()
  const { signal } = closing
  /** Resolves once changes are sent, or the feed is closed. */
  let following: Promise<void> | undefined
  let lastSentPosition = start
  /** All changes after `bufferStart` are in the buffer. */
  let bufferStart = start
  let buffer: Sent[] = []

  const untilShown = async (position: Position): Promise<void> => {
    while (!signal.aborted && !(await readModels.waitFor(requiredProjections, position)));
  }

  const follow = async (begin: () => void): Promise<void> => {
    // In this order: an event in between is sent twice rather than never.
    const checkpoint = await eventStore.checkpointAtEnd()
    const end = await eventStore.end()
    await untilShown(end)
    bufferStart = end
    lastSentPosition = end
    buffer = []
    begin()
    for await (const { events, position } of eventStore.subscribe(checkpoint, { signal })) {
      const changes = events.flatMap((event): Sent[] => {
        const change = changeOf(event)
        return change ? [{ position: event.position, change }] : []
      })
      if (changes.length > 0) await untilShown(position)
      if (signal.aborted) return
      lastSentPosition = position
      if (changes.length > 0) send(changes)
    }
  }

  const send = (changes: readonly Sent[]): void => {
    buffer.push(...changes)
    const dropped = buffer.splice(0, Math.max(0, buffer.length - BUFFER_SIZE)).at(-1)
    if (dropped) bufferStart = dropped.position
    const sent = changes.map(({ change }) => change)
    for (const listener of listeners) listener.changed(sent, lastSentPosition)
  }

  const keepFollowing = async (begin: () => void): Promise<void> => {
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        await follow(() => {
          begin()
          if (attempt > 0) for (const listener of listeners) listener.missed(lastSentPosition)
        })
      } catch (error) {
        log.warn({ err: error }, 'The log could not be followed for live changes; retrying')
        await delay(RETRY_AFTER_MS, undefined, { signal }).catch(() => {})
      }
    }
    begin()
  }

  const catchUp = (listener: ChangeListener, lastReceived: Position): void => {
    if (comparePositions(lastReceived, bufferStart) < 0) return listener.missed(lastSentPosition)
    const later = buffer
      .filter(({ position }) => comparePositions(position, lastReceived) > 0)
      .map(({ change }) => change)
    if (later.length > 0) listener.changed(later, lastSentPosition)
  }

  return {
    /**
     * Sends all changes from now on, and those after a position that the listener has received before.
     *
     * @returns the position from which on changes are sent; undefined when the listener left or the feed was closed
     * meanwhile.
     */
    async subscribe(listener: ChangeListener, lastReceived: Position | undefined): Promise<Position | undefined> {
      listeners.add(listener)
      following ??= new Promise((begin) => void keepFollowing(begin))
      await following
      if (!listeners.has(listener)) return undefined
      if (lastReceived !== undefined) catchUp(listener, lastReceived)
      return lastSentPosition
    },
    unsubscribe(listener: ChangeListener): void {
      listeners.delete(listener)
    },
    /** Everything up to here was sent. */
    position: (): Position => lastSentPosition,
    close(): void {
      closing.abort()
      listeners.clear()
    },
  }
}
