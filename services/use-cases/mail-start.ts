import type { EventStore } from '../../infra/event-store/event-store.ts'
import type { MailJob, Outbox } from '../../infra/outbox/outbox.ts'
import { INSTALLATION_ID, startMail, startNotices, restartMail, type InstallationEvent } from '../domain/installation/installation.ts'
import { recordDelivery } from '../domain/mail/mail.ts'
import type { MailedEventType } from '../domain/event-descriptions.ts'
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
 * Mail starts at "now" when it is first installed, and the log records that: an outbox that loses its jobs is filled again
 * from there. Every process does this before it works, so no event is missed.
 */
export async function ensureMailStarted({ repositories, eventStore, outbox }: MailStartDependencies): Promise<void> {
  if ((await repositories.of(installations).load(INSTALLATION_ID)).state.mailStartRevision !== null) return
  // Read before: an event in between is read twice rather than never.
  const end = await eventStore.checkpointAtEnd()
  const isNew = (await outbox.checkpoint()) === undefined
  const { events } = await repositories.of(installations).decide(INSTALLATION_ID, systemContext('start', 'start'), startMail)
  // This spares reading the whole log, which happens only if a process dies before, or another was faster.
  if (isNew && events.length > 0) await outbox.enqueue([], end)
}

/** Records, once, that this version also mails notices. A start of a service does this, and no command line: that may only read. */
export async function ensureNoticesStarted({ repositories }: Pick<MailStartDependencies, 'repositories'>): Promise<void> {
  await repositories.of(installations).decide(INSTALLATION_ID, systemContext('start', 'start'), startNotices)
}

/** Sends mail only about events from now on, and none about earlier ones. */
export async function startMailFromNow({ repositories, eventStore, outbox }: MailStartDependencies): Promise<void> {
  await repositories.of(installations).decide(INSTALLATION_ID, systemContext('start', 'start'), restartMail)
  await outbox.enqueue([], await eventStore.checkpointAtEnd())
}

/** Events that mails are sent about only since {@link startNotices}: an upgrade sends none about older ones. */
const laterMailed: ReadonlySet<string> = new Set<MailedEventType>(['AccountStatusChanged', 'RiskLimitsChanged', 'PhaseChanged', 'PayoutsEnabled'])

/** Whether an event is older than the mails about its kind; `noticesSince` is in ms since 1970. */
export function precedesItsMails({ type, at }: Pick<RecordedEvent, 'type' | 'at'>, noticesSince: number | null): boolean {
  return laterMailed.has(type) && (noticesSince === null || at < noticesSince)
}

/** Since when traders get notices by mail, ms since 1970; null where they do not yet. */
export async function loadNoticesStart(repositories: Repositories): Promise<number | null> {
  return (await repositories.of(installations).load(INSTALLATION_ID)).state.noticesSince
}

/** The revision of the event after which mails are sent; null where none is recorded yet. */
export async function loadMailStart(repositories: Repositories): Promise<number | null> {
  return (await repositories.of(installations).load(INSTALLATION_ID)).state.mailStartRevision
}

/** Whether an event is the start of mail, or a later start. */
export function isMailStart({ type, stream, revision }: Pick<RecordedEvent, 'type' | 'stream' | 'revision'>, mailStart: number | null): boolean {
  return type === ('MailBegan' satisfies InstallationEvent['type']) && stream === streamName(installations, INSTALLATION_ID) && revision >= (mailStart ?? 0)
}

/** Whether the log records that the mail about an event was sent. */
export async function isMailSent(repositories: Repositories, eventId: string): Promise<boolean> {
  return (await repositories.of(mails).load(eventId)).state.sent
}

/** Records that the mail about an event was sent. */
export async function recordMailSent(repositories: Repositories, { kind, stream, revision }: MailJob, cause: RecordedEvent): Promise<void> {
  const { requestId, correlationId } = cause.metadata
  const context = { ...systemContext('worker', requestId, cause.id), correlationId }
  await repositories.of(mails).decide(cause.id, context, (state) => recordDelivery(state, { kind, stream, revision }))
}
