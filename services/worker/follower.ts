import type { MailQueue } from '../../infra/mail-queue/mail-queue.ts'
import type { DeletionParts } from '../processes/deletion.ts'
import { react } from '../processes/reactions.ts'
import { mailJobOf } from './mail/sender.ts'
import type { Follower } from './projector.ts'

/**
 * What the worker does about facts besides views: it finishes what they lead to elsewhere and queues their mails. Jobs
 * and checkpoint are kept together, so that each fact is mailed about once, however often views are rebuilt.
 */
export function reactionsAndMail(queue: MailQueue, parts: DeletionParts): Follower {
  return {
    name: 'reactions and mail',
    checkpoint: () => queue.checkpoint(),
    async take(facts, { checkpoint }) {
      for (const fact of facts) await react(fact, parts)
      await queue.enqueue(
        facts.flatMap((fact) => mailJobOf(fact) ?? []),
        checkpoint,
      )
    },
  }
}
