import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { DEMO_PASSWORD, demoKeys } from '../services/demo/demo-firm.ts'
import { ADMIN_KEY, type Program, type ProgramOptions, startProgram as start } from '../test-support/program.ts'
import { startEventStore } from '../test-support/servers/event-store.ts'
import { freePort } from '../test-support/servers/ports.ts'
import { signIn, untilCaughtUp } from './clients.ts'

/** The processes that are measured. None of them shares an event loop with the benchmark. */

/** Starts the built program on a free port and returns once it is ready. It ends with the benchmark. */
export function startProgram(options: ProgramOptions): Promise<Program> {
  return start({ ...options, onEnd: (clean) => void process.once('exit', () => void clean()) })
}

/** Starts a worker and waits until the whole log is visible. */
export async function projectAll(dataDir: string): Promise<void> {
  const port = await freePort()
  const worker = await startProgram({ service: 'worker', dataDir, environment: { METRICS_PORT: String(port) } })
  await untilCaughtUp(`http://127.0.0.1:${port}`)
  await worker.stop()
}

const RESULT = /\npeak memory (\d+) kB\s*$/

/**
 * Runs a command of the program and returns what it prints, its time in ms and its peak memory in MB.
 *
 * @throws {Error} with what it printed, when it ends with a code that is not expected.
 */
export async function runCommand(
  words: readonly string[],
  dataDir: string,
  codes: readonly number[] = [0],
): Promise<{ output: string; ms: number; memory: number }> {
  const atExit = "data:text/javascript,process.on('exit',()=>console.log('\\npeak memory '+process.resourceUsage().maxRSS+' kB'))"
  const began = performance.now()
  const child = spawn(process.execPath, ['--import', atExit, 'services/launch.mjs', ...words], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  stopping(child)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [code] = z
    .tuple([z.number().nullable()])
    .rest(z.unknown())
    .parse(await once(child, 'close'))
  const output = Buffer.concat(chunks).toString()
  if (code === null || !codes.includes(code)) throw new Error(`proofdesk ${words.join(' ')} ended with ${code}: ${output}`)
  return { output, ms: performance.now() - began, memory: Number(RESULT.exec(output)?.[1]) / 1024 }
}

/** The session cookie of an administrator. */
export async function signInAdmin(url: string): Promise<string> {
  return (await signIn(url, '/api/admin/login', { accessKey: ADMIN_KEY })).cookie
}

/** A made-up firm as `npm run demo` starts it, with a trader and an administrator signed in. */
export async function startDemo(): Promise<Program & { readonly trader: string; readonly admin: string }> {
  const dataDir = join(scratchFolder('demo'), 'firm')
  const program = await startProgram({ command: 'demo', dataDir })
  const note = z.object({ traders: z.array(z.object({ email: z.string() })) })
  const { traders } = note.parse(JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')))
  return {
    ...program,
    trader: (await signIn(program.url, '/api/login', { email: traders[0]?.email, password: DEMO_PASSWORD })).cookie,
    admin: (await signIn(program.url, '/api/admin/login', { accessKey: demoKeys[0]?.accessKey })).cookie,
  }
}

/** Starts the double of EventStoreDB; `url` is what EVENTSTORE_URL takes. */
export async function startEventStoreDouble(): Promise<Server> {
  const { port, close } = await startEventStore()
  return { url: `esdb://127.0.0.1:${port}?tls=false`, stop: close }
}

/** A server beside the program. */
interface Server {
  readonly url: string
  stop(): Promise<void>
}

/** Starts a server of floor.child.ts. @param options What the server parses. */
export async function startFloor(options: unknown): Promise<Server> {
  const child = fork(fileURLToPath(new URL('./floor.child.ts', import.meta.url)), [JSON.stringify(options)], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const stop = stopping(child)
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')])
  return { url: z.string().parse(message), stop }
}

const scratch = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'proofdesk-bench-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** A new folder that is removed when the benchmark ends. */
export function scratchFolder(name: string): string {
  return mkdtempSync(join(scratch, `${name}-`))
}

/** Ends a process; one that still runs when the benchmark ends is killed. */
function stopping(child: ChildProcess): () => Promise<void> {
  const ended = once(child, 'exit')
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  return async () => {
    child.kill('SIGTERM')
    await ended
    process.off('exit', kill)
  }
}
