import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Child, startChild } from '#test-support/child-process.ts'
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

/**
 * Starts a server on a free port, perhaps its image.
 *
 * @throws {Error} with its output when it ends before it accepts connections.
 */
export async function startServer({
  command,
  argumentsFor,
  environment,
  images,
}: ServerProgram): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'proofdesk-server-'))
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  const image = wantedImages.find((wanted) => images[wanted])
  const container = image && images[image]
  if (container) {
    const server = await (await import('./containers.ts')).startContainer(image, container)
    return { ...server, folder, close: () => server.close().finally(removeFolder) }
  }
  let child: Child | undefined
  let port = 0

  const start = async (): Promise<void> => {
    const started = startChild(stopWithParent([command, ...argumentsFor(port, folder)]), {
      ...process.env,
      ...environment,
    })
    child = started
    const check = () => {
      if (!started.running()) throw new Error(`${command} has ended:\n${started.output()}`)
    }
    for (const end = Date.now() + TIMEOUT_MS; !(await acceptsConnections(port)); await delay(20)) {
      check()
      if (Date.now() > end) throw new Error(`${command} took no connection for ${TIMEOUT_MS} ms:\n${started.output()}`)
    }
    // Another process may have taken the free port first.
    await delay(0)
    check()
  }

  for (let tries = 3; ; tries--) {
    port = await freePort()
    try {
      await start()
      break
    } catch (error) {
      await child?.end('SIGKILL')
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
    kill: async () => void (await child?.end('SIGKILL')),
    pause: async () => child?.pause(),
    resume: async () => child?.resume(),
    async close() {
      const insisting = setTimeout(() => void child?.end('SIGKILL'), 5_000)
      await child?.end('SIGTERM')
      clearTimeout(insisting)
      await removeFolder()
    },
  }
}

/** On Linux the kernel kills the server when the test process ends, however it ends. */
function stopWithParent(words: readonly string[]): readonly string[] {
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
