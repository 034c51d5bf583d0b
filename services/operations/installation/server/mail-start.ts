import type { EventStore } from '#infra/event-store/event-store.ts'
import { CheckpointMoved, type Outbox } from '#infra/outbox/outbox.ts'
import {
  INSTALLATION_ID,
  restartMail,
  startMail,
  installationStreams,
} from '#services/framework/streams/installation.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { systemContext } from '#services/event-sourcing/codec/metadata.ts'

export interface MailStartDependencies {
  readonly repositories: Repositories
  readonly eventStore: Pick<EventStore, 'checkpointAtEnd'>
  readonly outbox: Pick<Outbox, 'checkpoint' | 'enqueue'>
}

/**
 * Mail starts at "now" when it is first installed, and the log records that: an outbox that loses its jobs is filled
 * again from there. Every process does this before it works, so no event is missed.
 */
export async function ensureMailStarted({ repositories, eventStore, outbox }: MailStartDependencies): Promise<void> {
  if ((await repositories.of(installationStreams).load(INSTALLATION_ID)).state.mailStartRevision !== null) return
  // Read before: an event in between is read twice rather than never.
  const end = await eventStore.checkpointAtEnd()
  const isNew = (await outbox.checkpoint()) === undefined
  const { events } = await repositories
    .of(installationStreams)
    .decide(INSTALLATION_ID, systemContext('start', 'start'), startMail)
  // This spares reading the whole log, which happens only if a process dies before, or another was faster.
  if (isNew && events.length > 0) await outbox.enqueue([], end).catch(ignoreMoved)
}

/** A worker that started at the same time has begun to fill the outbox. */
function ignoreMoved(error: unknown): void {
  if (!(error instanceof CheckpointMoved)) throw error
}

/** Sends mail only about events from now on, and none about earlier ones. */
export async function startMailFromNow({ repositories, eventStore, outbox }: MailStartDependencies): Promise<void> {
  await repositories.of(installationStreams).decide(INSTALLATION_ID, systemContext('start', 'start'), restartMail)
  await outbox.enqueue([], await eventStore.checkpointAtEnd())
}
