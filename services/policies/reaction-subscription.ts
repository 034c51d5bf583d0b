import { type Checkpoint, comparePositions, type EventStore, type Position, start } from '#infra/event-store/event-store.ts'
import { type AnyEvent, eventRegistry, personIdOf } from '#services/modules/subjects.ts'
import { decodeEvent, isRegistered, type RecordedEvent, UnreadableEvent } from '#services/event-sourcing/codec/event-codec.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'
import type { StatusStore } from '#services/event-sourcing/read-models/projection-progress.ts'
import { deadLetterOf, readableEvents } from '#services/event-sourcing/subscriptions/dead-letter.ts'
import { requestRebuild } from '#services/event-sourcing/read-models/rebuild-request.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'
import type { Consumer } from '#services/event-sourcing/subscriptions/log-subscription.ts'
import type { DeletionDependencies } from '#services/use-cases/user-deletion.ts'
import { reactToEvent } from './reactions.ts'

/** The name of its checkpoint and dead letters. */
export const REACTION_SUBSCRIPTION = 'reactions and mail'

/** Receives the events that were reacted to, and keeps the checkpoint together with what it makes of them. */
export interface EventOutbox {
  /** Where to continue, undefined for the beginning of the log. @param reactedTo All events up to here were added before. */
  open(reactedTo: Position): Promise<Checkpoint | undefined>
  /**
   * False when the checkpoint was not saved, because it is saved already or there is nothing to send before a later event.
   *
   * @throws {CheckpointMoved} when the checkpoint is no longer the one saved here.
   */
  add(events: readonly RecordedEvent<AnyEvent>[], checkpoint: Checkpoint): Promise<boolean>
}

export interface ReactionDependencies {
  readonly outbox: EventOutbox
  readonly deletion: DeletionDependencies
  readonly eventStore: Pick<EventStore, 'readStream'>
  readonly personKeys: Pick<PersonKeys, 'get'>
  readonly projections: readonly Pick<Projection, 'name' | 'version'>[]
  readonly store: StatusStore
  readonly log: Log
}

/**
 * Runs the policies on every event, once, then adds it to the outbox. A RetryRequested event retries a dead letter: of a
 * projection by a rebuild, of this subscription by reacting again.
 *
 * The outbox may continue from an older checkpoint: then events come again, and are only added to it again.
 */
export function createReactionSubscription({ outbox, deletion, eventStore, personKeys, projections, store, log }: ReactionDependencies): Consumer {
  const { deadLetters } = store
  let reactedTo: Position = start

  /** False for unreadable events: they become dead letters and block nothing. */
  const reactTo = async (event: RecordedEvent<AnyEvent>): Promise<boolean> => {
    try {
      await reactToEvent(event, deletion)
      return true
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error
      await deadLetters.add(deadLetterOf(REACTION_SUBSCRIPTION, event, error))
      return false
    }
  }

  const readAgain = async (stream: string, revision: number): Promise<RecordedEvent<AnyEvent> | undefined> => {
    for await (const [event] of eventStore.readStream(stream, revision, 1)) {
      if (event?.revision !== revision) return undefined
      const person = personIdOf(stream)
      try {
        return decodeEvent(eventRegistry, event, person === undefined ? undefined : (await personKeys.get([person])).get(person))
      } catch (error) {
        await deadLetters.add(deadLetterOf(REACTION_SUBSCRIPTION, event, error))
        return undefined
      }
    }
    return undefined
  }

  /** Returns the event when it was a dead letter of this subscription and no longer is one. */
  const retry = async ({ reader, stream, revision }: RetryRequest): Promise<RecordedEvent<AnyEvent> | undefined> => {
    const projection = projections.find(({ name }) => name === reader)
    if (projection) await requestRebuild(store.projections, projection)
    if (reader !== REACTION_SUBSCRIPTION) return undefined
    const isDeadLetter = (await deadLetters.list(REACTION_SUBSCRIPTION)).some((letter) => letter.stream === stream && letter.revision === revision)
    const event = isDeadLetter ? await readAgain(stream, revision) : undefined
    return event && (await reactTo(event)) ? event : undefined
  }

  return {
    name: REACTION_SUBSCRIPTION,

    async start() {
      reactedTo = (await store.checkpoints.load(REACTION_SUBSCRIPTION))?.position ?? start
      return { checkpoint: await outbox.open(reactedTo) }
    },

    async apply({ events, checkpoint, position }) {
      const readable = await readableEvents(REACTION_SUBSCRIPTION, events, deadLetters, log)
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
      for (const event of retried) await deadLetters.delete(REACTION_SUBSCRIPTION, event)
      // Tells others how far it is; it continues from the outbox's checkpoint.
      await store.checkpoints.save({ consumer: REACTION_SUBSCRIPTION, checkpoint, position })
    },
  }
}

type RetryRequest = Extract<RecordedEvent<AnyEvent>, { type: 'RetryRequested' }>['data']
