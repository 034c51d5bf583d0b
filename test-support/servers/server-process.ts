import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ContainerProgram } from './containers.ts'
import { type Image, wantedImages } from './images.ts'
import { freePort } from './ports.ts'

/** A real server on the loopback, as a process that tests kill, pause and restart. */
export interface ServerProcess {
  /** Its port, the same after each restart. */
  readonly port: number
  /** Its data folder, empty at first. {@link close} removes it. */
  readonly folder: string
  /** Starts it again and waits until it accepts connections. */
  start(): Promise<void>
  /** Kills it with SIGKILL. */
  kill(): Promise<void>
  /** Stops it with SIGSTOP: connections stay open, and nothing is answered. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Stops it with SIGTERM, after five seconds with SIGKILL, and removes its folder. */
  close(): Promise<void>
}

export interface ServerProgram {
  readonly command: string
  readonly argumentsFor: (port: number, folder: string) => readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** The real images that may replace it. */
  readonly images: Readonly<Partial<Record<Image, ContainerProgram>>>
}

/** The longest start of a server in ms, on a busy machine. */
const TIMEOUT_MS = 60_000

/** Starts a server on a free port, perhaps its image. @throws {Error} with its output when it ends before it accepts connections. */
export async function startServer({ command, argumentsFor, environment, images }: ServerProgram): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-server-'))
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  const image = wantedImages.find((wanted) => images[wanted])
  const container = image && images[image]
  if (container) {
    const server = await (await import('./containers.ts')).startContainer(image, container)
    return { ...server, folder, close: () => server.close().finally(removeFolder) }
  }
  let child: ChildProcess | undefined
  let port = 0

  const start = async (): Promise<void> => {
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
    // Another process may have taken the free port first.
    await delay(0)
    if (!isRunning(started)) throw new Error(`${command} ended with ${started.signalCode ?? started.exitCode}:\n${said}`)
  }

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child
    if (!ending || !isRunning(ending)) return
    const exited = once(ending, 'exit')
    // A paused process handles no other signal.
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
        await removeFolder()
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
      await removeFolder()
    },
  }
}

/** On Linux the kernel kills the server when the test process ends, however it ends. */
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
