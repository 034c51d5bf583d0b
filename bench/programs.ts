import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { DEMO_PASSWORD, demoKeys } from '../demo/demo-firm.ts'
import { type OnEnd, startChild } from '#test-support/child-process.ts'
import {
  ADMIN_KEY,
  type Program,
  type ProgramOptions,
  runProgram,
  startProgram as start,
} from '#test-support/program.ts'
import type { Service } from '#services/cli/server.ts'
import { freePort } from '#test-support/servers/ports.ts'
import { createClient, type SignedIn, signIn, signUpTraders, untilCaughtUp } from './clients.ts'

/** The processes that are measured. None of them shares an event loop with the benchmark. */

/** Starts the built program on a free port and returns once it is ready. It ends with the benchmark. */
export function startProgram(options: ProgramOptions): Promise<Program> {
  return start({ ...options, onEnd })
}

/** A portal with an administrator and traders, all visible. */
export interface Portal extends Program {
  readonly dataDir: string
  readonly admin: string
  readonly traders: readonly SignedIn[]
}

/**
 * Starts the portal with an empty log, and signs up so many traders.
 *
 * @param program The file of another version.
 */
export async function startPortal(
  traders: number,
  environment: Readonly<Record<string, string>> = {},
  program?: string,
): Promise<Portal> {
  const dataDir = scratchFolder('portal')
  const started = await startProgram({ dataDir, environment, ...(program !== undefined && { program }) })
  const admin = await signInAdmin(started.url)
  const signedUp = await signUpTraders(started.url, traders, admin)
  await untilCaughtUp(started.url, admin)
  return { ...started, dataDir, admin, traders: signedUp }
}

/** Runs a tool to its end. @throws {Error} with what it printed, when it fails. */
export async function runTool(...command: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await startChild(command, process.env, onEnd).finished
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${stdout}${stderr}`)
}

/** Starts the portal on prepared data with an administrator signed in, and waits until the whole log is visible. */
export async function openPortal(dataDir: string, environment: Readonly<Record<string, string>> = {}) {
  const program = await startProgram({ dataDir, environment })
  const cookie = await signInAdmin(program.url)
  await untilCaughtUp(program.url, cookie)
  return { ...program, cookie, ...createClient(program.url, cookie) }
}

/** Starts the query service on prepared data, with an administrator whom the command service has signed in. */
export async function openQueries(dataDir: string) {
  const query = await startProgram({ service: 'query', dataDir })
  const command = await startProgram({ service: 'command', dataDir })
  const cookie = await signInAdmin(command.url)
  await command.stop()
  return { ...query, ...createClient(query.url, cookie) }
}

/** Starts one service on the embedded stores. Its metrics are on the returned port. */
export async function startService(service: Service, dataDir: string): Promise<Program & { readonly metrics: number }> {
  const metrics = await freePort()
  const environment = { METRICS_PORT: String(metrics) }
  return { ...(await startProgram({ service, dataDir, environment })), metrics }
}

/** Starts a worker and waits until the whole log is visible. */
export async function projectAll(dataDir: string): Promise<void> {
  const worker = await startService('worker', dataDir)
  await untilCaughtUp(`http://127.0.0.1:${worker.metrics}`)
  await worker.stop()
}

const atExit = "process.on('exit',()=>console.error('\\npeak memory '+process.resourceUsage().maxRSS+' kB'))"

interface CommandOptions {
  /** Exit codes that are expected; 0 unless given. */
  readonly codes?: readonly number[]
  /** For output that is too long to be kept. */
  readonly outputIsDropped?: boolean
}

/**
 * Runs a command of the program and returns what it prints, its time in ms and its peak memory in MB.
 *
 * @throws {Error} with what it printed, when it ends with a code that is not expected.
 */
export async function runCommand(
  words: readonly string[],
  dataDir: string,
  { codes = [0], outputIsDropped = false }: CommandOptions = {},
): Promise<{ output: string; ms: number; memory: number }> {
  const began = performance.now()
  const environment = {
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(atExit)}`,
  }
  const before = outputIsDropped ? 'exec >/dev/null' : undefined
  const { code, stdout, stderr } = await runProgram(words, environment, before, onEnd)
  if (code === null || !codes.includes(code))
    throw new Error(`proofdesk ${words.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  const memory = Number(/\npeak memory (\d+) kB\s*$/.exec(stderr)?.[1]) / 1024
  return { output: stdout, ms: performance.now() - began, memory }
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

/** A server beside the program. */
export interface Server {
  readonly url: string
  stop(): Promise<unknown>
}

/** Starts a server of floor.child.ts. @param options What the server parses. */
export async function startFloor(options: unknown): Promise<Server> {
  const floor = fileURLToPath(new URL('./floor.child.ts', import.meta.url))
  const child = startChild([process.execPath, '--import', 'tsx', floor, JSON.stringify(options)], process.env, onEnd)
  return { url: await child.says(/listens at (\S+)/), stop: () => child.end('SIGTERM') }
}

const scratch = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'proofdesk-bench-'))
const cleanups: Parameters<OnEnd>[0][] = [() => rmSync(scratch, { recursive: true, force: true })]
const onEnd: OnEnd = (clean) => void cleanups.unshift(clean)
process.once('exit', () => {
  for (const clean of cleanups) void clean()
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** A new folder that is removed when the benchmark ends. */
export function scratchFolder(name: string): string {
  return mkdtempSync(join(scratch, `${name}-`))
}
