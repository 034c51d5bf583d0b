import { once } from 'node:events'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'
import { portOf } from './ports.ts'

export type MailServer = Awaited<ReturnType<typeof startMailServer>>

/** Starts a mail server on a free port until the test ends. */
export async function useMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const server = await startMailServer(options)
  onTestFinished(server.disconnect)
  return server
}

/** The refusal of this step that a mailbox is named after: `rcpt-550-5.1.1@…`, or `data-552@…`. */
function refusalOf(step: 'rcpt' | 'data', address = ''): Error | undefined {
  const [, wanted, responseCode, enhanced = ''] = /^([a-z]+)-(\d+)(?:-([\d.]+))?@/.exec(address) ?? []
  if (wanted !== step) return undefined
  // Real servers repeat the address, too.
  const message = `${enhanced} <${address}>: refused`.trim()
  return Object.assign(new Error(message), { responseCode: Number(responseCode) })
}

/**
 * Starts a real mail server on a free port until it is disconnected. It refuses a mail as the recipient's mailbox says, and
 * never answers about one that begins with `hang-`, or only after the whole mail with `hang-data-`.
 */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const delivered: Uint8Array[] = []
  const deliveredAt: number[] = []
  let connections = 0
  let hanging = 0
  let port = 0
  let server: SMTPServer | undefined
  const reconnect = async (): Promise<void> => {
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      closeTimeout: 50,
      onConnect(_, callback) {
        connections++
        callback()
      },
      onRcptTo({ address }, _, callback) {
        if (/^hang-(?!data-)/.test(address)) hanging += 1
        else callback(refusalOf('rcpt', address))
      },
      onData(stream, { envelope }, callback) {
        const pieces: Uint8Array[] = []
        stream.on('data', (piece: Uint8Array) => pieces.push(piece))
        stream.on('end', () => {
          const address = envelope.rcptTo[0]?.address
          const refusal = refusalOf('data', address)
          if (address?.startsWith('hang-data-')) return void (hanging += 1)
          if (refusal) return callback(refusal)
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
  const disconnect = async (): Promise<void> => {
    const stopping = server
    server = undefined
    if (stopping) await new Promise<void>((resolve) => stopping.close(resolve))
  }
  await reconnect()
  return {
    url: new URL(`smtp://127.0.0.1:${port}`),
    /** The mails it has received. */
    delivered,
    /** When each of them arrived, in ms since 1970. */
    deliveredAt,
    connections: () => connections,
    /** How many mails it has not answered about. */
    hanging: () => hanging,
    disconnect,
    reconnect,
  }
}
