import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** Starts EventStoreDB's double as a process of its own on a free port: killed and started again it has its log. */
export function startEventStore(): Promise<ServerProcess> {
  const script = fileURLToPath(new URL('../event-store/double/double.child.ts', import.meta.url))
  return startServerProcess({
    command: process.execPath,
    argumentsFor: (port, folder) => ['--import', 'tsx', script, String(port), join(folder, 'log')],
  })
}
