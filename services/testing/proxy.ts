import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The reverse proxy before separate services, with its one rule: GET and HEAD to query, all else to command. */
export interface Proxy {
  readonly url: string
  close(): Promise<void>
}

/** What it calls itself in answers of its own. */
export const PROXY = 'proxy'

export interface Behind {
  /** Where the services listen. Each request goes to the next one in turn. */
  readonly command: readonly string[]
  readonly query: readonly string[]
}

/**
 * Starts it on a free port of the loopback. A service that can't be reached is passed over for the next one; where a
 * request broke off after it was sent, the answer is 502: nobody knows what became of it.
 */
export async function startProxy(behind: () => Behind): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  let turn = 0
  const server = createServer((incoming, answer) => {
    const { command, query } = behind()
    const targets = incoming.method === 'GET' || incoming.method === 'HEAD' ? query : command
    turn += 1
    const inTurn = targets.map((_, n) => targets[(turn + n) % targets.length] ?? '')
    void pass(incoming, answer, inTurn, agent)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    async close() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

async function pass(incoming: IncomingMessage, answer: ServerResponse, targets: readonly string[], agent: Agent): Promise<void> {
  // Whole, so that it can be given to the next service when this one is not there.
  const body = await wholeOf(incoming).catch(() => undefined)
  if (!body) return void answer.destroy()
  const client = incoming.socket.remoteAddress ?? ''
  const headers = { ...incoming.headers, 'x-forwarded-for': client, 'x-forwarded-proto': 'http', 'content-length': String(body.length) }
  delete headers['transfer-encoding']
  delete headers.expect
  for (const target of targets) {
    const outcome = await new Promise<'answered' | 'not there' | 'broken'>((resolve) => {
      const { method, url = '/' } = incoming
      const sent = request(new URL(url, target), { method, headers, agent }, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers)
        // An answer that breaks off breaks off here, too: nobody takes half of it for the whole.
        response.on('error', () => answer.destroy()).on('aborted', () => answer.destroy())
        response.pipe(answer)
        resolve('answered')
      })
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // A kept connection that the service had closed already has carried nothing to it.
        resolve(error.code === 'ECONNREFUSED' || (error.code === 'ECONNRESET' && sent.reusedSocket && method === 'GET') ? 'not there' : 'broken')
      })
      answer.once('close', () => {
        if (!answer.writableFinished) sent.destroy()
      })
      sent.end(body)
    })
    if (outcome === 'answered') return
    if (outcome === 'broken') break
  }
  if (!answer.headersSent) answer.writeHead(502, { 'content-type': 'application/json', server: PROXY }).end('{"message":"The service is not there right now. Please try again in a moment."}')
}

async function wholeOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port')
  return address.port
}
