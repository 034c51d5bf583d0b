import { EventEmitter, once } from 'node:events'
import { jittered, pause } from '#infra/async.ts'
import {
  type Checkpoint,
  comparePositions,
  type EventBatch,
  type EventStore,
  type Position,
  start,
} from '#infra/event-store/event-store.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { EventRegistry } from '#services/event-sourcing/event-registry.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import { type BatchEvent, batchEventsOf } from './batch-event.ts'

/** Follows the log: a projection's collection, or the policies. It keeps its own checkpoint. */
export interface Consumer {
  readonly name: string
  /** Where it continues. Asked at the start and after each failure. */
  start(): Promise<StartingPoint>
  /**
   * Applies the next events; never called twice at once. When it throws, it is started again. While nothing happens it
   * gets an empty batch every few seconds, so that it can notice that what it saved is lost.
   */
  apply(batch: Batch): Promise<void>
}

export interface StartingPoint {
  /** Undefined for the beginning of the log. */
  readonly checkpoint: Checkpoint | undefined
  /** The same point as a position, where it is known. */
  readonly position?: Position | undefined
}

export interface Batch extends Omit<EventBatch, 'events'> {
  readonly events: readonly BatchEvent[]
}

export interface SubscriptionOptions {
  readonly registry: EventRegistry
  readonly eventStore: Pick<EventStore, 'subscribe'>
  readonly personKeys: Pick<PersonKeys, 'get'>
  /** Events read at once, and how many a consumer may be behind the fastest. */
  readonly batchSize: number
  /** The first delay after a failure, in ms; doubled each time. */
  readonly retryAfter: number
  readonly log: Log
}

/** A consumer that is being fed. */
export interface Fed<C extends Consumer> {
  readonly consumer: C
  /** Resolves once the consumer has finished its last batch. */
  stop(): Promise<void>
}

const MAX_DELAY_MS = 5_000
/** How often an idle consumer gets an empty batch, in ms. */
const IDLE_INTERVAL_MS = 3_000
/**
 * At the end of the log, events that come within so many ms are applied together, and the more the more there were:
 * under load that halves the work.
 */
const GATHER_MS = { least: 1, forEach: 0.25, most: 8 }
/** How long consumers that catch up together wait for the slowest, in ms. At the end of the log none waits. */
const PATIENCE_MS = 1_000

/** Feeds consumers from the log. See docs/decisions/018. */
export type LogSubscriptions = ReturnType<typeof createLogSubscriptions>

/**
 * One subscription follows the end of the log for all consumers that are up to date: each event is read and decoded
 * once. A consumer that is behind, after a start or a failure or because it is slow, has its own until it has caught
 * up.
 */
export function createLogSubscriptions(options: SubscriptionOptions) {
  const { retryAfter, log } = options
  /** The oldest first. Consumers move to it as soon as they can, and those without consumers end. */
  const open = new Set<Subscription>()

  /** Feeds a consumer until it fails or `signal` aborts. */
  const feed = async (
    consumer: Consumer,
    from: StartingPoint,
    signal: AbortSignal,
    onApplied: () => void,
  ): Promise<void> => {
    let at = from.checkpoint === undefined ? { checkpoint: undefined, position: start } : from
    let subscription: Subscription | undefined
    try {
      while (!signal.aborted) {
        const next =
          [...open].find((each) => each.remembersAllAfter(at.position)) ?? new Subscription(at, open, options)
        if (next !== subscription) subscription?.leave(consumer)
        subscription = next
        const news = await subscription.next(consumer, at, signal)
        if (!news) continue
        await consumer.apply({ ...news.head, events: news.events })
        onApplied()
        at = news.head
      }
    } finally {
      subscription?.leave(consumer)
    }
  }

  const feedWithRetries = async (
    consumer: Consumer,
    firstStart: () => Promise<StartingPoint>,
    signal: AbortSignal,
  ): Promise<void> => {
    let failed = 0
    for (let starting = firstStart; !signal.aborted; starting = () => consumer.start())
      try {
        await feed(consumer, await starting(), signal, () => (failed = 0))
        return
      } catch (error) {
        const wait = jittered(Math.min(retryAfter * 2 ** failed++, MAX_DELAY_MS))
        if (!signal.aborted)
          log.warn(
            { consumer: consumer.name, err: error, failed, wait: Math.round(wait) },
            'A consumer of the log failed and will be retried',
          )
        await pause(wait, signal)
      }
  }

  return {
    /**
     * Gives each consumer every event after its checkpoint, in order, until it is stopped or `signal` aborts. Failures
     * are retried for ever. Consumers added in one call that start at the same position read together.
     */
    add<C extends Consumer>(consumers: readonly C[], signal: AbortSignal): readonly Fed<C>[] {
      const starting = consumers.map((consumer) => ({ consumer, first: consumer.start() }))
      const allStarted = Promise.allSettled(starting.map(({ first }) => first))
      return starting.map(({ consumer, first }) => {
        const stopping = new AbortController()
        const firstStart = () => allStarted.then(() => first)
        const ended = feedWithRetries(consumer, firstStart, AbortSignal.any([signal, stopping.signal]))
        const stop = () => (stopping.abort(), ended)
        return { consumer, stop }
      })
    },
  }
}

