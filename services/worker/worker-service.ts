import type { Dependencies } from '#services/portal/composition-root.ts'
import { purgeSessions } from '#services/identity/authentication/sessions.ts'
import { eventRegistry } from '#services/oversight/event-catalogue.ts'
import { createImportConsumer } from '#services/trading/imports/server/run-import.ts'
import { expirePreviewsRegularly } from '#services/trading/imports/server/expired-previews.ts'
import { createWhatIfConsumer } from '#services/trading/what-if/server/what-if-consumer.ts'
import { allProjections, createReact } from '#services/portal/modules.ts'
import { createPolicySubscription } from './policy-subscription.ts'
import { createAttestationRequests } from '#services/proof/attestation-requests.ts'
import { askedStores } from '#services/proof/foreign-content.ts'
import { createSealingWatch } from '#services/proof/sealing-watch.ts'
import { createSealer } from '#services/proof/sealer.ts'
import { runAsLeader } from '#services/event-sourcing/subscriptions/leader-election.ts'
import { sendMails } from './mail/mail-sender.ts'
import { runProjector } from '#services/event-sourcing/read-models/projector.ts'
import { createReadModels } from '#services/event-sourcing/read-models/read-model-reader.ts'
import { decideByTime } from '#services/trading/findings/server/time-decisions.ts'
import { watchPromises } from '#services/payments/payouts/server/promise-clock.ts'
import { compareRegularly } from './comparison-schedule.ts'
import { sealRegularly } from './sealing-schedule.ts'
import { verifyRegularly } from './verification-schedule.ts'
import { createQueuedMails } from './mail/mail-suppression.ts'
import { createOutboxFiller } from './mail/outbox-filler.ts'

const HOUR = 60 * 60_000

/** Projects the log into the read models, runs policies, sends mail, seals and verifies the log, compares the read models with it, until `signal` aborts. */
export async function runWorker(parts: Dependencies & { readonly publicUrl: URL }, signal: AbortSignal): Promise<void> {
  const { eventStore, readModelStore: store, personKeys, policyDependencies, config, sessionStore, log, now } = parts
  const { leases } = store
  const purge = () =>
    purgeSessions(sessionStore, now()).catch((error: unknown) =>
      log.warn({ err: error }, 'Expired sessions could not be deleted'),
    )
  const purging = setInterval(purge, HOUR)
  const queuedMails = createQueuedMails()
  const outbox = createOutboxFiller({ ...parts, queuedMails })
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
  const whatIfs = createWhatIfConsumer({ repositories, readModels, files, store, log, now, signal })
  const time = { repositories, now, react, readModels, log }
  const witnesses = parts.witnesses.filter(({ url }) => url).map(({ name }) => name)
  const watch = createSealingWatch({ ...parts, witnesses })
  const sealing = { ...parts, origin: parts.logOrigin, checkpoints: store.checkpoints, watch }
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
      runAsLeader({ leases, name: 'sender of mail', log, signal }, (term) =>
        sendMails({ ...parts, queuedMails }, term),
      ),
      runAsLeader({ leases, name: 'clock of the rules', log, signal }, (term) => decideByTime(time, term)),
      runAsLeader({ leases, name: 'clock of promises', log, signal }, (term) => watchPromises(time, term)),
      runAsLeader({ leases, name: 'expiry of previews', log, signal }, (term) => expirePreviewsRegularly(time, term)),
      sealRegularly(createSealer(sealing), {
        leases,
        every: config.sealSeconds * 1_000,
        log,
        attestationRequests: createAttestationRequests(sealing),
        watch,
        signal,
      }),
      verifyRegularly(
        { ...parts, stores: askedStores(parts) },
        { leases, every: config.verifySeconds * 1_000, signal },
      ),
      compareRegularly(
        { ...parts, registry: eventRegistry, store, projections: allProjections },
        { leases, every: config.verifySeconds * 1_000, signal },
      ),
    ])
  } finally {
    clearInterval(purging)
  }
}
