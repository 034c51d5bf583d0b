import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Unavailable } from '#infra/failures.ts'
import type { MailTransport } from '#infra/mail-transport/mail-transport.ts'
import { type MailJob, type Outbox, PermanentMailFailure } from '#infra/outbox/outbox.ts'
import {
  type AnyEvent,
  describeEvent,
  isEventType,
  type MailedEventType,
  userIdOf,
} from '#services/oversight/event-catalogue.ts'
import type { AccountId } from '#services/framework/ids.ts'
import { accountStreams } from '#services/trading/stream/account-aggregate.ts'
import { type User, userStreams } from '#services/identity/users/user.ts'
import type { CurrentFirm } from '#services/identity/firm/server/current-firm.ts'
import { emailToken } from '#services/identity/users/server/password-link-tokens.ts'
import type { Secrets } from '#services/process/keys/derived-secrets.ts'
import type { Repositories } from '#services/event-sourcing/aggregate-repository.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { type MailBrand, presentableName, render, type RenderedMail } from '#services/framework/mails/mail-layout.ts'
import { isMailSent, isMuted, type QueuedMails, recordMailSent } from './mail-suppression.ts'
import { allModules } from '#services/portal/modules.ts'
import type { Addressed, WrittenMail } from '#services/framework/mails/mail-context.ts'
import type { UserMailContext } from '#services/identity/users/server/user-mails.ts'
import type { AccountMailContext } from '#services/trading/accounts/server/account-mails.ts'

/** The mail job about an event, if a mail is sent about it: it names the event and holds nothing of it. */
export function mailJobOf(event: RecordedEvent<AnyEvent>): MailJob | undefined {
  const { id, type, stream, revision } = event
  // Members of staff have no address.
  return isMailed(event) && userIdOf(stream) !== undefined ? { id, kind: type, stream, revision } : undefined
}

export interface MailSenderDependencies {
  readonly repositories: Repositories
  readonly secrets: Pick<Secrets, 'tokenMac'>
  readonly outbox: Outbox
  readonly queuedMails: QueuedMails
  readonly mailTransport: MailTransport
  readonly publicUrl: URL
  readonly firm: Pick<CurrentFirm, 'now'>
  readonly log: Logger
  readonly now: () => number
}

/** The wait before the log is tried again, in ms. */
const RETRY_DELAY = 1_000

/**
 * Sends queued mails until `signal` aborts. Personal data is read from the log only now, and the log records that a
 * mail was sent: when the queue loses its jobs, only a mail that was being sent at a kill can be sent twice. For a mail
 * that this process has queued, only its user is read again.
 */
export async function sendMails(
  { repositories, secrets, outbox, queuedMails, mailTransport, publicUrl, firm, log, now }: MailSenderDependencies,
  signal: AbortSignal,
): Promise<void> {
  // Another worker may have sent them.
  queuedMails.clear()
  const send = async (job: MailJob): Promise<void> => {
    const queued = queuedMails.get(job.id)
    if (!queued && (await isMailSent(repositories, job.id))) {
      log.info({ job: job.id, kind: job.kind }, 'mail was sent before')
      return
    }
    const recipientId = userIdOf(job.stream)
    const event = queued ?? (await repositories.readEvent(job.stream, job.revision))
    if (event?.id !== job.id || !isMailed(event) || recipientId === undefined)
      throw new PermanentMailFailure(`No mail is sent about ${job.stream}#${job.revision}`)
    const { state: user } = await repositories.of(userStreams).load(recipientId)
    const brand = await firm.now()
    const { supportEmail } = brand
    const loadAccount = async (id: AccountId) => {
      const atLeast = event.stream === streamName(accountStreams, id) ? event.revision : undefined
      return (await repositories.of(accountStreams).load(id, atLeast)).state
    }
    const page = (path: string) => new URL(path, publicUrl).href
    const link = ({ emailClaim }: User) =>
      page(`/confirm-email?token=${encodeURIComponent(emailToken(secrets, recipientId, emailClaim ?? ''))}`)
    const mails =
      user.exists && !isMuted(event.type, user)
        ? await writeMails(
            event,
            { user, loadAccount, supportEmail, page, confirmEmailLink: link(user), now: now() },
            brand,
          )
        : []
    const { requestId, correlationId } = event.metadata
    if (mails.length === 0) {
      log.info({ job: job.id, kind: job.kind, requestId, correlationId }, 'mail is no longer needed')
      return
    }
    for (const [index, { address = user.email, name = user.fullName, ...content }] of mails.entries()) {
      // Sent again after a kill, each has the same id.
      const id = index === 0 ? job.id : `${job.id}-${index}`
      const to = { name: presentableName(name), address }
      await mailTransport.send({ id, recipientId, from: brand.sender, to, ...content })
    }
    log.info({ job: job.id, kind: job.kind, requestId, correlationId }, 'mail sent')
    queuedMails.delete(job.id)
    await retryWhileUnavailable(() => recordMailSent(repositories, job, event), signal)
  }
  await outbox.work(send, {
    signal,
    onFailure({ id, kind }, { error, attempts, dueAt }) {
      const nextTry = dueAt === undefined ? undefined : new Date(dueAt).toISOString()
      log.warn({ job: id, kind, why: error, attempts, nextTry }, nextTry ? 'mail waits' : 'mail failed for good')
    },
  })
}

/** Retries work on the log while the log is unavailable, until `signal` aborts. */
async function retryWhileUnavailable(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unavailable) || signal.aborted) throw error
      // Once it is aborted, one more attempt follows.
      await delay(RETRY_DELAY, undefined, { signal }).catch(() => {})
    }
  }
}

/** The data of a mail of any subject. */
type AnyMailContext = UserMailContext & AccountMailContext
type Write = (event: RecordedEvent, context: AnyMailContext) => WrittenMail | Promise<WrittenMail>

/** The text of the mail about each type of event that has one. */
const texts = new Map<string, Write>(allModules.flatMap(({ mails }) => Object.entries<Write>(mails)))

/** Whether a mail is sent about events of a type. */
export function isMailed<Event extends { readonly type: string }>(
  event: Event,
): event is Event & { readonly type: MailedEventType } {
  return isEventType(event.type) && describeEvent(event.type).mail === true
}

/** The mails about an event: none when they have become pointless. */
export async function writeMails(
  event: RecordedEvent,
  context: AnyMailContext,
  brand: MailBrand,
): Promise<readonly Addressed<RenderedMail>[]> {
  const written = await texts.get(event.type)?.(event, context)
  const letters = written === undefined ? [] : [written].flat()
  return letters.map(({ address, ...content }) => ({
    ...render(context.user.fullName, content, brand),
    ...(address !== undefined && { address }),
  }))
}
