import { setTimeout as delay } from 'node:timers/promises'
import { type Checkpoint, comparePositions, type EventBatch, type EventStore, type Position, start } from '../../../infra/event-store/event-store.ts'
import type { PersonKeys } from '../crypto-shredding/person-keys.ts'
import { type EventRegistry, hasPersonalFields } from '../event-registry.ts'
import { BatchEvent } from './batch-event.ts'

/** Follows the log: a projection's collection, or a policy. It keeps its own checkpoint. */
export interface Consumer {
  readonly name: string
  /** Where it continues. Asked at the start and after each failure. */
  start(): Promise<StartingPoint>
  /** Applies the next events; never called twice at once. When it throws, it is started again. */
  apply(batch: Batch): Promise<void>
  /** The others do not wait for it: its batches queue up, and when there are too many it reads alone. */
  readonly inBackground?: boolean
  /** Looked at from time to time while it is idle: whether its checkpoint is no longer the one it saved. */
  wasMoved?(): Promise<boolean>
}

export interface StartingPoint {
  /** Undefined for the beginning of the log. */
  readonly checkpoint: Checkpoint | undefined
  /** The same point as a position, where it is known. */
  readonly position?: Position | undefined
}

export interface Batch {
  readonly events: readonly BatchEvent[]
  readonly checkpoint: Checkpoint
  readonly position: Position
  readonly caughtUp: boolean
}

export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
  /** Follows one request through the services; costs nothing where it is not enabled. */
  readonly debug?: (details: object, message: string) => void
  readonly isLevelEnabled?: (level: string) => boolean
}

export interface SubscriptionOptions {
  readonly registry: EventRegistry
  readonly eventStore: Pick<EventStore, 'subscribe'>
  readonly personKeys: Pick<PersonKeys, 'get'>
  readonly batchSize: number
  /** The first delay after a failure, in ms; doubled each time. */
  readonly retryAfter: number
  readonly log: Log
}

/** Feeds consumers from the log. See docs/decisions/018. */
export type SharedSubscriptions = ReturnType<typeof createSharedSubscriptions>

export interface Subscribed {
  /** Resolves once the consumer has finished its last batch. */
  stop(): Promise<void>
}

const MAX_DELAY_MS = 5_000
/** Batches that may wait for a consumer in the background. */
const MAX_QUEUE = 64
/** How often {@link Consumer.wasMoved} is asked, in ms. */
const MOVED_CHECK_INTERVAL_MS = 3_000

/**
 * Consumers at the same position share one subscription, which reads and decodes each event once. In normal running that is
 * all of them. A consumer that is behind has a subscription of its own until it has caught up, then joins another.
 */
export function createSharedSubscriptions(options: SubscriptionOptions) {
  const { retryAfter, log } = options
  const subscriptions = new Set<Subscription>()
  // Consumers that fail together return together. The random part is for several processes.
  const jitter = 0.75 + Math.random() / 2

  /** Reads until the consumer fails or `signal` aborts. */
  const read = async (consumer: Consumer, from: StartingPoint, signal: AbortSignal, onApplied: () => void): Promise<void> => {
    if (signal.aborted) return
    const member = new Member(consumer, from, onApplied)
    const leave = () => member.leave()
    signal.addEventListener('abort', leave)
    const watching = consumer.wasMoved && setInterval(() => void member.checkMoved(), MOVED_CHECK_INTERVAL_MS)
    try {
      const shared = [...subscriptions].find((subscription) => subscription.canTake(member))
      if (shared) shared.join(member)
      else void new Subscription(member, from, subscriptions, options).run()
      await member.left
    } finally {
      signal.removeEventListener('abort', leave)
      clearInterval(watching)
      await member.idle()
    }
  }

  const readWithRetries = async (consumer: Consumer, firstStart: Promise<StartingPoint>, signal: AbortSignal): Promise<void> => {
    let starting: Promise<StartingPoint> | undefined = firstStart
    let failed = 0
    while (!signal.aborted) {
      try {
        await read(consumer, await (starting ?? consumer.start()), signal, () => (failed = 0))
      } catch (error) {
        if (signal.aborted) return
        const wait = Math.min(retryAfter * 2 ** failed++, MAX_DELAY_MS) * jitter
        log.warn({ consumer: consumer.name, err: error, failed, wait: Math.round(wait) }, 'A consumer of the log failed and will be retried')
        await pause(wait, signal)
      }
      starting = undefined
    }
  }

  return {
    /**
     * Gives each consumer every event after its checkpoint, in order, until it is stopped or `signal` aborts. Failures are
     * retried for ever. Consumers added in one call that start at the same position share a subscription from the beginning.
     */
    add(consumers: readonly Consumer[], signal: AbortSignal): readonly Subscribed[] {
      const starts = consumers.map((consumer) => Promise.resolve().then(() => consumer.start()))
      const allStarted = Promise.allSettled(starts)
      return consumers.map((consumer, index) => {
        const stopped = new AbortController()
        const firstStart = allStarted.then(() => starts[index] ?? consumer.start())
        const ended = readWithRetries(consumer, firstStart, AbortSignal.any([signal, stopped.signal]))
        return {
          async stop() {
            stopped.abort()
            await ended
          },
        }
      })
    },
  }
}

/** One reading of the log, and the consumers it feeds. */
class Subscription {
  private readonly members = new Set<Member>()
  private readonly closing = new AbortController()
  /** All events up to here were handed out, or are being handed out. */
  private position: Position | undefined
  private phase: 'starting' | 'reading' | 'waiting at the end' = 'starting'
  private last: Batch | undefined
  private readonly from: StartingPoint
  private readonly others: Set<Subscription>
  private readonly options: SubscriptionOptions

