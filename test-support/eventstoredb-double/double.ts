import { setTimeout as delay } from 'node:timers/promises'
import { openRelay } from '#test-support/servers/relay.ts'
import { EventLog } from './log.ts'
import { type Controls, serve } from './server.ts'

/**
 * An EventStoreDB for tests. It speaks the part of the protocol of 24.10.4 that our event store uses, and answers as
 * the recorded server did (recording.test.ts). A relay in front keeps its address while it dies, hangs and returns.
 */
export type EventStoreDouble = Awaited<ReturnType<typeof startDouble>>

/** Starts a double on a free port of this machine, its log in memory. */
export async function startDouble() {
  const log = new EventLog()
  const controls: Controls = { calls: [], featuresToFail: 0, answersToLose: 0 }
  const relay = await openRelay(() => server.port)
  let server = await serve(log, controls, 0, relay.port)
  /** Resets all connections at once, as kill -9 does. */
  const kill = (): void => {
    relay.refuse()
    server.close()
  }
  return Object.assign(controls, {
    /** The same after a restart. */
    url: `esdb://127.0.0.1:${relay.port}?tls=false`,
    /** The same as a cluster of which only this host answers: the client asks each who the leader is. */
    clusterUrl: `esdb://127.0.0.1:1,127.0.0.1:${relay.port}?tls=false`,
    log,
    /** Network faults, on demand. */
    relay,
    /** Every subscription ends without an error. */
    endSubscriptions: () => server.endSubscriptions(),
    kill,
    /** Ends all calls with an error first, as SIGTERM does. */
    async stop() {
      server.breakCalls()
      // The last messages still arrive.
      await delay(50)
      kill()
    },
    /** After kill or stop: serves the same address again, with its log or an empty one. */
    async restart({ wiped } = { wiped: false }) {
      if (wiped) log.wipe()
      server = await serve(log, controls, 0, relay.port)
      relay.accept()
    },
    async close() {
      server.close()
      await relay.close()
    },
  })
}
