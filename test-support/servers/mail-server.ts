import { once } from 'node:events'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'
import { portOf } from './ports.ts'

/** A real mail server on this machine, and the mails it received. */
export interface MailServer {
  readonly url: URL
  readonly delivered: Uint8Array[]
  /** When each of them arrived, in ms since 1970. */
  readonly deliveredAt: number[]
  connections(): number
  disconnect(): Promise<void>
  reconnect(): Promise<void>
}

/** Starts one on a free port until the test ends. */
export async function useMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const server = await startMailServer(options)
  onTestFinished(server.disconnect)
  return server
}

/** Starts one on a free port until {@link MailServer.disconnect}. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const delivered: Uint8Array[] = []
  const deliveredAt: number[] = []
  let connections = 0
  let port = 0
  let server: SMTPServer | undefined
  const bringBack = async (): Promise<void> => {
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      closeTimeout: 50,
      onConnect(_, callback) {
        connections++
        callback()
      },
      onData(stream, _, callback) {
        const pieces: Uint8Array[] = []
        stream.on('data', (piece: Uint8Array) => pieces.push(piece))
        stream.on('end', () => {
          delivered.push(Buffer.concat(pieces))
          deliveredAt.push(Date.now())
          callback()
        })
      },
      ...options,
    })
    // A broken connection of a client is not an error of the server.
    server.on('error', () => {})
    const listening = server.listen(port, '127.0.0.1')
    await once(listening, 'listening')
    port = portOf(listening)
  }
  const takeAway = async (): Promise<void> => {
    const stopping = server
    server = undefined
    if (stopping) await new Promise<void>((resolve) => stopping.close(resolve))
  }
  await bringBack()
  return { url: new URL(`smtp://127.0.0.1:${port}`), delivered, deliveredAt, connections: () => connections, disconnect: takeAway, reconnect: bringBack }
}
