import type { Logger } from 'pino'
import type { EventStore } from '#infra/event-store/event-store.ts'
import type { ReadModelStore } from '#infra/read-model-store/read-model-store.ts'
import type { PersonKeys } from '#services/event-sourcing/crypto-shredding/person-keys.ts'
import type { PolicyParts } from '#services/portal/parts.ts'
import type { TimeParts } from '#services/trading/parts.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { createImportConsumer } from '#services/trading/imports/server/import-consumer.ts'
import { expirePreviewsRegularly } from '#services/trading/imports/server/expired-previews.ts'
import { createWhatIfConsumer } from '#services/trading/what-if/server/what-if-consumer.ts'
import { allProjections, createReact } from '#services/portal/modules.ts'
import { createPolicySubscription } from './policy-subscription.ts'
import { createAttestationRequests, type AttestationRequestDependencies } from '#services/proof/attestation-requests.ts'
import type { SealingWatch } from '#services/proof/sealing-watch.ts'
import { createSealer, type SealerDependencies } from '#services/proof/sealer.ts'
import { runAsLeader } from '#services/event-sourcing/subscriptions/leader-election.ts'
import { type MailSenderDependencies, sendMails } from './mail/mail-sender.ts'
import { runProjector } from '#services/event-sourcing/read-models/projector.ts'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { decideByTime } from '#services/trading/findings/server/time-decisions.ts'
import { sealRegularly } from './sealing-schedule.ts'
import { type VerificationDependencies, verifyRegularly } from './verification-schedule.ts'
import { createOutboxFiller } from './mail/outbox-filler.ts'

export interface WorkerDependencies {
  readonly eventStore: EventStore
  readonly readModelStore: ReadModelStore
  readonly personKeys: PersonKeys
  readonly policyDependencies: PolicyParts
  readonly mail: MailSenderDependencies
  readonly sealing: SealerDependencies &
    AttestationRequestDependencies & { readonly watch: SealingWatch; readonly every: number }
  readonly time: Pick<TimeParts, 'repositories' | 'now'>
  readonly verification: VerificationDependencies & { readonly every: number }
  readonly log: Logger
  /** Deletes expired sessions. */
  readonly purgeSessions: () => Promise<void>
}

const HOUR = 60 * 60_000

/** Projects the log into the read models, runs policies, sends mail, seals and verifies the log, until `signal` aborts. */
export async function runWorker(dependencies: WorkerDependencies, signal: AbortSignal): Promise<void> {
  const {
    eventStore,
    readModelStore: store,
    personKeys,
    policyDependencies,
    mail,
    sealing,
    time,
    verification,
    log,
    purgeSessions,
  } = dependencies
  const { leases } = store
  const purge = () =>
    purgeSessions().catch((error: unknown) => log.warn({ err: error }, 'Expired sessions could not be deleted'))
  const purging = setInterval(purge, HOUR)
  const outbox = createOutboxFiller({ ...mail, eventStore })
  const policies = createPolicySubscription({
    outbox,
    policyDependencies,
    projections: allProjections,
    store,
    log,
  })
  const { repositories, files } = policyDependencies
  const react = createReact(policyDependencies)
  const readModels = createReadModels(store)
  const importRuns = createImportConsumer({ repositories, files, react, store, log })
  const whatIfs = createWhatIfConsumer({ repositories, readModels, files, store, log, now: time.now, signal })
  try {
    await Promise.all([
      runProjector({
        registry: eventRegistry,
        eventStore,
        store,
        personKeys,
        projections: allProjections,
        consumers: [policies, importRuns, whatIfs],
        signal,
        log,
      }),
      runAsLeader({ leases, name: 'sender of mail', log, signal }, (term) => sendMails(mail, term)),
      runAsLeader({ leases, name: 'clock of the rules', log, signal }, (term) =>
        decideByTime({ ...time, react, readModels, log }, term),
      ),
      runAsLeader({ leases, name: 'expiry of previews', log, signal }, (term) =>
        expirePreviewsRegularly({ ...time, readModels, log }, term),
      ),
      sealRegularly(createSealer(sealing), {
        leases,
        every: sealing.every,
        log,
        attestationRequests: createAttestationRequests(sealing),
        watch: sealing.watch,
        signal,
      }),
      verifyRegularly(verification, { leases, every: verification.every, signal }),
    ])
  } finally {
    clearInterval(purging)
  }
}
