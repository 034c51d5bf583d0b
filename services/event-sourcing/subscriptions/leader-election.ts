import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { hostname } from 'node:os'
import { pause } from '#infra/async.ts'
import type { LeaseStore } from '#infra/read-model-store/read-model-store.ts'
import type { Log } from '#services/event-sourcing/process-log.ts'

export interface LeaderElectionOptions {
  readonly leases: LeaseStore
  /** The name of the exclusive work in the log: 'projector'. */
  readonly name: string
  readonly log: Log
  readonly signal: AbortSignal
  /** How often a standby worker asks for the lease, in ms. */
  readonly pollInterval?: number | undefined
  /** How long the others wait for a renewal, in ms. */
  readonly leaseTime?: number | undefined
}

/**
 * Runs `work` while this worker is the leader, until `signal` aborts; other workers stand by. The signal of `work` also
 * aborts when another worker has taken over. Work that ends before that is started again.
 */
export async function runAsLeader(
  options: LeaderElectionOptions,
  work: (term: AbortSignal) => Promise<void>,
): Promise<void> {
  const { leases, name, signal, log, pollInterval = 500, leaseTime = 5_000 } = options
  // In this form others can see that the process is gone, and need not wait until the lease expires.
  const owner = `${hostname()}:${process.pid}:${randomUUID()}`
  let standingBy = false
  while (!signal.aborted) {
    try {
      if (await leases.acquire(name, owner, leaseTime)) {
        log.info({ owner }, `The ${name} is at work`)
        standingBy = false
        await workWhileLeader(options, owner, leaseTime, work)
      } else if (!standingBy) {
        log.info({ owner }, `Another ${name} is at work, this one stands by`)
        standingBy = true
      }
    } catch (error) {
      log.warn({ err: error }, `The lease of the ${name} could not be acquired`)
    }
    await pause(pollInterval, signal)
  }
}

/**
 * Works as long as the lease can be renewed. It is renewed until the work has ended, so that no other worker begins
 * before.
 */
async function workWhileLeader(
  { leases, name, signal, log }: LeaderElectionOptions,
  owner: string,
  leaseTime: number,
  work: (term: AbortSignal) => Promise<void>,
): Promise<void> {
  const lost = new AbortController()
  const ended = new AbortController()
  const term = AbortSignal.any([signal, lost.signal])
  // Every part of the work may listen to it: that is no leak.
  setMaxListeners(0, term)
  const working = work(term)
    .catch((error: unknown) => log.error({ err: error }, `The ${name} failed`))
    .finally(() => ended.abort())
  const ending = AbortSignal.any([ended.signal, lost.signal])
  for (let renewed = Date.now(); ;) {
    await pause(leaseTime / 4, ending)
    if (ending.aborted) break
    try {
      if (!(await leases.acquire(name, owner, leaseTime))) {
        log.warn({ owner }, `Another ${name} has taken over`)
        lost.abort()
      }
      renewed = Date.now()
    } catch (error) {
      log.warn({ err: error }, `The lease of the ${name} could not be renewed`)
      if (Date.now() - renewed > leaseTime) lost.abort()
    }
  }
  await working
  await leases
    .release(name, owner)
    .catch((error: unknown) => log.warn({ err: error }, `The lease of the ${name} could not be released`))
}
