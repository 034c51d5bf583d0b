import {
  type Checkpoint,
  comparePositions,
  type EventStore,
  type Position,
  start,
} from '#infra/event-store/event-store.ts'
import { CheckpointMoved, type MailJob, type Outbox } from '#infra/outbox/outbox.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import type { AnyEvent } from '#services/oversight/event-catalogue.ts'
import type { EventOutbox } from '#services/worker/policy-subscription.ts'
import { mailJobOf } from './mail-sender.ts'
import { isMailSent, isMailStart, loadMailStart, type QueuedMails } from './mail-suppression.ts'

export interface OutboxFillerDependencies {
  readonly outbox: Outbox
  readonly queuedMails: QueuedMails
  readonly repositories: Repositories
  readonly eventStore: Pick<EventStore, 'end'>
}

/** Mails looked up at once when the queue is filled again. */
const LOOKUP_BATCH_SIZE = 50

/**
 * Queues the mails about events. Jobs and checkpoint are saved together, so each event is mailed about once, however
 * often read models are rebuilt.
 *
 * A queue may lose what it held, or fall back to an older state. Then the log is read again from there, or from its
 * beginning, and mails are queued again except those that are on record as sent.
 */
export function createOutboxFiller({
  outbox,
  queuedMails,
  repositories,
  eventStore,
}: OutboxFillerDependencies): EventOutbox {
  /** As it was last saved or read here. */
  let checkpoint: Checkpoint | undefined
  /** Mails about events up to here may have been sent before. */
  let sentUpTo: Position = start
  /** Only events after it are seen here for the first time, and by no worker before. */
  let seenUpTo: Position = start
  let mailStart: number | null = null
  /** The log has not been read up to where mail began: there is nothing to queue before. */
  let isBeforeMail = false

  /** Makes the jobs of events. Mails that may be on record as sent are looked up. */
  const jobsFor = async (events: readonly RecordedEvent<AnyEvent>[]): Promise<MailJob[]> => {
    const due = events.flatMap((event) => {
      const job = mailJobOf(event)
      return job ? [{ job, isOld: comparePositions(event.position, sentUpTo) <= 0 }] : []
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
    async open(reactedTo) {
      checkpoint = await outbox.checkpoint()
      mailStart = await loadMailStart(repositories)
      seenUpTo = await eventStore.end()
      sentUpTo = checkpoint === undefined ? seenUpTo : reactedTo
      isBeforeMail = checkpoint === undefined
      return checkpoint
    },

    async add(events, after) {
      const due = events.filter((event) => {
        if (isBeforeMail && isMailStart(event, mailStart)) isBeforeMail = false
        return !isBeforeMail
      })
      // Without a checkpoint, a restart looks for the beginning of mail again.
      if (isBeforeMail) return false
      if (events.length === 0 && after === checkpoint) {
        if ((await outbox.checkpoint()) !== checkpoint) throw new CheckpointMoved()
        return false
      }
      const jobs = await jobsFor(due)
      const unseen = due.filter(({ position }) => comparePositions(position, seenUpTo) > 0)
      for (const event of unseen) if (mailJobOf(event)) queuedMails.set(event.id, event)
      try {
        await outbox.enqueue(jobs, after)
      } catch (error) {
        // Another worker may have queued them.
        for (const { id } of unseen) queuedMails.delete(id)
        throw error
      }
      seenUpTo = unseen.at(-1)?.position ?? seenUpTo
      checkpoint = after
      return true
    },
  }
}
