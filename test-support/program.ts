import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { Service } from '#services/cli/server.ts'
import { type Child, type Finished, type OnEnd, startChild } from './child-process.ts'

/** The built program as processes, for tests that kill it, limit it, or run it as an operator does. */

const launcher = fileURLToPath(new URL('../services/launch.mjs', import.meta.url))
/** Run directly after {@link buildProgram}: an edit during the tests must not start another build. */
const built = fileURLToPath(new URL('../dist/services/cli.js', import.meta.url))

/** The access key of an administrator of these portals. */
export const ADMIN_KEY = 'a-key-for-tests-only'

const defaults = {
  PORT: '0',
  HOST: '127.0.0.1',
  ADMIN_ACCESS_KEY: ADMIN_KEY,
  REGISTRATIONS_PER_HOUR: '0',
  TRADER_CHANGES_PER_HOUR: '0',
  LOG_LEVEL: 'warn',
}

export interface Program extends Omit<Child, 'finished' | 'says' | 'end'> {
  /** The address in its ready line. */
  readonly url: string
  /** Ms from its start to its ready line. */
  readonly readyAfter: number
  /** Kills it with SIGKILL. */
  kill(): Promise<void>
  /** Stops it with SIGTERM. Returns its exit code. */
  stop(): Promise<number | null>
}

export interface ProgramOptions {
  readonly dataDir: string
  readonly environment?: Readonly<Record<string, string>>
  /** Only this service; else all three in one process. */
  readonly service?: Service
  /** 'start' unless given. */
  readonly command?: 'start' | 'demo'
  /** The file of another version of the program. */
  readonly program?: string
  /** A line of bash that runs first in the same process: 'ulimit -f 100'. */
  readonly before?: string
  /** Registers the cleanup that ends it; by default at the end of the test. */
  readonly onEnd?: OnEnd
}

/** Registers cleanups after all tests of the surrounding `describe`, for what `beforeAll` starts. */
export function afterSuite(): OnEnd {
  const cleanups: Parameters<OnEnd>[0][] = []
  afterAll(async () => {
    for (const clean of cleanups.toReversed()) await clean()
  })
  return (clean) => void cleanups.push(clean)
}

/** Builds the program if needed. For `beforeAll`, so that no test spends its time on it. */
export async function buildProgram(): Promise<void> {
  const { code, stderr } = await startChild([process.execPath, launcher, '--build-only'], process.env).finished
  if (code !== 0) throw new Error(`The build failed: ${stderr}`)
}

/** A started program that may not be ready yet. */
export interface Launched extends Omit<Program, 'url' | 'readyAfter'> {
  /** Its address once it is ready. @throws {Error} with its output when it ends instead. */
  readonly ready: Promise<string>
}

/** Starts the portal, or one of its services, without waiting for it. */
export function launchProgram({
  dataDir,
  environment = {},
  service,
  command = 'start',
  program = built,
  before,
  onEnd,
}: ProgramOptions): Launched {
  const child = spawned(
    [program, command, ...(service ? [service] : [])],
    { ...defaults, DATA_DIR: dataDir, ...environment },
    before,
    onEnd,
  )
  const ready = child.says(/is ready at (http\S+)/)
  // A caller may never ask for it.
  ready.catch(() => {})
  return { ...child, ready, kill: async () => void (await child.end('SIGKILL')), stop: () => child.end('SIGTERM') }
}

/**
 * Starts the portal or one service on a free port and waits until it is ready.
 *
 * @throws {Error} with its output when it ends instead.
 */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const began = performance.now()
  const { ready, ...program } = launchProgram(options)
  return { ...program, url: await ready, readyAfter: performance.now() - began }
}

/** One portal for all tests of a `describe`. Call the returned function in tests only. */
export function sharedProgram(
  environment: Readonly<Record<string, string>> = {},
): () => { readonly portal: Program; readonly dataDir: string } {
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

/** Starts a program and kills it after this many ms, ready or not. */
export async function killWhileStarting(options: ProgramOptions, ms: number): Promise<void> {
  const { kill } = launchProgram(options)
  await delay(ms)
  await kill()
}

/** Runs a command as a process of its own. */
export function runProgram(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  before?: string,
  onEnd?: OnEnd,
): Promise<Finished> {
  return spawned([built, ...command], environment, before, onEnd).finished
}

/** Runs a command as an operator does: through the launcher, which builds the program if needed. */
export function runLauncher(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  return startChild([process.execPath, launcher, ...command], { PATH: process.env['PATH'], ...environment }).finished
}

/** A new folder that is removed after the test, or by `onEnd`. */
export function temporaryFolder(onEnd: OnEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'proofdesk-program-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a file with its words and with these variables only. It ends with the test at the latest. */
function spawned(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  before: string | undefined,
  onEnd: OnEnd = onTestFinished,
): Child {
  const prefix = before === undefined ? [] : ['bash', '-c', `${before}; exec "$@"`, 'bash']
  return startChild(
    [...prefix, process.execPath, ...command],
    { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    onEnd,
  )
}
