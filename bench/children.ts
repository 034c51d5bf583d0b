import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'

/** Other processes: what is measured never shares an event loop with what measures it. */

/** One of the files `*.child.ts` of this folder at work. */
export interface Child {
  /** What it says next. @throws {Error} when it ends without another word. */
  said<Said>(schema: z.ZodType<Said>): Promise<Said>
  /** Tells it to go on. */
  goOn(): void
  /** Asks it to end, waits until it has, and answers its profile, if one was asked for. */
  stop(): Promise<string | undefined>
}

export interface ChildOptions {
  /** Record where its time goes. */
  readonly profile?: boolean
  /** More flags for node. */
  readonly flags?: readonly string[]
  /** Run its source instead of what was built of it. */
  readonly fromSources?: boolean
}

/** @param input What the child gets from {@link inputOf}. */
export function startChild(name: string, input: unknown, { profile = false, flags = [], fromSources = false }: ChildOptions = {}): Child {
  const folder = profile ? scratchFolder('profile') : undefined
  const file = fromSources ? join('bench', `${name}.child.ts`) : fileURLToPath(new URL(`./${name}.child${extname(import.meta.url)}`, import.meta.url))
  const execArgv = [...process.execArgv, ...(fromSources ? ['--import', 'tsx'] : []), ...flags, ...profiling(folder)]
  const child = fork(file, [JSON.stringify(input)], { execArgv, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const waiting: unknown[] = []
  let wake: () => void = () => {}
  child.on('message', (message) => {
    waiting.push(message)
    wake()
  })
  const ended = once(child, 'exit')
  child.once('exit', () => wake())
  return {
    async said(schema) {
      while (waiting.length === 0) {
        if (hasEnded(child)) throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}`)
        await new Promise<void>((resolve) => (wake = resolve))
      }
      return schema.parse(waiting.shift())
    },
    goOn: () => void child.send('go on'),
    async stop() {
      if (!hasEnded(child)) child.disconnect()
      await ended
      return folder && profileIn(folder)
    },
  }
}

/** Runs a child that says one thing and ends. */
export async function runChild<Said>(name: string, input: unknown, schema: z.ZodType<Said>, options?: ChildOptions): Promise<Said> {
  const child = startChild(name, input, options)
  const said = await child.said(schema)
  await child.stop()
  return said
}

/** For a child: what it was started with. */
export function inputOf<Input>(schema: z.ZodType<Input>): Input {
  // Without its parent there is nobody to work for. A profile is written at a regular exit.
  process.once('disconnect', () => process.exit())
  return schema.parse(JSON.parse(process.argv[2] ?? 'null'))
}

/** For a child: says something to its parent. */
export function say(said: unknown): void {
  process.send?.(said)
}

/** For a child: waits until it is told to go on. */
export async function told(): Promise<void> {
  await once(process, 'message')
}

/** The program as people start it. */
export interface Program {
  readonly url: string
  readonly pid: number
  /** Ends it and answers its profile, if one was asked for. */
  stop(): Promise<string | undefined>
}

export interface ProgramOptions {
  /** `start` unless said. */
  readonly command?: 'start' | 'demo'
  readonly service?: 'command' | 'query' | 'worker'
  readonly dataDir: string
  readonly adminKey: string
  readonly profile?: boolean
  /** How often the log is sealed. */
  readonly sealSeconds?: number
  /** More of its variables: where its stores are. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts the built program on a free port and answers once it is ready. */
export async function startProgram({
  command = 'start',
  service,
  dataDir,
  adminKey,
  profile = false,
  sealSeconds = 300,
  environment = {},
}: ProgramOptions): Promise<Program> {
  const folder = profile ? scratchFolder('profile') : undefined
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(process.execPath, [...profiling(folder), 'services/launch.mjs', command, ...(service ? [service] : [])], {
    env: {
      PATH,
      HOME,
      TMPDIR,
      DATA_DIR: dataDir,
      PORT: '0',
      HOST: '127.0.0.1',
      ADMIN_ACCESS_KEY: adminKey,
      REGISTRATIONS_PER_HOUR: '0',
      LOG_LEVEL: 'warn',
      SEAL_SECONDS: String(sealSeconds),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  // Should the bench fail, nothing of it stays behind.
  process.once('exit', () => child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)
  for await (const line of lines) {
    const [, url] = /is ready at (http:\S+)/.exec(line) ?? []
    if (url === undefined) continue
    child.stdout.resume()
    return {
      url,
      pid: child.pid ?? 0,
      async stop() {
        if (!hasEnded(child)) child.kill('SIGTERM')
        await ended
        return folder && profileIn(folder)
      },
    }
  }
  throw new Error('The program ended before it was ready')
}

const scratch = mkdtempSync(join(tmpdir(), 'proofdesk-bench-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** A folder of its own, on a disk, that goes when this process ends. */
export function scratchFolder(name: string): string {
  return mkdtempSync(join(scratch, `${name}-`))
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

function profiling(folder: string | undefined): string[] {
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500']
}

function profileIn(folder: string): string {
  const [file] = readdirSync(folder)
  if (file === undefined) throw new Error('The process left no profile')
  return join(folder, file)
}
