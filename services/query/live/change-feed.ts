import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { comparePositions, type EventStore, type Position } from '../../../infra/event-store/event-store.ts'
import type { Views } from '../../event-sourcing/projections/read-models.ts'
import type { View } from '../../event-sourcing/projections/projection.ts'
import { type Change, changeOf } from './live-topics.ts'

/** Who wants to hear what changed. */
export interface Listener {
  /** Changes that the views show now, and the position they reached. */
  changed(changes: readonly Change[], position: Position): void
  /** Some changes may have been missed: anything may have changed up to this position. */
  missed(position: Position): void
}

/** Tells listeners what changed, once the views show it. While nobody listens nothing is read. */
export interface Hub {
  /**
   * Tells what comes from now on, and what came after a position that the listener has heard of before.
   *
   * @returns the position up to which everything that is not told is shown by the views; undefined when the listener left
   *   or the hub was closed meanwhile.
   */
  join(listener: Listener, heard: Position | undefined): Promise<Position | undefined>
  leave(listener: Listener): void
  /** Everything up to here was told. */
  position(): Position | undefined
  close(): void
}

export interface HubOptions {
  readonly eventStore: Pick<EventStore, 'subscribe' | 'end' | 'checkpointAtEnd'>
  readonly views: Pick<Views, 'reached'>
  /** The views that must show a change before it is told. */
  readonly needed: readonly View[]
  readonly log: Pick<Logger, 'warn'>
  /** What is waited before a log that could not be read is read again, in ms. */
  readonly retryAfter?: number
}

/** Changes that are remembered for those who come back after a broken connection. */
const REMEMBERED = 2_000

/** A turn at following the log, from the first listener's coming to the last one's leaving. */
interface Turn {
  readonly stopped: AbortController
  /** Resolves when changes are being followed. */
  readonly begun: Promise<void>
  /** All changes after this are among the recent ones. */
  since: Position
  known: Position
  recent: { readonly position: Position; readonly change: Change }[]
}

/**
 * It follows the log's tail, and holds back what it reads until the views have come as far: so it works alike whether
 * worker and query service are one process or two, and what a listener then reads is never older than what it was told.
 */
export function openHub({ eventStore, views, needed, log, retryAfter = 1_000 }: HubOptions): Hub {
  const listeners = new Set<Listener>()
  let turn: Turn | undefined
  let closed = false

  const shown = async (position: Position, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted && !(await views.reached(needed, position)));
  }

  const follow = async (own: Turn, begin: () => void): Promise<void> => {
    const { signal } = own.stopped
    // In this order: what comes in between is told again rather than never.
    const checkpoint = await eventStore.checkpointAtEnd()
    const end = await eventStore.end()
    await shown(end, signal)
    own.since = end
    own.known = end
    own.recent = []
    begin()
    for await (const { events, position } of eventStore.subscribe(checkpoint, { signal })) {
      const changes = events.flatMap((event) => {
        const change = changeOf(event)
        return change ? [{ position: event.position, change }] : []
      })
      if (changes.length > 0) await shown(position, signal)
      if (signal.aborted) return
      own.known = position
      if (changes.length > 0) tell(own, changes)
    }
  }

  const tell = (own: Turn, changes: Turn['recent']): void => {
    own.recent.push(...changes)
    const dropped = own.recent.splice(0, Math.max(0, own.recent.length - REMEMBERED)).at(-1)
    if (dropped) own.since = dropped.position
    for (const listener of listeners)
      listener.changed(
        changes.map(({ change }) => change),
        own.known,
      )
  }

  const keepFollowing = async (own: Turn, begin: () => void): Promise<void> => {
    for (let tries = 0; !own.stopped.signal.aborted; tries++) {
      try {
        await follow(own, () => {
          begin()
          if (tries > 0) for (const listener of listeners) listener.missed(own.known)
        })
      } catch (error) {
        log.warn({ err: error }, 'Live changes could not be followed and will be again')
        await delay(retryAfter, undefined, { signal: own.stopped.signal }).catch(() => {})
      }
    }
  }

  const start = async (): Promise<Turn> => {
    const stopped = new AbortController()
    const end = await eventStore.end()
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
      stopped.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    const own: Turn = { stopped, begun, since: end, known: end, recent: [] }
    void keepFollowing(own, begin)
    return own
  }

  /** Started once, however many come at the same moment. */
  let starting: Promise<Turn> | undefined

  const stopWhenAlone = () => {
    if (listeners.size > 0) return
    turn?.stopped.abort()
    turn = undefined
  }

  return {
    async join(listener, heard) {
      if (closed) return undefined
      listeners.add(listener)
      if (!turn) {
        starting ??= start().finally(() => {
          starting = undefined
        })
        turn = await starting
      }
      const own = turn
      await own.begun
      if (closed || !listeners.has(listener)) {
        stopWhenAlone()
        return undefined
      }
      if (heard !== undefined) catchUp(own, listener, heard)
      return own.known
    },
    leave(listener) {
      listeners.delete(listener)
      stopWhenAlone()
    },
    position: () => turn?.known,
    close() {
      closed = true
      listeners.clear()
      stopWhenAlone()
    },
  }

  function catchUp({ since, known, recent }: Turn, listener: Listener, heard: Position): void {
    if (comparePositions(heard, since) < 0) return listener.missed(known)
    const later = recent.filter(({ position }) => comparePositions(position, heard) > 0)
    if (later.length > 0)
      listener.changed(
        later.map(({ change }) => change),
        known,
      )
  }
}
