import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { hostname } from 'node:os'
import type { ViewStore } from '../../../infra/read-model-store/read-model-store.ts'
import { type Log, pause } from './shared-subscription.ts'

export interface LeaderElectionOptions {
  readonly leases: Pick<ViewStore, 'lease' | 'release'>
  /** What is led, as it is called in the log: 'projector'. One of all workers does it. */
  readonly name: string
  readonly log: Log
  readonly signal: AbortSignal
  /** How often who stands by asks for the lease, in ms. */
  readonly pollInterval?: number | undefined
  /** How long others wait for a sign of life, in ms. */
  readonly leaseTime?: number | undefined
}

/**
 * Does some work wherever this worker is the one that does it, until `signal` aborts; the others stand by. `work` gets a
 * signal that aborts when another has taken over, and is begun again when it ends before.
 */
export async function runAsLeader(options: LeaderElectionOptions, work: (term: AbortSignal) => Promise<void>): Promise<void> {
  const { leases, name, signal, log, pollInterval = 500, leaseTime = 5_000 } = options
  // In this form it can be seen that the process is gone: then nobody has to wait for the lease to run out.
  const holder = `${hostname()}:${process.pid}:${randomUUID()}`
  let standingBy = false
  while (!signal.aborted) {
    try {
      if (await leases.lease(name, holder, leaseTime)) {
        log.info({ holder }, `The ${name} is at work`)
        standingBy = false
        await workWhileLeader(options, holder, leaseTime, work)
      } else if (!standingBy) {
        log.info({ holder }, `Another ${name} is at work, this one stands by`)
        standingBy = true
      }
    } catch (error) {
      log.warn({ err: error }, `The lease of the ${name} could not be asked for`)
    }
    await pause(pollInterval, signal)
  }
}

/** Works as long as the lease can be renewed. While the work is being finished it is renewed, too: nobody begins before that. */
async function workWhileLeader(
  { leases, name, signal, log }: LeaderElectionOptions,
  holder: string,
  leaseTime: number,
  work: (term: AbortSignal) => Promise<void>,
): Promise<void> {
  const lost = new AbortController()
  const ended = new AbortController()
  const term = AbortSignal.any([signal, lost.signal])
  // Whoever has a part in the work may listen to it: that is no leak.
  setMaxListeners(0, term)
  const working = work(term)
    .catch((error: unknown) => log.error({ err: error }, `The ${name} broke off`))
    .finally(() => ended.abort())
  const over = AbortSignal.any([ended.signal, lost.signal])
  for (let renewed = Date.now(); ;) {
    await pause(leaseTime / 4, over)
    if (over.aborted) break
    try {
      if (!(await leases.lease(name, holder, leaseTime))) {
        log.warn({ holder }, `Another ${name} has taken over`)
        lost.abort()
      }
      renewed = Date.now()
    } catch (error) {
      log.warn({ err: error }, `The lease of the ${name} could not be renewed`)
      if (Date.now() - renewed > leaseTime) lost.abort()
    }
  }
  await working
  await leases.release(name, holder).catch((error: unknown) => log.warn({ err: error }, `The lease of the ${name} was not given back`))
}
