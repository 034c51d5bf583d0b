import { type Checkpoint, comparePositions, type EventStore, type Position, start } from '../../infra/event-store/event-store.ts'
import type { MailJob, Outbox } from '../../infra/outbox/outbox.ts'
import type { ViewStore } from '../../infra/read-model-store/read-model-store.ts'
import { decodeEvent, type RecordedEvent, UnreadableEvent } from '../event-sourcing/codec/event-codec.ts'
import type { Repositories } from '../event-sourcing/aggregate-repository.ts'
import type { PersonKeys } from '../event-sourcing/crypto-shredding/person-keys.ts'
import { type AnyEvent, eventRegistry, personIdOf } from '../domain/streams.ts'
import type { DeletionDependencies } from '../use-cases/user-deletion.ts'
import { isMailStart, isMailSent, loadMailStart } from '../use-cases/mail-start.ts'
import { reactToEvent } from '../policies/reactions.ts'
import { requestRebuild } from '../event-sourcing/projections/rebuild-state.ts'
import { allProjections } from '../projections/index.ts'
import { mailJobOf } from './mail/mail-sender.ts'
import type { Follower } from '../event-sourcing/projections/projection-supervisor.ts'
import { poisonOf } from '../event-sourcing/projections/projection-runner.ts'

export interface ReactionDependencies {
  readonly queue: Outbox
  readonly repositories: Repositories
  readonly deletion: DeletionDependencies
  readonly eventStore: Pick<EventStore, 'readStream' | 'end'>
  readonly personKeys: Pick<PersonKeys, 'get'>
  readonly viewStore: Pick<ViewStore, 'setAside' | 'poison' | 'forgetPoison' | 'progress' | 'saveProgress' | 'saveSetting'>
}

/** Its name among the readers of the log. */
export const REACTION_SUBSCRIPTION = 'reactions and mail'

/** Mails that are looked up at once when the queue is filled again. */
const LOOKUP_BATCH_SIZE = 50

/**
 * What the worker does about facts besides views: it finishes what they lead to elsewhere, queues their mails, and tries
 * again what it is asked to. Jobs and checkpoint are kept together, so that each fact is mailed about once, however
 * often views are rebuilt.
 *
 * A queue may lose what it held, or fall back. Then the log is read again from there, or from its beginning: what was done
 * about its facts is not done again, and mails are queued again but for those that are on record as sent.
 */
export function createReactionSubscription({ queue, repositories, deletion, eventStore, personKeys, viewStore }: ReactionDependencies): Follower {
  /** The checkpoint as it was last heard of. */
  let stands: Checkpoint | undefined
  /** All up to here was reacted to before. */
  let reactedTo: Position = start
  /** Mails about facts up to here may have been sent before. */
  let sentUpTo: Position = start
  /** Mail has not begun where this reader is: there is nothing to queue yet. */
  let beforeMail: { readonly began: number | null } | undefined

  /** False for what can't be read, now or ever: it is noted, and holds up nobody. */
  const reactTo = async (fact: RecordedEvent<AnyEvent>): Promise<boolean> => {
    try {
      await reactToEvent(fact, deletion)
      return true
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error
      await viewStore.setAside(poisonOf(REACTION_SUBSCRIPTION, fact, error))
      return false
    }
  }

  /** An event that this reader has set aside, read anew. */
  const readAgain = async (stream: string, revision: number): Promise<RecordedEvent<AnyEvent> | undefined> => {
    for await (const [event] of eventStore.readStream(stream, revision, 1)) {
      if (event?.revision !== revision) return undefined
      const person = personIdOf(stream)
      try {
        return decodeEvent(eventRegistry, event, person === undefined ? undefined : (await personKeys.get([person])).get(person))
      } catch (error) {
        await viewStore.setAside(poisonOf(REACTION_SUBSCRIPTION, event, error))
        return undefined
      }
    }
    return undefined
  }

  /** Answers the fact that can be mailed about now; a view that could not fold an event is built anew. */
  const tryAgain = async ({ reader, stream, revision }: RetryRequest): Promise<RecordedEvent<AnyEvent> | undefined> => {
    const view = allProjections.find(({ name }) => name === reader)
    if (view) await requestRebuild(viewStore, view)
    const isOurs = (await viewStore.poison(REACTION_SUBSCRIPTION)).some((note) => note.stream === stream && note.revision === revision)
    if (reader !== REACTION_SUBSCRIPTION || !isOurs) return undefined
    const fact = await readAgain(stream, revision)
    return fact && (await reactTo(fact)) ? fact : undefined
  }

  /** The mails to queue about facts: those that may be on record as sent are looked up. */
  const jobsOf = async (facts: readonly RecordedEvent<AnyEvent>[]): Promise<MailJob[]> => {
    const due = facts.flatMap((fact) => {
      const job = mailJobOf(fact)
      return job ? [{ job, isOld: comparePositions(fact.position, sentUpTo) <= 0 }] : []
    })
    const jobs: MailJob[] = []
    for (let first = 0; first < due.length; first += LOOKUP_BATCH_SIZE) {
      const some = due.slice(first, first + LOOKUP_BATCH_SIZE)
      const sent = await Promise.all(some.map(({ job, isOld }) => isOld && isMailSent(repositories, job.id)))
      jobs.push(...some.flatMap(({ job }, index) => (sent[index] ? [] : [job])))
    }
    return jobs
  }

  return {
    name: REACTION_SUBSCRIPTION,

    async checkpoint() {
      stands = await queue.checkpoint()
      reactedTo = (await viewStore.progress(REACTION_SUBSCRIPTION))?.position ?? start
      sentUpTo = stands === undefined ? await eventStore.end() : reactedTo
      beforeMail = stands === undefined ? { began: await loadMailStart(repositories) } : undefined
      return stands
    },

    async take(facts: readonly RecordedEvent<AnyEvent>[], { checkpoint, position }) {
      const done: RecordedEvent<AnyEvent>[] = []
      const mended: RecordedEvent<AnyEvent>[] = []
      for (const fact of facts) {
        if (beforeMail && isMailStart(fact, beforeMail.began)) beforeMail = undefined
        const isDone = comparePositions(fact.position, reactedTo) <= 0
        if ((isDone || (await reactTo(fact))) && !beforeMail) done.push(fact)
        const again = fact.type === 'RetryRequested' && !isDone ? await tryAgain(fact.data) : undefined
        if (again) mended.push(again)
      }
      // Until mail has begun no checkpoint is kept, so that whoever goes on here looks for its beginning as well.
      if (beforeMail) return
      await queue.enqueue(await jobsOf([...done, ...mended]), checkpoint)
      stands = checkpoint
      // Only now: until its mail is queued it is not done.
      for (const fact of mended) await viewStore.forgetPoison(REACTION_SUBSCRIPTION, fact)
      // For whoever looks how far it is. It goes on from the checkpoint in the queue.
      await viewStore.saveProgress(REACTION_SUBSCRIPTION, { checkpoint, position })
    },

    async wasMoved() {
      const before = stands
      const now = await queue.checkpoint()
      return stands === before && now !== before
    },
  }
}

type RetryRequest = Extract<RecordedEvent<AnyEvent>, { type: 'RetryRequested' }>['data']
