import { type Checkpoint, comparePositions, type Position, start } from '#infra/event-store/event-store.ts'
import { type AnyEvent, eventRegistry } from '#services/oversight/event-catalogue.ts'
import { isRegistered, type RecordedEvent, UnreadableEvent } from '#services/event-sourcing/codec/event-codec.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'
import type { StatusStore } from '#services/event-sourcing/read-models/projection-progress.ts'
import { deadLetterOf, readableEvents } from '#services/event-sourcing/subscriptions/dead-letter.ts'
import { requestRebuild } from '#services/event-sourcing/read-models/blue-green-rebuild.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import type { Consumer } from '#services/event-sourcing/subscriptions/log-subscription.ts'
import type { PolicyParts } from '#services/portal/parts.ts'
import { runPolicies } from '#services/portal/modules.ts'

/** The name of its checkpoint and dead letters. */
export const POLICY_SUBSCRIPTION = 'policies and mail'

/** Receives the events that were reacted to, and keeps the checkpoint together with what it makes of them. */
export interface EventOutbox {
  /**
   * Where to continue, undefined for the beginning of the log.
   *
   * @param reactedTo All events up to here were added before.
   */
  open(reactedTo: Position): Promise<Checkpoint | undefined>
  /**
   * False when the checkpoint was not saved, because it is saved already or there is nothing to send before a later
   * event.
   *
   * @throws {CheckpointMoved} when the checkpoint is no longer the one saved here.
   */
  add(events: readonly RecordedEvent<AnyEvent>[], checkpoint: Checkpoint): Promise<boolean>
}

export interface PolicySubscriptionDependencies {
  readonly outbox: EventOutbox
  readonly policyDependencies: PolicyParts
  readonly projections: readonly Pick<Projection, 'name' | 'version'>[]
  readonly store: StatusStore
  readonly log: Log
}

/**
 * Runs the policies on every event, once, then adds it to the outbox. A RetryRequested event retries a dead letter: of
 * a projection by a rebuild, of this subscription by reacting again.
 *
 * The outbox may continue from an older checkpoint: then events come again, and are only added to it again.
 */
export function createPolicySubscription({
  outbox,
  policyDependencies,
  projections,
  store,
  log,
}: PolicySubscriptionDependencies): Consumer {
  const { deadLetters } = store
  let reactedTo: Position = start

  /** False for unreadable events: they become dead letters and block nothing. */
  const reactTo = async (event: RecordedEvent<AnyEvent>): Promise<boolean> => {
    try {
      await runPolicies(event, policyDependencies)
      return true
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error
      await deadLetters.add(deadLetterOf(POLICY_SUBSCRIPTION, event, error))
      return false
    }
  }

  /** Undefined while it still cannot be read: its dead letter stays. */
  const readAgain = async (stream: string, revision: number): Promise<RecordedEvent<AnyEvent> | undefined> => {
    try {
      const event = await policyDependencies.repositories.readEvent(stream, revision)
      return event && isRegistered(eventRegistry, event) ? event : undefined
    } catch (error) {
      if (error instanceof UnreadableEvent) return undefined
      throw error
    }
  }

  /** Returns the event when it was a dead letter of this subscription and no longer is one. */
  const retry = async ({ reader, stream, revision }: RetryRequest): Promise<RecordedEvent<AnyEvent> | undefined> => {
    const projection = projections.find(({ name }) => name === reader)
    if (projection) await requestRebuild(store.projections, projection)
    if (reader !== POLICY_SUBSCRIPTION) return undefined
    const isDeadLetter = (await deadLetters.list(POLICY_SUBSCRIPTION)).some(
      (letter) => letter.stream === stream && letter.revision === revision,
    )
    const event = isDeadLetter ? await readAgain(stream, revision) : undefined
    return event && (await reactTo(event)) ? event : undefined
  }

  return {
    name: POLICY_SUBSCRIPTION,

    async start() {
      reactedTo = (await store.checkpoints.load(POLICY_SUBSCRIPTION))?.position ?? start
      return { checkpoint: await outbox.open(reactedTo) }
    },

    async apply({ events, checkpoint, position }) {
      const readable = await readableEvents(POLICY_SUBSCRIPTION, events, deadLetters, log)
      const done: RecordedEvent<AnyEvent>[] = []
      const retried: RecordedEvent<AnyEvent>[] = []
      for (const event of readable.filter((each) => isRegistered(eventRegistry, each))) {
        const isOld = comparePositions(event.position, reactedTo) <= 0
        if (isOld || (await reactTo(event))) done.push(event)
        const again = event.type === 'RetryRequested' && !isOld ? await retry(event.data) : undefined
        if (again) retried.push(again)
      }
      if (!(await outbox.add([...done, ...retried], checkpoint))) return
      // Only now: it is not done until the outbox has it.
      for (const event of retried) await deadLetters.delete(POLICY_SUBSCRIPTION, event)
      // Tells others how far it is; it continues from the outbox's checkpoint.
      await store.checkpoints.save({ consumer: POLICY_SUBSCRIPTION, checkpoint, position })
    },
  }
}

type RetryRequest = Extract<RecordedEvent<AnyEvent>, { type: 'RetryRequested' }>['data']