  constructor(first: Member, from: StartingPoint, others: Set<Subscription>, options: SubscriptionOptions) {
    this.from = from
    this.position = first.received
    this.others = others
    this.options = options
    this.add(first)
    others.add(this)
  }

  /** Whether a consumer would miss nothing here, and wait for little that it already has. */
  canTake({ received }: Pick<Member, 'received'>): boolean {
    if (received === undefined || this.position === undefined || this.phase === 'reading') return false
    return received === this.position || (this.isAtEnd && comparePositions(received, this.position) > 0)
  }

  /** A newcomer at the end of the log learns that it has caught up, for no batch may come for long. */
  join(member: Member): void {
    this.add(member)
    if (this.last) void member.take(this.last)
  }

  add(member: Member): void {
    this.members.add(member)
    member.subscription = this
  }

  remove(member: Member): void {
    this.members.delete(member)
    if (this.members.size > 0) return
    this.others.delete(this)
    this.closing.abort()
  }

  get isAtEnd(): boolean {
    return this.phase === 'waiting at the end'
  }

  hasOneMember(): boolean {
    return this.members.size === 1
  }

  async run(): Promise<void> {
    const { eventStore, batchSize } = this.options
    try {
      for await (const read of eventStore.subscribe(this.from.checkpoint, { signal: this.closing.signal, batchSize })) {
        const batch = await this.decodable(read)
        this.phase = 'reading'
        this.last = { ...batch, events: [] }
        this.position = batch.position
        await Promise.all([...this.members].map((member) => member.take(batch)))
        if (!batch.caughtUp) continue
        this.phase = 'waiting at the end'
        this.joinAnother()
      }
      if (this.members.size > 0) throw new Error('The subscription ended')
    } catch (error) {
      for (const member of this.members) member.leave(error)
    }
  }

  /** Moves all members to another subscription at the end of the log. */
  private joinAnother(): void {
    const other = [...this.others].find((subscription) => subscription !== this && subscription.isAtEnd && subscription.canTake({ received: this.position }))
    if (!other) return
    for (const member of this.members) {
      other.add(member)
      this.remove(member)
    }
  }

  private async decodable({ events, checkpoint, position, caughtUp }: EventBatch): Promise<Batch> {
    const { registry, personKeys } = this.options
    const persons = new Set<string>()
    for (const { type, stream } of events) {
      const person = hasPersonalFields(registry, type) ? registry.personIdOf(stream) : undefined
      if (person !== undefined) persons.add(person)
    }
    const keys = persons.size > 0 ? await personKeys.get(persons) : undefined
    return {
      events: events.map((event) => new BatchEvent(registry, event, keys?.get(registry.personIdOf(event.stream) ?? ''))),
      checkpoint,
      position,
      caughtUp,
    }
  }
}

/** A consumer from its start to its next failure. */
class Member {
  subscription: Subscription | undefined
  /** All events up to here were handed to the consumer. */
  received: Position | undefined
  /** Settles when the consumer left, rejects when it failed. */
  readonly left: Promise<void>
  private settle: (error?: unknown) => void = () => {}
  private queue: Batch[] = []
  private working: Promise<void> | undefined
  private readonly consumer: Consumer
  private readonly onApplied: () => void

  constructor(consumer: Consumer, { checkpoint, position }: StartingPoint, onApplied: () => void) {
    this.consumer = consumer
    this.onApplied = onApplied
    this.received = checkpoint === undefined ? start : position
    this.left = new Promise((resolve, reject) => {
      this.settle = (error) => (error === undefined ? resolve() : reject(error))
    })
    // It may fail before anything awaits it.
    this.left.catch(() => {})
  }

  /** Resolves when the next batch may be read. */
  async take(batch: Batch): Promise<void> {
    const { received } = this
    if (!this.subscription || (received !== undefined && comparePositions(batch.position, received) < 0)) return
    this.received = batch.position
    this.queue.push(received === undefined ? batch : { ...batch, events: eventsAfter(batch.events, received) })
    this.working ??= this.work()
    if (!this.consumer.inBackground) return this.working
    if (this.queue.length < MAX_QUEUE) return
    if (this.subscription?.hasOneMember()) return this.working
    this.leave(new Error('It is slower than the others, and goes on alone'))
  }

  leave(error?: unknown): void {
    this.queue = []
    this.subscription?.remove(this)
    this.subscription = undefined
    this.settle(error)
  }

  async idle(): Promise<void> {
    await this.working
  }

  /** A consumer that cannot be asked reports its failure with the next batch. */
  async checkMoved(): Promise<void> {
    const moved = !this.working && (await this.consumer.wasMoved?.().catch(() => false))
    if (moved && !this.working) this.leave(new Error('Its checkpoint was moved'))
  }

  private async work(): Promise<void> {
    try {
      for (let batch = this.queue[0]; batch; batch = this.queue[0]) {
        await this.consumer.apply(batch)
        this.queue.shift()
        this.onApplied()
      }
    } catch (error) {
      this.leave(error)
    } finally {
      this.working = undefined
    }
  }
}

function eventsAfter(events: readonly BatchEvent[], position: Position): readonly BatchEvent[] {
  const first = events.findIndex(({ stored }) => comparePositions(stored.position, position) > 0)
  return first === 0 ? events : first < 0 ? [] : events.slice(first)
}

/** Waits, but no longer than until `signal` aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {})
}
