import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../../../infra/failures.ts'
import { PermanentMailFailure, type MailJob, type Outbox } from '../../../infra/outbox/outbox.ts'
import type { MailTransport } from '../../../infra/mail-transport/mail-transport.ts'
import type { Logger } from 'pino'
import { payoutMethodLabels, toDecimal } from '../../api/index.ts'
import type { User } from '../../domain/user/user.ts'
import type { RecordedEvent } from '../../event-sourcing/codec/event-codec.ts'
import type { Repositories } from '../../event-sourcing/aggregate-repository.ts'
import { accounts, parseStreamName, personIdOf, users } from '../../domain/streams.ts'
import { recordMailSent, isMailSent } from '../../use-cases/mail-start.ts'
import type { RenderedMail } from './mail-layout.ts'
import { accountBanned, accountUnbanned, certificateIssued, passwordReset, payoutApproved, payoutRejected, welcome } from './mail-templates.ts'

/** The facts that a mail tells somebody about. */
const mailedEventTypes: ReadonlySet<string> = new Set<RecordedEvent['type']>([
  'UserCreated',
  'PasswordResetRequested',
  'UserBanned',
  'UserUnbanned',
  'PayoutApproved',
  'PayoutRejected',
  'CertificateIssued',
])

/** The mail job that a fact gives rise to: it names the event and holds nothing of it. */
export function mailJobOf({ id, type, stream, revision }: RecordedEvent): MailJob | undefined {
  return mailedEventTypes.has(type) ? { id, kind: type, stream, revision } : undefined
}

export interface MailSenderDependencies {
  readonly repositories: Repositories
  readonly queue: Outbox
  readonly transport: MailTransport
  readonly publicUrl: URL
  readonly log: Logger
  readonly now: () => number
}

/** Tries of a mail, with growing waits: about an hour in all, which outlives a relay's restart. */
const ATTEMPTS = 14
/** How often it is tried to reach the log again, in ms. */
const RETRY_DELAY = 1_000

/**
 * Sends queued mails until `signal` aborts. What is personal is read from the log only now. That a mail was handed over is
 * recorded there: a queue that lost what it held, or whose word of it was lost, doubles nothing but the one mail that a kill
 * left between.
 */
export async function sendMails({ repositories, queue, transport, publicUrl, log, now }: MailSenderDependencies, signal: AbortSignal): Promise<void> {
  const send = async (job: MailJob): Promise<void> => {
    if (await isMailSent(repositories, job.id)) {
      log.info({ job: job.id, kind: job.kind }, 'mail was handed over before')
      return
    }
    const recipientId = personIdOf(job.stream)
    const fact = await readMailedEvent(repositories, job)
    const user = recipientId === undefined ? undefined : (await repositories.of(users).load(recipientId)).state
    if (!fact || !user || recipientId === undefined) throw new PermanentMailFailure(`${job.stream}#${job.revision} is nothing to send a mail about`)
    const mail = user.exists ? await render(fact, user, { repositories, publicUrl, now }) : undefined
    if (!mail) {
      log.info({ job: job.id, kind: job.kind, requestId: fact.metadata.requestId, correlationId: fact.metadata.correlationId }, 'nothing to send any more')
      return
    }
    await transport.send({ id: job.id, recipientId, to: { name: user.fullName, address: user.email }, ...mail })
    const { requestId, correlationId } = fact.metadata
    log.info({ job: job.id, kind: job.kind, requestId, correlationId }, 'mail handed over')
    await retryWhileUnavailable(() => recordMailSent(repositories, job, fact), signal)
  }
  await queue.work(send, { signal, attempts: ATTEMPTS })
}

/** Does what needs the log, however long that is away, until `signal` aborts. */
async function retryWhileUnavailable(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unavailable) || signal.aborted) throw error
      // Aborted, it is tried once more.
      await delay(RETRY_DELAY, undefined, { signal }).catch(() => {})
    }
  }
}

async function readMailedEvent(repositories: Repositories, { stream, revision, id }: MailJob): Promise<RecordedEvent | undefined> {
  for await (const fact of repositories.readEvents(stream, revision)) return fact.id === id ? fact : undefined
  return undefined
}

interface RenderDependencies {
  readonly repositories: Repositories
  readonly publicUrl: URL
  readonly now: () => number
}

/** The mail about a fact; undefined when it has become pointless. */
async function render(fact: RecordedEvent, user: User, { repositories, publicUrl, now }: RenderDependencies): Promise<RenderedMail | undefined> {
  const { fullName } = user
  const page = (path: string) => new URL(path, publicUrl).href
  switch (fact.type) {
    case 'PasswordResetRequested':
    case 'UserCreated': {
      const { token, tokenHash, expiresAt } = fact.data
      // A newer link, a use or the time has made this one useless.
      if (user.passwordLink?.tokenHash !== tokenHash || now() >= expiresAt) return undefined
      const link = page(`/reset-password?token=${encodeURIComponent(token)}`)
      return fact.type === 'UserCreated' ? welcome({ fullName, link, expiresAt }) : passwordReset({ fullName, link, expiresAt })
    }
    case 'UserBanned':
      return accountBanned({ fullName, reason: fact.data.reason })
    case 'UserUnbanned':
      return accountUnbanned({ fullName, link: page('/auth') })
    case 'PayoutApproved':
    case 'PayoutRejected': {
      const { payoutId, amount, notes } = fact.data
      const { state } = await repositories.of(accounts).load(parseStreamName(fact.stream).id)
      const payout = state.payouts.get(payoutId)
      if (!payout) return undefined
      const method = payoutMethodLabels[payout.method]
      const letter = { fullName, payoutId, amount: inDollars(amount), method, notes, link: page('/payouts') }
      return fact.type === 'PayoutApproved' ? payoutApproved(letter) : payoutRejected(letter)
    }
    case 'CertificateIssued':
      return certificateIssued({ fullName, certificateName: fact.data.name, link: page('/certificates') })
    default:
      return undefined
  }
}

function inDollars(cents: number): string {
  const [whole = '', fraction = ''] = toDecimal(cents).split('.')
  return `$${Number(whole).toLocaleString('en-US')}.${fraction}`
}
