import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startDouble } from '#test-support/eventstoredb-double/double.ts'
import { isWanted } from './images.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const double = fileURLToPath(new URL('../eventstoredb-double/double.child.ts', import.meta.url))

/** Starts the double of EventStoreDB, or a real one, as a process on a free port. It keeps its log over a restart. */
export async function startEventStore(): Promise<ServerProcess & { readonly url: string }> {
  const environment = {
    EVENTSTORE_INSECURE: 'true',
    EVENTSTORE_RUN_PROJECTIONS: 'None',
    EVENTSTORE_TELEMETRY_OPTOUT: 'true',
  }
  const server = await startServer({
    command: process.execPath,
    argumentsFor: (port, folder) => ['--import', 'tsx', double, String(port), join(folder, 'log')],
    images: { eventstore: { inside: 2113, environment, ready: { path: '/health/live' } } },
  })
  return { ...server, url: `esdb://127.0.0.1:${server.port}?tls=false` }
}

/** An empty EventStoreDB that no test kills: the double in this process, or a real one. */
export function newEventStore(): Promise<{ readonly url: string; close(): Promise<void> }> {
  return isWanted('eventstore') ? startEventStore() : startDouble()
}
