import { isUtf8 } from 'node:buffer'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Witness } from './witness.ts'

/** The largest request: 63 hashes, and a note with the signatures of others, of which a post-quantum one has 5 kB. */
const BODY_BYTES = 128 * 1024
/** The longest time for a whole request, ms. */
const REQUEST_MS = 10_000
const CONNECTIONS = 256

/**
 * Serves a witness over HTTP: `POST /add-checkpoint`, and `GET /<origin hash>/checkpoint` for monitors. Not listening
 * yet.
 */
export function createWitnessServer(witness: Witness, onError: (error: unknown) => void): Server {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, body: string, type = 'text/plain; charset=utf-8') =>
      void response.writeHead(status, { 'Content-Type': type }).end(body)
    const [path] = (request.url ?? '').split('?', 1)
    if (path === '/add-checkpoint') {
      if (request.method !== 'POST') return void response.writeHead(405, { Allow: 'POST' }).end()
      const body = await bodyOf(request)
      if (body === 'too large') {
        response.setHeader('Connection', 'close')
        return send(413, 'The request is too large\n')
      }
      if (body === undefined) return send(400, 'The request is not UTF-8\n')
      const { status, body: text, type } = await witness.addCheckpoint(body)
      return send(status, text, type)
    }
    const [, originHash] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(path ?? '') ?? []
    if (originHash === undefined) return send(404, 'Not found\n')
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return void response.writeHead(405, { Allow: 'GET, HEAD' }).end()
    const note = witness.checkpoint(originHash)
    return note === undefined ? send(404, 'This witness has cosigned no such log\n') : send(200, note)
  }
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, maxHeaderSize: 8 * 1024 },
    (request, response) => {
      answer(request, response).catch((error: unknown) => {
        // A client that goes away before its request is complete is no error.
        if (request.destroyed && !request.complete) return
        onError(error)
        if (!response.headersSent) response.writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' })
        response.end()
      })
    },
  )
  server.maxConnections = CONNECTIONS
  return server
}

/** Undefined when it is not UTF-8. */
async function bodyOf(request: IncomingMessage): Promise<string | 'too large' | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  // Without a destroyed request, the answer can still be sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > BODY_BYTES) return 'too large'
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks)
  return isUtf8(body) ? body.toString() : undefined
}
