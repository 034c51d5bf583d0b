import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from './servers/ports.ts'

export type Proxy = Awaited<ReturnType<typeof startProxy>>

/** The `server` header of its own answers. */
export const PROXY = 'proxy'

export interface ProxyTargets {
  /** The addresses of the services. Requests go to them in turn. */
  readonly command: readonly string[]
  readonly query: readonly string[]
}

/**
 * Starts the reverse proxy before separate services on a free port of the loopback. GET and HEAD go to query, all else
 * to command. It skips a service that it cannot reach. A request that breaks after it was sent is answered 502, because
 * its outcome is unknown.
 */
export async function startProxy(behind: () => ProxyTargets) {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const answered = new Map<string, number>()
  const turns = { command: 0, query: 0 }
  // Longer than any test, so that no request meets a connection that is closing.
  const server = createServer({ keepAliveTimeout: 600_000 }, (incoming, answer) => {
    const kind = incoming.method === 'GET' || incoming.method === 'HEAD' ? 'query' : 'command'
    const targets = behind()[kind]
    // Counted for each kind: a client that alternates changes and reads would always reach the same query service.
    const turn = (turns[kind] += 1)
    const inTurn = targets.map((_, n) => targets[(turn + n) % targets.length] ?? '')
    void pass(incoming, answer, inTurn, agent).then((target) => {
      if (target !== undefined) answered.set(target, (answered.get(target) ?? 0) + 1)
    })
  })
  const { url, close } = await listen(server)
  return {
    url,
    /** How many requests each service has answered, by its address. */
    answered,
    close(): Promise<void> {
      agent.destroy()
      return close()
    },
  }
}

/** Forwards a request. Returns the service that answered. */
async function pass(
  incoming: IncomingMessage,
  answer: ServerResponse,
  targets: readonly string[],
  agent: Agent,
): Promise<string | undefined> {
  // Buffered, so that the next service can get it too.
  const body = await buffer(incoming).catch(() => undefined)
  if (!body) {
    answer.destroy()
    return undefined
  }
  // Entries of outer proxies stay: the services decide which ones to trust.
  const client = [incoming.headers['x-forwarded-for'], incoming.socket.remoteAddress].filter(Boolean).join(', ')
  const headers = {
    'x-forwarded-proto': 'http',
    ...incoming.headers,
    'x-forwarded-for': client,
    'content-length': String(body.length),
  }
  delete headers['transfer-encoding']
  delete headers.expect
  for (const target of targets) {
    const outcome = await new Promise<'answered' | 'not there' | 'broken'>((resolve) => {
      const { method, url = '/' } = incoming
      const sent = request(new URL(url, target), { method, headers, agent }, (response) => {
        // Headers about the connection to the service are not for the client.
        const headers = { ...response.headers }
        for (const name of ['connection', 'keep-alive']) delete headers[name]
        answer.writeHead(response.statusCode ?? 502, headers)
        // A truncated answer stays truncated for the client.
        response.on('error', () => answer.destroy()).on('aborted', () => answer.destroy())
        response.pipe(answer)
        resolve('answered')
      })
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // A kept connection that the service has closed carried nothing to it.
        resolve(
          error.code === 'ECONNREFUSED' || (error.code === 'ECONNRESET' && sent.reusedSocket && method === 'GET')
            ? 'not there'
            : 'broken',
        )
      })
      answer.once('close', () => {
        if (!answer.writableFinished) sent.destroy()
      })
      sent.end(body)
    })
    if (outcome === 'answered') return target
    if (outcome === 'broken') break
  }
  if (!answer.headersSent)
    answer
      .writeHead(502, { 'content-type': 'application/json', server: PROXY })
      .end('{"message":"The service is not there right now. Please try again in a moment."}')
  return undefined
}
