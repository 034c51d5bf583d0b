import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startDouble } from '../eventstoredb-double/double.ts'
import { isWanted } from './images.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const double = fileURLToPath(new URL('../eventstoredb-double/double.child.ts', import.meta.url))

/** Starts the double of EventStoreDB, or a real one, as a process on a free port. It keeps its log over a restart. */
export function startEventStore(): Promise<ServerProcess> {
  const environment = { EVENTSTORE_INSECURE: 'true', EVENTSTORE_RUN_PROJECTIONS: 'None', EVENTSTORE_TELEMETRY_OPTOUT: 'true' }
  return startServer({
    command: process.execPath,
    argumentsFor: (port, folder) => ['--import', 'tsx', double, String(port), join(folder, 'log')],
    images: { eventstore: { inside: 2113, environment, ready: { path: '/health/live' } } },
  })
}

/** An empty EventStoreDB that no test kills: the double in this process, or a real one. */
export async function newEventStore(): Promise<{ readonly url: string; close(): Promise<void> }> {
  if (!isWanted('eventstore')) return startDouble()
  const { port, close } = await startEventStore()
  return { url: `esdb://127.0.0.1:${port}?tls=false`, close }
}
