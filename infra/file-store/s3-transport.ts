import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https, { type RequestOptions } from 'node:https'
import type { Socket } from 'node:net'

type OnResponse = (response: IncomingMessage) => void

/** A request made no progress within the time-out. */
class NoProgress extends Error {
  override readonly name = 'NoProgress'
  constructor() {
    super('The S3 server made no progress')
  }
}

/**
 * The HTTP transport of the S3 client: it reuses connections, and ends requests without progress after a time-out. It
 * watches each connection while a request uses it: while it connects, sends, waits and receives.
 *
 * @param timeout In ms.
 */
export function createTimeoutTransport(isTls: boolean, timeout: number) {
  const agent = isTls ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true })
  const open = new Set<ClientRequest>()
  let closed = false

  const watch = (request: ClientRequest): void => {
    let response: IncomingMessage | undefined
    request.once('response', (answer: IncomingMessage) => {
      response = answer
    })
    request.once('socket', (socket: Socket) => {
      // During a write, Node skips the first timeout if some bytes were sent: two halves add up.
      const wait = (): void =>
        void socket.setTimeout(request.writableFinished || socket.connecting ? timeout : timeout / 2)
      const idle = (): void => {
        // A full buffer: the reader is slow, not the server.
        if (response && response.readableLength >= response.readableHighWaterMark) wait()
        else request.destroy(new NoProgress())
      }
      wait()
      // The request's own timeout starts only once it is connected.
      socket.on('timeout', idle).on('connect', wait)
      request.once('finish', wait).once('close', () => socket.setTimeout(0).off('timeout', idle).off('connect', wait))
    })
  }

  function request(options: RequestOptions | string | URL, onResponse?: OnResponse): ClientRequest
  function request(url: string | URL, options: RequestOptions, onResponse?: OnResponse): ClientRequest
  function request(options: RequestOptions | string | URL, onResponse?: RequestOptions | OnResponse): ClientRequest {
    // The client always passes options and a function; the other overload satisfies the type.
    if (typeof onResponse === 'object') throw new TypeError('An address beside options is not supported')
    const sent = isTls ? https.request(options, onResponse) : http.request(options, onResponse)
    open.add(sent)
    sent.once('close', () => open.delete(sent))
    watch(sent)
    return sent
  }

  return {
    agent,
    transport: { request },
    isClosed: () => closed,
    /** Aborts running requests. */
    close(): void {
      closed = true
      for (const sent of open) sent.destroy(new Error('The store was closed'))
      agent.destroy()
    },
  }
}
