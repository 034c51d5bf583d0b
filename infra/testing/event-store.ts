import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** Starts EventStoreDB's double as a process of its own on a free port: killed and started again it has its log. */
export async function startEventStore(): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-event-store-'))
  const script = fileURLToPath(new URL('../event-store/double/double.child.ts', import.meta.url))
  const server = await startServerProcess({
    command: process.execPath,
    argumentsFor: (port) => ['--import', 'tsx', script, String(port), join(folder, 'log')],
  })
  return {
    ...server,
    async close() {
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
