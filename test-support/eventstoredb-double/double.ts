import { setTimeout as delay } from 'node:timers/promises'
import { openRelay, type Relay } from '../servers/relay.ts'
import { type EventLog, openEventLog } from './log.ts'
import { type Controls, serve } from './server.ts'

/**
 * An EventStoreDB for tests. It speaks the part of the protocol of 24.10.4 that our event store uses, and answers as
 * the recorded server did (recording.test.ts). A relay in front keeps its address while it dies, hangs and returns.
 */
export interface EventStoreDouble extends Controls {
  /** 'esdb://127.0.0.1:…?tls=false', the same after a restart. */
  readonly url: string
  readonly log: EventLog
  /** Network faults, on demand. */
  readonly relay: Relay
  /** Every subscription ends without an error. */
  endSubscriptions(): void
  /** Resets all connections at once, as kill -9 does. */
  kill(): void
  /** Ends all calls with an error first, as SIGTERM does. */
  stop(): Promise<void>
  /** After kill or stop: serves the same address again, with its log or an empty one. */
  restart(options?: { readonly wiped: boolean }): Promise<void>
  close(): Promise<void>
}

/** Starts a double on a free port of this machine, its log in memory. */
export async function startDouble(): Promise<EventStoreDouble> {
  const log = openEventLog()
  const controls: Controls = { calls: [], featuresToFail: 0 }
  let server = await serve(log, controls)
  const relay = await openRelay(() => server.port)
  const kill = (): void => {
    relay.refuse()
    server.close()
  }
  return Object.assign(controls, {
    url: `esdb://127.0.0.1:${relay.port}?tls=false`,
    log,
    relay,
    endSubscriptions: () => server.endSubscriptions(),
    kill,
    async stop() {
      server.breakCalls()
      // The last messages still arrive.
      await delay(50)
      kill()
    },
    async restart({ wiped } = { wiped: false }) {
      if (wiped) log.wipe()
      server = await serve(log, controls)
      relay.accept()
    },
    async close() {
      server.close()
      await relay.close()
    },
  })
}
