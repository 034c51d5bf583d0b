import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { portOf } from './ports.ts'

export type Relay = Awaited<ReturnType<typeof openRelay>>

interface Connection {
  readonly near: Socket
  readonly far: Socket
}

/**
 * A TCP relay from a free port to a local server, whose port may change when it restarts. It passes everything until a
 * test lets the network or the server fail.
 */
export async function openRelay(target: () => number) {
  const connections = new Set<Connection>()
  let refuses = false
  let frozen = false
  let losesAnswers = false
  let hasLost = false
  let lateBy = 0
  let opened = 0
  /** Connections accepted while frozen. */
  let waiting: Socket[] = []

  const pass = (from: Socket, to: Socket, isLost: () => boolean): void => {
    // A chunk may never pass an earlier one, also when the delay ends or a timer is late.
    const queue: { readonly chunk: Buffer; readonly due: number }[] = []
    const send = (): void => {
      for (let [next] = queue; next !== undefined; [next] = queue) {
        const wait = next.due - performance.now()
        if (wait > 0) {
          setTimeout(send, wait)
          return
        }
        queue.shift()
        if (!to.destroyed && !to.write(next.chunk)) from.pause()
      }
    }
    from.on('data', (chunk: Buffer) => {
      if (isLost()) {
        hasLost = true
        return
      }
      queue.push({ chunk, due: performance.now() + lateBy })
      if (queue.length === 1) send()
    })
    to.on('drain', () => {
      if (!frozen) from.resume()
    })
  }

  const serve = (near: Socket): void => {
    const far = connect(target(), '127.0.0.1').setNoDelay(true)
    const connection = { near, far }
    connections.add(connection)
    pass(near, far, () => false)
    pass(far, near, () => losesAnswers)
    const end = (): void => {
      connections.delete(connection)
      reset(near)
      reset(far)
    }
    for (const socket of [near, far]) socket.on('error', end).on('close', end)
  }

  const server = createServer((near) => {
    opened += 1
    near.setNoDelay(true).on('error', () => {})
    if (refuses) reset(near)
    else if (frozen) waiting.push(near.pause())
    else serve(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const cut = (): void => {
    losesAnswers = false
    hasLost = false
    for (const { near, far } of [...connections]) {
      reset(near)
      reset(far)
    }
    for (const socket of waiting.splice(0)) reset(socket)
  }
  const refuse = (): void => {
    refuses = true
    cut()
  }
  return {
    /** Its port on the loopback, which never changes. */
    port: portOf(server),
    /** How many connections were opened so far. */
    opened: () => opened,
    /** Resets every connection, as the kernel does for a killed process. New ones are accepted. */
    cut,
    /** Ends every connection in order, as a server does that stops. New ones are accepted. */
    end() {
      for (const { near } of connections) near.end()
    },
    /** Resets new connections too, as if no server listened. */
    refuse,
    /** Accepts connections again. */
    accept() {
      refuses = false
    },
    /** Keeps and accepts connections, but passes nothing, like a stopped process or a lost network. */
    freeze() {
      frozen = true
      for (const { near, far } of connections) for (const socket of [near, far]) socket.pause()
    },
    /** Passes everything again, beginning with what has waited. */
    thaw() {
      frozen = false
      for (const { near, far } of connections) for (const socket of [near, far]) socket.resume()
      const late = waiting
      waiting = []
      for (const socket of late) serve(socket.resume())
    },
    /** Whether it has dropped an answer since the last {@link cut}, or keeps something back while it is frozen. */
    withholds: (): boolean =>
      hasLost ||
      waiting.length > 0 ||
      (frozen && [...connections].some(({ near, far }) => near.readableLength + far.readableLength > 0)),
    /** Delays everything by this many ms, in both directions. */
    delay(ms: number) {
      lateBy = ms
    },
    /** Passes requests and drops answers, also on new connections, until {@link cut}: the outcome of a change is unknown. */
    loseAnswers() {
      losesAnswers = true
    },
    async close(): Promise<void> {
      refuse()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function reset(socket: Socket): void {
  if (!socket.destroyed) socket.resetAndDestroy()
}
