import { LRUCache } from 'lru-cache'
import { type AnyEvent, describeEvent, type MailedEventType } from '#services/oversight/event-catalogue.ts'
import {
  installationStreams,
  INSTALLATION_ID,
  type InstallationEvent,
} from '#services/framework/streams/installation.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import { recordDelivery, mailStreams } from '#services/framework/streams/mail.ts'
import type { User } from '#services/identity/users/user.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'
import type { MailJob } from '#infra/outbox/outbox.ts'

/**
 * Reasons that hold back a mail about an event: the event is older than mail; its trader muted mails about its kind; or
 * the log records that it was sent. (mail-templates.ts decides which events have a mail, and when it has become
 * pointless.)
 */

/**
 * When mail began in this installation: the revision of the event after which mails are sent; null where none is
 * recorded yet.
 */
export async function loadMailStart(repositories: Repositories): Promise<number | null> {
  return (await repositories.of(installationStreams).load(INSTALLATION_ID)).state.mailStartRevision
}

/** Whether an event is the start of mail, or a later start. */
export function isMailStart(
  { type, stream, revision }: Pick<RecordedEvent, 'type' | 'stream' | 'revision'>,
  mailStart: number | null,
): boolean {
  return (
    type === ('MailBegan' satisfies InstallationEvent['type']) &&
    stream === streamName(installationStreams, INSTALLATION_ID) &&
    revision >= (mailStart ?? 0)
  )
}

/** Whether a trader turned off the mails about events of this type. */
export function isMuted(type: MailedEventType, { mutedNotices }: Pick<User, 'mutedNotices'>): boolean {
  const { notice } = describeEvent(type)
  return notice !== undefined && mutedNotices.includes(notice)
}

/**
 * Events whose mails this process queued and did not begin to record as sent, by their ids. While it alone sends mails,
 * none of them is on record, and nothing needs to be read to know it.
 */
export type QueuedMails = LRUCache<string, RecordedEvent<AnyEvent>>

export function createQueuedMails(): QueuedMails {
  // A deleted person's events leave memory too.
  return new LRUCache({ max: 1_000, ttl: 10 * 60_000, ttlAutopurge: true })
}

/** Whether the log records that the mail about an event was sent. */
export async function isMailSent(repositories: Repositories, eventId: string): Promise<boolean> {
  return (await repositories.of(mailStreams).load(eventId)).state.sent
}

/** Records that the mail about an event was sent. */
export async function recordMailSent(
  repositories: Repositories,
  { kind, stream, revision }: MailJob,
  cause: RecordedEvent,
): Promise<void> {
  const { requestId, correlationId } = cause.metadata
  const context = { ...systemContext('worker', requestId, cause.id), correlationId }
  await repositories
    .of(mailStreams)
    .decide(cause.id, context, (state) => recordDelivery(state, { kind, stream, revision }))
}
