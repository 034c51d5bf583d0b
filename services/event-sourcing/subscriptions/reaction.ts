import type { Checkpoint } from '../../../infra/event-store/event-store.ts'
import type { ReadModelStore } from '../../../infra/read-model-store/read-model-store.ts'
import { type RecordedEvent, UnreadableEvent } from '../codec/event-codec.ts'
import { correlationOf } from '../codec/metadata.ts'
import { deadLetterOf } from './dead-letter.ts'
import type { Batch, Consumer, Log } from './shared-subscription.ts'

/** Reacts to events, and keeps a checkpoint of its own. */
export interface Reaction {
  readonly name: string
  /** Where it continues, undefined for the beginning of the log. */
  checkpoint(): Promise<Checkpoint | undefined>
  /**
   * Receives every batch after its checkpoint, in order, at least once: again until it has saved the batch's checkpoint.
   * When it throws, it is asked for its checkpoint and continues from there.
   */
  react(events: readonly RecordedEvent[], batch: Pick<Batch, 'checkpoint' | 'position'>): Promise<void>
  /** Asked from time to time while it is idle: whether its checkpoint is no longer the one it saved. */
  wasMoved?(): Promise<boolean>
}

/** What reactions may need of the read-model store. */
export type ReactionStore = Pick<ReadModelStore, 'checkpoints' | 'deadLetters' | 'projections'>

/** Lets a reaction consume the log at its own pace. Events that cannot be read become dead letters and block nothing. */
export function reactionConsumer(reaction: Reaction, deadLetters: Pick<ReadModelStore['deadLetters'], 'add'>, log: Log): Consumer {
  const { name } = reaction

  const readable = async ({ events }: Batch): Promise<RecordedEvent[]> => {
    const decoded: RecordedEvent[] = []
    for (const event of events) {
      try {
        decoded.push(event.decode())
      } catch (error) {
        if (!(error instanceof UnreadableEvent)) throw error
        log.error(
          { consumer: name, stream: event.stored.stream, revision: event.stored.revision, ...correlationOf(event.stored), err: error },
          'An event became a dead letter',
        )
        await deadLetters.add(deadLetterOf(name, event.stored, error))
      }
    }
    return decoded
  }

  return {
    name,
    inBackground: true,
    start: async () => ({ checkpoint: await reaction.checkpoint() }),
    apply: async (batch) => reaction.react(await readable(batch), batch),
    ...(reaction.wasMoved && { wasMoved: () => reaction.wasMoved?.() ?? Promise.resolve(false) }),
  }
}