function gatherTime(events: number): number {
  return Math.min(Math.max(GATHER_MS.least, events * GATHER_MS.forEach), GATHER_MS.most)
}

/** How far a subscription has read. Each batch makes a new one. */
type Head = Omit<Batch, 'events'>

/** One reading of the log. It remembers its last batch, and all events that a consumer of it has not applied. */
class Subscription {
  private recent: readonly BatchEvent[] = []
  /** The recent events are all those after it. Undefined until it is known. */
  private begin: Position | undefined
  private head: Head | undefined
  private failure: unknown
  /** How many of the events read each consumer has not applied. */
  private readonly behind = new Map<Consumer, number>()
  /** 'read' when there is news for consumers, 'applied' when one has applied what it was given or has left. */
  private readonly changes = new EventEmitter().setMaxListeners(0)
  private readonly closing = new AbortController()
  private readonly open: Set<Subscription>
  private readonly options: SubscriptionOptions

  constructor({ checkpoint, position }: StartingPoint, open: Set<Subscription>, options: SubscriptionOptions) {
    this.begin = position
    this.open = open.add(this)
    this.options = options
    void this.run(checkpoint)
  }

  /** Whether a consumer at this position would miss nothing here. */
  remembersAllAfter(position: Position | undefined): boolean {
    const end = this.head?.position ?? this.begin
    if (position === undefined || this.begin === undefined || end === undefined) return false
    return comparePositions(this.begin, position) <= 0 && comparePositions(position, end) <= 0
  }

  /** Waits for events after those that a consumer has applied. Undefined once `signal` aborts. */
  async next(
    consumer: Consumer,
    at: StartingPoint,
    signal: AbortSignal,
  ): Promise<{ readonly head: Head; readonly events: readonly BatchEvent[] } | undefined> {
    this.behind.set(consumer, this.eventsAfter(at.position).length)
    this.changes.emit('applied')
    await this.until('read', () => this.failure !== undefined || (this.head ?? at) !== at, signal)
    const { head, failure } = this
    if (failure !== undefined) throw failure
    return head === undefined || head === at ? undefined : { head, events: this.eventsAfter(at.position) }
  }

  leave(consumer: Consumer): void {
    this.behind.delete(consumer)
    this.changes.emit('applied')
    if (this.behind.size > 0) return
    this.open.delete(this)
    this.closing.abort()
  }

  private async run(checkpoint: Checkpoint | undefined): Promise<void> {
    const { registry, eventStore, personKeys, batchSize } = this.options
    const idle = setInterval(() => this.head && this.announce(this.head), IDLE_INTERVAL_MS)
    try {
      for await (const batch of eventStore.subscribe(checkpoint, { signal: this.closing.signal, batchSize })) {
        this.remember(await batchEventsOf(registry, personKeys, batch.events), batch)
        await this.untilWanted(batch.caughtUp)
        if (batch.caughtUp) await pause(gatherTime(batch.events.length), this.closing.signal)
      }
      throw new Error('The subscription ended')
    } catch (error) {
      this.failure = error
      this.open.delete(this)
      this.changes.emit('read')
    } finally {
      clearInterval(idle)
    }
  }

  private remember(events: readonly BatchEvent[], head: Head): void {
    for (const [consumer, lag] of this.behind) this.behind.set(consumer, lag + events.length)
    const all = [...this.recent, ...events]
    const forgotten = all.length - Math.max(events.length, ...this.behind.values())
    this.begin = all[forgotten - 1]?.stored.position ?? this.begin ?? head.position
    this.recent = all.slice(forgotten)
    this.announce(head)
  }

  private announce({ checkpoint, position, caughtUp }: Head): void {
    this.head = { checkpoint, position, caughtUp }
    this.changes.emit('read')
  }

  /** Waits until a consumer has applied everything. Those that are far behind by then leave. */
  private async untilWanted(caughtUp: boolean): Promise<void> {
    const slow = () => [...this.behind].filter(([, lag]) => lag > this.options.batchSize)
    await this.until('applied', () => [...this.behind.values()].includes(0), this.closing.signal)
    if (!caughtUp) await this.until('applied', () => slow().length === 0, AbortSignal.timeout(PATIENCE_MS))
    for (const [consumer] of slow()) this.behind.delete(consumer)
  }

  private async until(change: 'read' | 'applied', condition: () => boolean, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !condition()) await once(this.changes, change, { signal }).catch(() => {})
  }

  private eventsAfter(position: Position | undefined): readonly BatchEvent[] {
    if (position === undefined) return this.recent
    return this.recent.slice(
      this.recent.findLastIndex(({ stored }) => comparePositions(stored.position, position) <= 0) + 1,
    )
  }
}
