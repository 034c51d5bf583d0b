import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https, { type RequestOptions } from 'node:https'
import type { Socket } from 'node:net'

type Answered = (response: IncomingMessage) => void

/** How the S3 client reaches its server: connections that are kept, and no request without progress for longer than the patience. */
export interface TimeoutTransport {
  readonly agent: http.Agent
  readonly transport: Pick<typeof http, 'request'>
  isClosed(): boolean
  /** Ends what is under way. */
  close(): void
}

/** A request got no answer, or half of one, for as long as we wait. */
class NoProgress extends Error {
  override readonly name = 'NoProgress'
  constructor() {
    super('The S3 server made no progress')
  }
}

/** Watches each connection while a request uses it: while it connects, sends, waits and receives. `patience` in ms. */
export function createTimeoutTransport(isTls: boolean, patience: number): TimeoutTransport {
  const agent = isTls ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true })
  const open = new Set<ClientRequest>()
  let closed = false

  const watch = (request: ClientRequest): void => {
    let response: IncomingMessage | undefined
    request.once('response', (answer: IncomingMessage) => {
      response = answer
    })
    request.once('socket', (socket: Socket) => {
      // While a write is under way, Node lets a first timeout pass if any of it went: two halves make a whole.
      const wait = (): void => void socket.setTimeout(request.writableFinished || socket.connecting ? patience : patience / 2)
      const idle = (): void => {
        // Full of what its reader did not take yet: it is not the server that makes no progress.
        if (response && response.readableLength >= response.readableHighWaterMark) wait()
        else request.destroy(new NoProgress())
      }
      wait()
      // Not the request's own timeout, which begins only once there is a connection.
      socket.on('timeout', idle).on('connect', wait)
      request.once('finish', wait).once('close', () => socket.setTimeout(0).off('timeout', idle).off('connect', wait))
    })
  }

  function request(options: RequestOptions | string | URL, answered?: Answered): ClientRequest
  function request(url: string | URL, options: RequestOptions, answered?: Answered): ClientRequest
  function request(options: RequestOptions | string | URL, answered?: RequestOptions | Answered): ClientRequest {
    // The client hands over options and a function; the other form is there for the type.
    if (typeof answered === 'object') throw new TypeError('An address and options are not taken apart')
    const sent = isTls ? https.request(options, answered) : http.request(options, answered)
    open.add(sent)
    sent.once('close', () => open.delete(sent))
    watch(sent)
    return sent
  }

  return {
    agent,
    transport: { request },
    isClosed: () => closed,
    close() {
      closed = true
      for (const sent of open) sent.destroy(new Error('The store was closed'))
      agent.destroy()
    },
  }
}
