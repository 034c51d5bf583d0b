import type { Logger } from 'pino'
import type { EventStore } from '../../infra/event-store/event-store.ts'
import type { ViewStore } from '../../infra/read-model-store/read-model-store.ts'
import type { PersonKeys } from '../event-sourcing/crypto-shredding/person-keys.ts'
import type { DeletionDependencies } from '../use-cases/user-deletion.ts'
import { eventRegistry } from '../domain/streams.ts'
import { allProjections } from '../projections/index.ts'
import { createReactionSubscription } from './reaction-subscription.ts'
import { createSealer, type SealerDependencies } from '../proof/sealer.ts'
import { runAsLeader } from '../event-sourcing/subscriptions/leader-election.ts'
import { type MailSenderDependencies, sendMails } from './mail/mail-sender.ts'
import { runProjector } from '../event-sourcing/projections/projection-supervisor.ts'
import { sealRegularly } from './log-sealing.ts'

export interface WorkerDependencies {
  readonly eventStore: EventStore
  readonly viewStore: ViewStore
  readonly personKeys: PersonKeys
  readonly deletion: DeletionDependencies
  readonly mail: MailSenderDependencies
  readonly sealing: Omit<SealerDependencies, 'checkpoints'> & { readonly every: number }
  readonly log: Logger
  /** Forgets sessions that no limit lets live any more. */
  readonly purgeSessions: () => Promise<void>
}

const HOUR = 60 * 60_000

/** Projects the log into the views, reacts to facts, sends mail and seals what was recorded, until `signal` aborts. */
export async function runWorker(parts: WorkerDependencies, signal: AbortSignal): Promise<void> {
  const { eventStore, viewStore, personKeys, deletion, mail, sealing, log, purgeSessions } = parts
  const purge = () => purgeSessions().catch((error: unknown) => log.warn({ err: error }, 'old sessions could not be forgotten'))
  const purging = setInterval(purge, HOUR)
  const reactions = createReactionSubscription({ queue: mail.queue, repositories: mail.repositories, deletion, eventStore, personKeys, viewStore })
  try {
    await Promise.all([
      runProjector({ registry: eventRegistry, eventStore, viewStore, personKeys, views: allProjections, followers: [reactions], signal, log }),
      runAsLeader({ leases: viewStore, name: 'sender of mail', log, signal }, (term) => sendMails(mail, term)),
      sealRegularly(createSealer({ ...sealing, checkpoints: viewStore }), { leases: viewStore, every: sealing.every, log, signal }),
    ])
  } finally {
    clearInterval(purging)
  }
}
