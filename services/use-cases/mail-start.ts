import type { EventStore } from '../../infra/event-store/event-store.ts'
import type { MailJob, Outbox } from '../../infra/outbox/outbox.ts'
import { INSTALLATION_ID, startMail, restartMail, type InstallationEvent } from '../domain/installation/installation.ts'
import { recordDelivery } from '../domain/mail/mail.ts'
import type { RecordedEvent } from '../event-sourcing/codec/event-codec.ts'
import type { Repositories } from '../event-sourcing/aggregate-repository.ts'
import { systemContext } from '../event-sourcing/codec/metadata.ts'
import { installations, mails, streamName } from '../domain/streams.ts'

export interface MailStartDependencies {
  readonly repositories: Repositories
  readonly eventStore: Pick<EventStore, 'checkpointAtEnd'>
  readonly outbox: Pick<Outbox, 'checkpoint' | 'enqueue'>
}

/**
 * Mail starts at "now" when it is first installed, and that is recorded: a queue that loses what it held is filled again
 * from there. As every process sees to that before it works, no fact slips by.
 */
export async function ensureMailStarted({ repositories, eventStore, outbox }: MailStartDependencies): Promise<void> {
  if ((await repositories.of(installations).load(INSTALLATION_ID)).state.mailStartRevision !== null) return
  // Asked before: what comes in between is read twice, not never.
  const end = await eventStore.checkpointAtEnd()
  const isNew = (await outbox.checkpoint()) === undefined
  const { events } = await repositories.of(installations).decide(INSTALLATION_ID, systemContext('start', 'start'), startMail)
  // It saves reading the whole log. Where a process dies before, or another was faster, that is read instead.
  if (isNew && events.length > 0) await outbox.enqueue([], end)
}

/** Sends mail only about what comes from now on, and none about all that was recorded before. */
export async function startMailFromNow({ repositories, eventStore, outbox }: MailStartDependencies): Promise<void> {
  await repositories.of(installations).decide(INSTALLATION_ID, systemContext('start', 'start'), restartMail)
  await outbox.enqueue([], await eventStore.checkpointAtEnd())
}

/** The revision of the fact after which mails are sent; null where none is recorded yet. */
export async function loadMailStart(repositories: Repositories): Promise<number | null> {
  return (await repositories.of(installations).load(INSTALLATION_ID)).state.mailStartRevision
}

/** Whether a fact is the beginning of mail, or a later one. */
export function isMailStart({ type, stream, revision }: Pick<RecordedEvent, 'type' | 'stream' | 'revision'>, began: number | null): boolean {
  return type === ('MailBegan' satisfies InstallationEvent['type']) && stream === streamName(installations, INSTALLATION_ID) && revision >= (began ?? 0)
}

/** Whether the mail about a fact is on record as handed over. */
export async function isMailSent(repositories: Repositories, factId: string): Promise<boolean> {
  return (await repositories.of(mails).load(factId)).state.sent
}

/** Records that the mail about a fact was handed over. */
export async function recordMailSent(repositories: Repositories, { kind, stream, revision }: MailJob, cause: RecordedEvent): Promise<void> {
  const { requestId, correlationId } = cause.metadata
  const context = { ...systemContext('worker', requestId, cause.id), correlationId }
  await repositories.of(mails).decide(cause.id, context, (state) => recordDelivery(state, { kind, stream, revision }))
}
