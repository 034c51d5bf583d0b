import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { Service } from '../services/server.ts'

/** The built program as processes of their own, for tests that kill it, starve it, or run it as an operator does. */

const launcher = fileURLToPath(new URL('../services/launch.mjs', import.meta.url))
/** Run directly, for {@link buildProgram} has built it: an edit while the tests run must not start another build. */
const program = fileURLToPath(new URL('../dist/services/cli.js', import.meta.url))

/** The key that opens the portals started here for administrators. */
export const ADMIN_KEY = 'a-key-for-tests-only'

const defaults = { PORT: '0', HOST: '127.0.0.1', ADMIN_ACCESS_KEY: ADMIN_KEY, REGISTRATIONS_PER_HOUR: '0', TRADER_CHANGES_PER_HOUR: '0', LOG_LEVEL: 'warn' }

export interface Program {
  /** Where it says that it listens. */
  readonly url: string
  readonly pid: number
  /** Ms from its start to its ready line. */
  readonly readyAfter: number
  /** Whether it still runs. */
  running(): boolean
  /** All that it said so far. */
  output(): string
  /** Ends it as a power cut would: SIGKILL. */
  kill(): Promise<void>
  /** Asks it to end, and answers its exit code. */
  stop(): Promise<number | null>
  /** Takes the processor from it, as a machine that stands still does: SIGSTOP, until {@link resume}. */
  pause(): void
  resume(): void
}

export interface ProgramOptions {
  readonly dataDir: string
  readonly environment?: Readonly<Record<string, string>>
  /** Only this service; else all three in one process. */
  readonly service?: Service
  /** 'start' unless given. */
  readonly command?: 'start' | 'demo'
  /** A line of bash that runs first, in the same process: 'ulimit -f 100'. */
  readonly before?: string
  /** Registers what ends it should the test not do so itself; the end of the test unless given. */
  readonly onEnd?: OnEnd
}

export type OnEnd = (clean: () => void | Promise<void>) => void

/** Registers what is cleaned up after all tests of the `describe` that this is called in. For what `beforeAll` starts. */
export function afterSuite(): OnEnd {
  const cleanups: Parameters<OnEnd>[0][] = []
  afterAll(async () => {
    for (const clean of cleanups.toReversed()) await clean()
  })
  return (clean) => void cleanups.push(clean)
}

/** Builds what is missing, so that no test's time is spent on it. For `beforeAll`. */
export async function buildProgram(): Promise<void> {
  const { code, stderr } = await finished(spawn(process.execPath, [launcher, '--build-only'], { stdio: 'pipe' }))
  if (code !== 0) throw new Error(`The build failed: ${stderr}`)
}

/** What was started and may not be ready yet. */
export interface Launched extends Omit<Program, 'url' | 'readyAfter'> {
  /** Where it says that it listens, once it is ready. @throws {Error} with what it said when it ends instead. */
  readonly ready: Promise<string>
}

/** Starts the portal, or one of its services, without waiting for it. */
export function launchProgram({ dataDir, environment = {}, service, command = 'start', before, onEnd }: ProgramOptions): Launched {
  const child = spawned(service ? [command, service] : [command], { ...defaults, DATA_DIR: dataDir, ...environment }, before, onEnd)
  const { pid } = child
  if (pid === undefined) throw new Error('The program could not be started')
  const exited = once(child, 'exit')
  let output = ''
  const ready = new Promise<string>((resolve, reject) => {
    const hear = (text: string) => {
      output += text
      const [, found] = /is ready at (http\S+)/.exec(output) ?? []
      if (found !== undefined) resolve(found)
    }
    child.stdout?.setEncoding('utf8').on('data', hear)
    child.stderr?.setEncoding('utf8').on('data', hear)
    child.once('close', (code, signal) => reject(new Error(`It ended with ${signal ?? code} instead of getting ready:\n${output}`)))
  })
  // A caller may never ask for it.
  ready.catch(() => {})
  const running = () => child.exitCode === null && child.signalCode === null
  const end = async (signal: NodeJS.Signals) => {
    if (running()) child.kill(signal)
    await exited
    return child.exitCode
  }
  return {
    ready,
    pid,
    running,
    output: () => output,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  }
}

/** Starts the portal, or one of its services, on a free port and waits for its ready line. @throws {Error} with what it said when it ends instead. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const began = performance.now()
  const { ready, ...program } = launchProgram(options)
  return { ...program, url: await ready, readyAfter: performance.now() - began }
}

/** One portal in a folder of its own for all tests of a `describe`; what it answers may be called in tests only. */
export function sharedProgram(environment: Readonly<Record<string, string>> = {}): () => { readonly portal: Program; readonly dataDir: string } {
  let shared: { readonly portal: Program; readonly dataDir: string } | undefined
  const onEnd = afterSuite()
  beforeAll(async () => {
    const dataDir = temporaryFolder(onEnd)
    shared = { portal: await startProgram({ dataDir, environment, onEnd }), dataDir }
  })
  return () => {
    if (!shared) throw new Error('The portal runs in tests only')
    return shared
  }
}

/** Starts it and kills it after so many ms, ready or not. */
export async function killWhileStarting({ dataDir, environment = {}, service }: ProgramOptions, ms: number): Promise<void> {
  const child = spawned(service ? ['start', service] : ['start'], { ...defaults, DATA_DIR: dataDir, ...environment }, undefined)
  const exited = once(child, 'exit')
  setTimeout(() => child.kill('SIGKILL'), ms)
  await exited
}

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command of the command line to its end. */
export function runProgram(command: readonly string[], environment: Readonly<Record<string, string>>, before?: string): Promise<Finished> {
  return finished(spawned(command, environment, before))
}

/** Runs a command of the command line as an operator does: by the launcher, which builds what is missing first. */
export function runLauncher(command: readonly string[], environment: Readonly<Record<string, string>>): Promise<Finished> {
  return finished(spawn(process.execPath, [launcher, ...command], { env: { PATH: process.env['PATH'] ?? '', ...environment }, stdio: 'pipe' }))
}

/** A folder that is gone after the test, or when `onEnd` says. */
export function temporaryFolder(onEnd: OnEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-program-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** With no variables but those given, and never outliving the test. */
function spawned(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  before: string | undefined,
  onEnd: OnEnd = onTestFinished,
): ChildProcess {
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...environment }
  const child =
    before === undefined
      ? spawn(process.execPath, [program, ...command], { env, stdio: ['ignore', 'pipe', 'pipe'] })
      : spawn('bash', ['-c', `${before}; exec "$@"`, 'bash', process.execPath, program, ...command], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  onEnd(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  })
  return child
}

async function finished(child: ChildProcess): Promise<Finished> {
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  await once(child, 'close')
  return { code: child.exitCode, stdout, stderr }
}
