import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from './limits.ts'

/** Connections that are closed while the server stops, in ms between two looks. */
const CLOSING_IDLE_EVERY = 50

/** The connections of an HTTP server, and the answers under way on them. */
export interface Connections {
  readonly server: Server
  /** How many answers are under way: at most one a connection. */
  answering(): number
  /** Takes no new connections, and resolves when every request under way has its answer. */
  close(): Promise<void>
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Makes an HTTP server that answers one request at a time on each connection. Node emits 'close' only for the response
 * that holds the connection: a request that was sent ahead of its turn (pipelining) waits until the answer before it was
 * sent, and is forgotten when the connection closes. So whatever an answer uses can be released on its 'close'.
 */
export function openConnections(respond: RequestListener): Connections {
  const { connection, connections } = limits
  const server = createServer({
    keepAliveTimeout: connection.idleSeconds * 1_000,
    headersTimeout: connection.headSeconds * 1_000,
    requestTimeout: connection.requestSeconds * 1_000,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: connection.headerBytes,
  })
  server.timeout = connection.silentSeconds * 1_000
  server.maxConnections = Math.max(1, Math.min(connections.most, openFileLimit() - connections.sparedFiles))

  const answering = new Set<ServerResponse>()
  /** What waits on each connection that has an answer under way. */
  const waiting = new WeakMap<Socket, Exchange[]>()

  const begin = (socket: Socket, { request, response }: Exchange): void => {
    answering.add(response)
    // While the server stops, connections end with their answers, however busy a client is.
    if (!server.listening) response.shouldKeepAlive = false
    response.once('close', () => {
      answering.delete(response)
      const next = waiting.get(socket)?.shift()
      // A connection that is not writable any more sends no further answer.
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
        // An answer whose head was sent before now leaves its connection open for a next request, which is not awaited.
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

/** How many files this process may have open; connections are files. Infinity where the system does not say. */
function openFileLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Infinity : Number(soft)
  } catch {
    return Infinity
  }
}
