import { openRelay, type Relay } from '../servers/relay.ts'
import { type EventLog, openEventLog } from './log.ts'
import { type Call, type Faults, type GrpcServer, serve } from './server.ts'

/**
 * An EventStoreDB for tests: it speaks the protocol of 24.10.4 and answers as that one did (see ../recording). A relay
 * stands before it, so that it can die, hang and come back at the same address.
 */
export interface EventStoreDouble {
  /** The same for all its life: 'esdb://127.0.0.1:…?tls=false'. */
  readonly url: string
  readonly log: EventLog
  /** Faults of the network, on demand. */
  readonly relay: Relay
  /** Every read and append so far; subscriptions are not among them. */
  readonly calls: readonly Call[]
  /** Mistakes of the server, on demand. */
  readonly faults: Faults
  /** Every subscription ends without an error. */
  endSubscriptions(): void
  /** Gone at once, as by kill -9: connections are reset without a word. */
  kill(): Promise<void>
  /** Gone as by SIGTERM. */
  stop(): Promise<void>
  /** As SIGSTOP: nothing is answered, nothing is closed. */
  freeze(): Promise<void>
  /** As SIGCONT. */
  thaw(): Promise<void>
  /** After kill or stop: at the same address again, with its log or as a new server. */
  restart(options?: { readonly wiped: boolean }): Promise<void>
  close(): Promise<void>
}

/** Starts one on a free port of this machine, its log in memory or, with a path, in that file. */
export async function startDouble(path?: string): Promise<EventStoreDouble> {
  const log = openEventLog(path)
  const faults: Faults = { featuresToFail: 0 }
  const calls: Call[] = []
  const count = (call: Call) => void calls.push(call)
  let server: GrpcServer = await serve(log, faults, { count })
  const relay = await openRelay(() => server.port)
  return {
    url: `esdb://127.0.0.1:${relay.port}?tls=false`,
    log,
    relay,
    calls,
    faults,
    endSubscriptions: () => server.endSubscriptions(),
    async kill() {
      relay.refuse()
      server.close()
    },
    async stop() {
      server.breakCalls()
      // What was said last still arrives.
      await new Promise((resolve) => setImmediate(() => setTimeout(resolve, 50)))
      relay.refuse()
      server.close()
    },
    freeze: async () => relay.freeze(),
    thaw: async () => relay.thaw(),
    async restart({ wiped } = { wiped: false }) {
      log.restart({ wiped })
      server = await serve(log, faults, { count })
      relay.accept()
    },
    async close() {
      server.close()
      await relay.close()
    },
  }
}
