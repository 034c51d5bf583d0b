import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { portOf } from './ports.ts'

/** A TCP relay before a server, where the network and the death of a server are played: everything passes until told otherwise. */
export interface Relay {
  /** Where it listens on the loopback, the same for all its life. */
  readonly port: number
  /** Resets every connection, as the kernel does when a process is killed. New ones are taken. */
  cut(): void
  /** Resets new connections as well, as if nobody listened: the port stays ours. */
  refuse(): void
  /** Takes connections again. */
  accept(): void
  /** Connections stay open and are taken, but nothing passes: a stopped process, a lost network. */
  freeze(): void
  /** Lets pass again, beginning with what has waited. */
  thaw(): void
  /** Whatever passes, either way, comes so many ms late. */
  delay(ms: number): void
  /** What is asked arrives, what is answered is lost, until {@link cut}: the outcome of a change is unknown. */
  loseAnswers(): void
  close(): Promise<void>
}

interface Connection {
  readonly near: Socket
  readonly far: Socket
  losesAnswers: boolean
}

/** Relays a free port to a server of this machine, whose port may change while it is restarted. */
export async function openRelay(target: () => number): Promise<Relay> {
  const connections = new Set<Connection>()
  let refuses = false
  let frozen = false
  let lateBy = 0
  /** Taken while frozen, and to be served after. */
  let waiting: Socket[] = []

  const pass = (from: Socket, to: Socket, isLost: () => boolean): void => {
    let due = 0
    from.on('data', (chunk: Buffer) => {
      if (isLost()) return
      const send = (): void => {
        if (!to.destroyed && !to.write(chunk)) from.pause()
      }
      due = Math.max(due, performance.now() + lateBy)
      const wait = due - performance.now()
      if (wait <= 0) send()
      else setTimeout(send, wait)
    })
    to.on('drain', () => {
      if (!frozen) from.resume()
    })
  }

  const serve = (near: Socket): void => {
    const far = connect(target(), '127.0.0.1').setNoDelay(true)
    const connection = { near, far, losesAnswers: false }
    connections.add(connection)
    pass(near, far, () => false)
    pass(far, near, () => connection.losesAnswers)
    const end = (): void => {
      connections.delete(connection)
      reset(near)
      reset(far)
    }
    for (const socket of [near, far]) socket.on('error', end).on('close', end)
  }

  const server = createServer((near) => {
    near.setNoDelay(true).on('error', () => {})
    if (refuses) reset(near)
    else if (frozen) waiting.push(near.pause())
    else serve(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const relay: Relay = {
    port: portOf(server),
    cut() {
      for (const { near, far } of [...connections]) {
        reset(near)
        reset(far)
      }
      for (const socket of waiting.splice(0)) reset(socket)
    },
    refuse() {
      refuses = true
      relay.cut()
    },
    accept() {
      refuses = false
    },
    freeze() {
      frozen = true
      for (const { near, far } of connections) for (const socket of [near, far]) socket.pause()
    },
    thaw() {
      frozen = false
      for (const { near, far } of connections) for (const socket of [near, far]) socket.resume()
      const late = waiting
      waiting = []
      for (const socket of late) serve(socket.resume())
    },
    delay(ms) {
      lateBy = ms
    },
    loseAnswers() {
      for (const connection of connections) connection.losesAnswers = true
    },
    async close() {
      relay.refuse()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return relay
}

function reset(socket: Socket): void {
  if (!socket.destroyed) socket.resetAndDestroy()
}
