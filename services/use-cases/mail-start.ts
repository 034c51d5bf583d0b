import type { EventStore } from '../../infra/event-store/event-store.ts'
import type { MailJob, MailQueue } from '../../infra/outbox/outbox.ts'
import { beginMail, beginMailAnew, type InstallationEvent } from '../domain/installation/installation.ts'
import { recordSent } from '../domain/mail/mail.ts'
import type { Recorded } from '../event-sourcing/codec/event-codec.ts'
import type { Journal } from '../event-sourcing/aggregate-repository.ts'
import { systemContext } from '../event-sourcing/codec/metadata.ts'
import { installations, mails, streamName } from '../domain/streams.ts'
import { THIS } from './access-keys.ts'

export interface MailingParts {
  readonly journal: Journal
  readonly eventStore: Pick<EventStore, 'checkpointAtEnd'>
  readonly mailQueue: Pick<MailQueue, 'checkpoint' | 'enqueue'>
}

/**
 * Mail starts at "now" when it is first installed, and that is recorded: a queue that loses what it held is filled again
 * from there. As every process sees to that before it works, no fact slips by.
 */
export async function ensureMailBegan({ journal, eventStore, mailQueue }: MailingParts): Promise<void> {
  if ((await journal.of(installations).load(THIS)).state.mailBegan !== null) return
  // Asked before: what comes in between is read twice, not never.
  const end = await eventStore.checkpointAtEnd()
  const isNew = (await mailQueue.checkpoint()) === undefined
  const { facts } = await journal.of(installations).change(THIS, systemContext('start', 'start'), beginMail)
  // It saves reading the whole log. Where a process dies before, or another was faster, that is read instead.
  if (isNew && facts.length > 0) await mailQueue.enqueue([], end)
}

/** Sends mail only about what comes from now on, and none about all that was recorded before. */
export async function beginMailHere({ journal, eventStore, mailQueue }: MailingParts): Promise<void> {
  await journal.of(installations).change(THIS, systemContext('start', 'start'), beginMailAnew)
  await mailQueue.enqueue([], await eventStore.checkpointAtEnd())
}

/** The revision of the fact after which mails are sent; null where none is recorded yet. */
export async function whereMailBegan(journal: Journal): Promise<number | null> {
  return (await journal.of(installations).load(THIS)).state.mailBegan
}

/** Whether a fact is the beginning of mail, or a later one. */
export function isMailBeginning({ type, stream, revision }: Pick<Recorded, 'type' | 'stream' | 'revision'>, began: number | null): boolean {
  return type === ('MailBegan' satisfies InstallationEvent['type']) && stream === streamName(installations, THIS) && revision >= (began ?? 0)
}

/** Whether the mail about a fact is on record as handed over. */
export async function wasSent(journal: Journal, factId: string): Promise<boolean> {
  return (await journal.of(mails).load(factId)).state.sent
}

/** Records that the mail about a fact was handed over. */
export async function recordMailSent(journal: Journal, { kind, stream, revision }: MailJob, cause: Recorded): Promise<void> {
  const { requestId, correlationId } = cause.metadata
  const context = { ...systemContext('worker', requestId, cause.id), correlationId }
  await journal.of(mails).change(cause.id, context, (state) => recordSent(state, { kind, stream, revision }))
}
