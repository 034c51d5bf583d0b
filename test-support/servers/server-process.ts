import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './ports.ts'

/** A real server as a process of its own on the loopback, for tests that kill it, pause it and bring it back. */
export interface ServerProcess {
  /** The same for all its life, however often it is started again. */
  readonly port: number
  /** Where it keeps what it keeps: empty at first, the same for all its life, and gone with {@link close}. */
  readonly folder: string
  /** Starts it again, and waits until it takes connections. */
  start(): Promise<void>
  /** Ends it as a power cut would. */
  kill(): Promise<void>
  /** Takes the processor from it: connections stay open and nothing is answered. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Asks it to end, and insists after five seconds. Its folder goes with it. */
  close(): Promise<void>
}

export interface ServerProgram {
  readonly command: string
  readonly argumentsFor: (port: number, folder: string) => readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** How long a server may take to start, in ms, on a crowded machine. */
const TIMEOUT_MS = 60_000

/** Starts a server on a free port. @throws {Error} with what it said when it ends instead of taking connections. */
export async function startServerProcess(program: ServerProgram): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-server-'))
  let child: ChildProcess | undefined
  let port = 0

  const start = async (): Promise<void> => {
    const { command, argumentsFor, environment } = program
    const [file, ...given] = stopWithParent([command, ...argumentsFor(port, folder)])
    const started = spawn(file, given, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment } })
    let said = ''
    const hear = (text: string): void => {
      said = `${said}${text}`.slice(-5_000)
    }
    started.stdout.setEncoding('utf8').on('data', hear)
    started.stderr.setEncoding('utf8').on('data', hear)
    let failure: Error | undefined
    started.once('error', (error) => {
      failure = error
    })
    child = started
    for (const end = Date.now() + TIMEOUT_MS; !(await acceptsConnections(port)); await delay(20)) {
      if (failure) throw failure
      if (!isRunning(started)) throw new Error(`${command} ended with ${started.signalCode ?? started.exitCode}:\n${said}`)
      if (Date.now() > end) throw new Error(`${command} took no connection for ${TIMEOUT_MS} ms:\n${said}`)
    }
    // Somebody else may have been faster on the port that was free.
    await delay(0)
    if (!isRunning(started)) throw new Error(`${command} ended with ${started.signalCode ?? started.exitCode}:\n${said}`)
  }

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child
    if (!ending || !isRunning(ending)) return
    const exited = once(ending, 'exit')
    // A paused process hears of no other signal.
    if (signal !== 'SIGKILL') ending.kill('SIGCONT')
    ending.kill(signal)
    const insisting = setTimeout(() => ending.kill('SIGKILL'), 5_000)
    await exited
    clearTimeout(insisting)
  }

  for (let tries = 3; ; tries--) {
    port = await freePort()
    try {
      await start()
      break
    } catch (error) {
      await end('SIGKILL')
      if (tries === 1) {
        await rm(folder, { recursive: true, force: true })
        throw error
      }
    }
  }
  return {
    port,
    folder,
    start,
    kill: () => end('SIGKILL'),
    pause: async () => void child?.kill('SIGSTOP'),
    resume: async () => void child?.kill('SIGCONT'),
    async close() {
      await end('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** However a test run ends, also by a kill, its servers end with it: on Linux the kernel sees to that. */
function stopWithParent(words: readonly [string, ...string[]]): readonly [string, ...string[]] {
  return process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'KILL', ...words] : words
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const answer = (taken: boolean) => () => {
      socket.destroy()
      resolve(taken)
    }
    socket.once('connect', answer(true)).once('error', answer(false))
  })
}

function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null
}
