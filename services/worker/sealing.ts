import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { ViewStore } from '../../infra/view-store/view-store.ts'
import type { Sealer } from '../proof/sealer.ts'
import { type Log, pause } from './projector-lanes.ts'

export interface SealingOptions {
  readonly leases: Pick<ViewStore, 'lease' | 'release'>
  /** What is recorded is sealed after so many ms at the latest. */
  readonly every: number
  readonly log: Log
  readonly signal: AbortSignal
}

const LEASE = 'sealer'

/**
 * Seals at intervals, and once more at the end. One worker does it, others stand by: two would do no harm, but work in
 * vain. What fails is tried again at the next turn, for nothing that was recorded is lost by it.
 */
export async function sealRegularly(sealer: Sealer, { leases, every, log, signal }: SealingOptions): Promise<void> {
  const holder = `${hostname()}:${process.pid}:${randomUUID()}`
  const seal = async (): Promise<void> => {
    try {
      if (!(await leases.lease(LEASE, holder, every * 3))) return
      const made = await sealer.sealAll()
      if (made > 0) log.info({ seals: made }, 'The log was sealed')
    } catch (error) {
      log.error({ err: error }, 'The log could not be sealed')
    }
  }
  while (!signal.aborted) {
    await pause(every, signal)
    await seal()
  }
  await leases.release(LEASE, holder).catch((error: unknown) => log.warn({ err: error }, 'The lease of the sealer was not given back'))
}
