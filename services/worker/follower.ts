import type { EventStore } from '../../infra/event-store/event-store.ts'
import type { MailQueue } from '../../infra/mail-queue/mail-queue.ts'
import type { ViewStore } from '../../infra/view-store/view-store.ts'
import { decode, type Recorded, UnreadableEvent } from '../journal/codec.ts'
import type { PersonKeys } from '../journal/person-keys.ts'
import { personOf } from '../journal/streams.ts'
import type { DeletionParts } from '../processes/deletion.ts'
import { react } from '../processes/reactions.ts'
import { requestRebuild } from '../views/generations.ts'
import { allViews } from '../views/index.ts'
import { mailJobOf } from './mail/sender.ts'
import type { Follower } from './projector.ts'
import { poisonOf } from './projector-view.ts'

export interface ReactionsParts {
  readonly queue: MailQueue
  readonly deletion: DeletionParts
  readonly eventStore: Pick<EventStore, 'readStream'>
  readonly personKeys: Pick<PersonKeys, 'get'>
  readonly viewStore: Pick<ViewStore, 'setAside' | 'poison' | 'forgetPoison' | 'saveProgress' | 'saveSetting'>
}

/** Its name among the readers of the log. */
export const REACTIONS = 'reactions and mail'

/**
 * What the worker does about facts besides views: it finishes what they lead to elsewhere, queues their mails, and tries
 * again what it is asked to. Jobs and checkpoint are kept together, so that each fact is mailed about once, however
 * often views are rebuilt.
 */
export function reactionsAndMail({ queue, deletion, eventStore, personKeys, viewStore }: ReactionsParts): Follower {
  /** False for what can't be read, now or ever: it is noted, and holds up nobody. */
  const reactTo = async (fact: Recorded): Promise<boolean> => {
    try {
      await react(fact, deletion)
      return true
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error
      await viewStore.setAside(poisonOf(REACTIONS, fact, error))
      return false
    }
  }

  /** An event that this reader has set aside, read anew. */
  const readAgain = async (stream: string, revision: number): Promise<Recorded | undefined> => {
    for await (const [event] of eventStore.readStream(stream, revision, 1)) {
      if (event?.revision !== revision) return undefined
      const person = personOf(stream)
      try {
        return decode(event, person === undefined ? undefined : (await personKeys.get([person])).get(person))
      } catch (error) {
        await viewStore.setAside(poisonOf(REACTIONS, event, error))
        return undefined
      }
    }
    return undefined
  }

  /** Answers the fact that can be mailed about now; a view that could not fold an event is built anew. */
  const tryAgain = async ({ reader, stream, revision }: RetryOf): Promise<Recorded | undefined> => {
    const view = allViews.find(({ name }) => name === reader)
    if (view) await requestRebuild(viewStore, view)
    const isOurs = (await viewStore.poison(REACTIONS)).some((note) => note.stream === stream && note.revision === revision)
    if (reader !== REACTIONS || !isOurs) return undefined
    const fact = await readAgain(stream, revision)
    return fact && (await reactTo(fact)) ? fact : undefined
  }

  return {
    name: REACTIONS,
    checkpoint: () => queue.checkpoint(),
    async take(facts, { checkpoint, position }) {
      const done: Recorded[] = []
      const mended: Recorded[] = []
      for (const fact of facts) {
        if (await reactTo(fact)) done.push(fact)
        const again = fact.type === 'RetryRequested' ? await tryAgain(fact.data) : undefined
        if (again) mended.push(again)
      }
      await queue.enqueue(
        [...done, ...mended].flatMap((fact) => mailJobOf(fact) ?? []),
        checkpoint,
      )
      // Only now: until its mail is queued it is not done.
      for (const fact of mended) await viewStore.forgetPoison(REACTIONS, fact)
      // For whoever looks how far it is. It goes on from the checkpoint in the queue.
      await viewStore.saveProgress(REACTIONS, { checkpoint, position })
    },
  }
}

type RetryOf = Extract<Recorded, { type: 'RetryRequested' }>['data']
