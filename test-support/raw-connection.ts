import { once } from 'node:events'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'

export type RawConnection = Awaited<ReturnType<typeof openConnection>>

/**
 * Opens one TCP connection to the host and port of an address. It sends any bytes, reads when it wants to, and breaks
 * off when it wants to. If it does not read, it takes in no more than the kernel's buffers.
 */
export async function openConnection(url: string, { reads = true } = {}) {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  let received = ''
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  // What the other end does with the connection is for the test to look at.
  socket.on('error', () => {})
  if (reads) socket.setEncoding('latin1').on('data', (text: string) => (received += text))
  onTestFinished(() => void socket.destroy())
  await Promise.race([once(socket, 'connect'), closed])
  return {
    socket,
    send: (bytes: string | Uint8Array) => void socket.write(bytes),
    /** All that came so far, a character a byte. */
    received: () => received,
    /** Resolves with all that came, once the server has ended the connection. */
    ended: closed.then(() => received),
    /**
     * Breaks off without a word, as a client that loses its network does, and waits until the connection is gone here.
     */
    async cut(): Promise<void> {
      socket.destroy()
      await closed
    },
  }
}

export type RawHeaders = Readonly<Record<string, string>>

/** The bytes of a request. Its headers are sent as they are, and the host's. */
export function requestText(method: string, path: string, headers: RawHeaders = {}): string {
  const lines = Object.entries({ Host: 'portal.example', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

export interface RawAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /** A character a byte. */
  readonly body: string
}

/**
 * Sends one request on a connection of its own, and reads the answer to its end.
 *
 * @throws {Error} when there is none.
 */
export async function askRaw(
  url: string,
  method: string,
  path: string,
  headers: RawHeaders = {},
  body: string | Uint8Array = '',
): Promise<RawAnswer> {
  const connection = await openConnection(url)
  const length = body.length > 0 ? { 'Content-Length': String(body.length) } : {}
  connection.send(requestText(method, path, { Connection: 'close', ...length, ...headers }))
  if (body.length > 0) connection.send(body)
  return readAnswer(await connection.ended)
}

/** @throws {Error} when it is no whole answer. */
function readAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const [first = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\r\n')
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(first) ?? []
  if (end < 0 || status === undefined) throw new Error(`No answer came, but: ${JSON.stringify(text.slice(0, 200))}`)
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { status: Number(status), headers, body: text.slice(end + 4) }
}

/** How many answers a text holds. */
export function countAnswers(text: string): number {
  return text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0
}
