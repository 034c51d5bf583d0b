import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startDouble } from '../eventstoredb-double/double.ts'
import { isWanted } from './images.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** Starts the double of EventStoreDB, or a real one, as a process on a free port. It keeps its log over a restart. */
export async function startEventStore(): Promise<ServerProcess> {
  if (isWanted('eventstore')) return (await import('./containers.ts')).startEventStoreContainer()
  const script = fileURLToPath(new URL('../eventstoredb-double/double.child.ts', import.meta.url))
  return startServerProcess({
    command: process.execPath,
    argumentsFor: (port, folder) => ['--import', 'tsx', script, String(port), join(folder, 'log')],
  })
}

/** An empty EventStoreDB that no test kills: the double in this process, or a real one. */
export async function newEventStore(): Promise<{ readonly url: string; close(): Promise<void> }> {
  if (!isWanted('eventstore')) return startDouble()
  const { port, close } = await startEventStore()
  return { url: `esdb://127.0.0.1:${port}?tls=false`, close }
}
