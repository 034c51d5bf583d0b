import { pause } from '#infra/async.ts'
import type { LeaseStore } from '#infra/read-model-store/read-model-store.ts'
import type { AttestationRequests } from '#services/proof/attestation-requests.ts'
import type { SealingWatch } from '#services/proof/sealing-watch.ts'
import type { Sealer } from '#services/proof/sealer.ts'
import { runAsLeader } from '#services/event-sourcing/subscriptions/leader-election.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'

export interface SealingOptions {
  readonly leases: LeaseStore
  /** The interval between two seals, in ms. */
  readonly every: number
  readonly log: Log
  /** Asks others to attest the newest checkpoint. Sealing never waits for them. */
  readonly attestationRequests: AttestationRequests
  /** Learns how it goes. */
  readonly watch: SealingWatch
  readonly signal: AbortSignal
}

/**
 * Seals the log at intervals, and once more at the end. One worker does it, the others stand by: two would do no harm,
 * but duplicate the work. Failures are retried at the next interval.
 */
export function sealRegularly(
  sealer: Sealer,
  { leases, every, log, attestationRequests, watch, signal }: SealingOptions,
): Promise<void> {
  const seal = async (): Promise<void> => {
    try {
      const seals = await sealer.sealAll()
      if (seals > 0) log.info({ seals }, 'The log was sealed')
      watch.sealed()
    } catch (error) {
      watch.sealed(error)
      log.error({ err: error }, 'The log could not be sealed')
    }
  }
  return runAsLeader({ leases, name: 'sealer', signal, log }, async (term) => {
    // At least once: a process may be about to end when it becomes the sealer.
    do {
      if (!term.aborted) attestationRequests.begin(term)
      await pause(every, term)
      // Not when another worker has taken over: that one seals now.
      if (!term.aborted || signal.aborted) await seal()
    } while (!term.aborted)
    await attestationRequests.ended()
    await watch.ended()
  })
}
