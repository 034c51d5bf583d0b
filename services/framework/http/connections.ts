import { readFileSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { limits } from './limits.ts'

/** The interval, in ms, at which idle connections are closed while the server stops. */
const CLOSING_IDLE_EVERY = 50

/** The connections of an HTTP server and the responses in progress. */
export interface Connections {
  readonly server: Server
  /** The number of responses in progress: at most one per connection. */
  answering(): number
  /** Stops accepting connections; resolves when every request in progress is answered. */
  close(): Promise<void>
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Creates an HTTP server that answers one request at a time per connection. Node emits 'close' only for the response
 * that owns the connection, so a pipelined request waits until the previous answer is sent, and is dropped when the
 * connection closes. A handler can therefore release its resources on 'close'.
 *
 * @param classes Of the requests and responses that it creates.
 */
export function openConnections(
  respond: RequestListener,
  classes: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>,
): Connections {
  const { connection } = limits
  const server = createServer({
    ...classes,
    keepAliveTimeout: connection.idleSeconds * 1_000,
    headersTimeout: connection.headSeconds * 1_000,
    requestTimeout: connection.requestSeconds * 1_000,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: connection.headerBytes,
  })
  server.timeout = connection.silentSeconds * 1_000
  server.maxConnections = mostConnections()

  const answering = new Set<ServerResponse>()
  /** Pipelined requests waiting on each connection that has a response in progress. */
  const waiting = new WeakMap<Socket, Exchange[]>()

  const begin = (socket: Socket, { request, response }: Exchange): void => {
    answering.add(response)
    // While the server stops, connections close after their current response.
    if (!server.listening) response.shouldKeepAlive = false
    response.once('close', () => {
      answering.delete(response)
      const next = waiting.get(socket)?.shift()
      // A connection that is no longer writable sends no further answer.
      if (next && socket.writable) begin(socket, next)
      else waiting.delete(socket)
    })
    respond(request, response)
  }

  server.on('request', (request, response) => {
    const { socket } = request
    const ahead = waiting.get(socket)
    if (request.rawHeaders.length > 2 * connection.headerLines) response.writeHead(431, { Connection: 'close' }).end()
    else if (!ahead) {
      waiting.set(socket, [])
      begin(socket, { request, response })
    } else if (ahead.length < connection.waitingRequests) ahead.push({ request, response })
    else socket.destroy()
  })

  return {
    server,
    answering: () => answering.size,
    close: () =>
      new Promise((resolve) => {
        // A response whose head is already sent keeps its connection open for another request; do not wait for that
        // one.
        const closingIdle = setInterval(() => {
          if (answering.size === 0) server.closeAllConnections()
        }, CLOSING_IDLE_EVERY)
        server.close(() => {
          clearInterval(closingIdle)
          resolve()
        })
        for (const response of answering) response.shouldKeepAlive = false
      }),
  }
}

/** How many connections a process serves at a time: as many as the limit on open files leaves, at least one. */
export function mostConnections(): number {
  const { most, sparedFiles } = limits.connections
  return Math.max(1, Math.min(most, openFileLimit() - sparedFiles))
}

/** How many files (and so connections) this process may open. Infinity where the system does not say. */
export function openFileLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Infinity : Number(soft)
  } catch {
    return Infinity
  }
}
