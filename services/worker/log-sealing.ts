import type { ViewStore } from '../../infra/read-model-store/read-model-store.ts'
import type { Sealer } from '../proof/sealer.ts'
import { runAsLeader } from '../event-sourcing/subscriptions/leader-election.ts'
import { type Log, pause } from '../event-sourcing/subscriptions/shared-subscription.ts'

export interface SealingOptions {
  readonly leases: Pick<ViewStore, 'lease' | 'release'>
  /** What is recorded is sealed after so many ms at the latest. */
  readonly every: number
  readonly log: Log
  readonly signal: AbortSignal
}

/**
 * Seals at intervals, and once more at the end. One worker does it, others stand by: two would do no harm, but work in
 * vain. What fails is tried again at the next turn, for nothing that was recorded is lost by it.
 */
export function sealRegularly(sealer: Sealer, { leases, every, log, signal }: SealingOptions): Promise<void> {
  const seal = async (): Promise<void> => {
    try {
      const made = await sealer.sealAll()
      if (made > 0) log.info({ seals: made }, 'The log was sealed')
    } catch (error) {
      log.error({ err: error }, 'The log could not be sealed')
    }
  }
  return runAsLeader({ leases, name: 'sealer', signal, log }, async (term) => {
    while (!term.aborted) {
      await pause(every, term)
      // Not at the end of a term that another has taken over: sealing is the other's affair now.
      if (!term.aborted || signal.aborted) await seal()
    }
  })
}
