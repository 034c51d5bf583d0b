import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { startContainer } from './containers.ts'
import type { MailServer } from './mail-server.ts'
import { freePort } from './ports.ts'

/** A Mailpit and the mails it received, oldest first. */
export interface Mailpit extends Pick<MailServer, 'url' | 'disconnect' | 'reconnect'> {
  delivered(): Promise<Uint8Array[]>
}

const list = z.object({ messages: z.array(z.object({ ID: z.string() })) })

/** Starts one in a container until the test ends. */
export async function useMailpit(): Promise<Mailpit> {
  const webPort = await freePort()
  const { port, kill, start, close } = await startContainer('mailpit', {
    inside: 1025,
    also: { inside: 8025, port: webPort },
    // It keeps its mails over a restart.
    environment: { MP_DATABASE: '/tmp/mails.db' },
    ready: { path: '/readyz' },
  })
  onTestFinished(close)
  const request = async (path: string): Promise<Response> => fetch(`http://127.0.0.1:${webPort}/api/v1/${path}`)
  return {
    url: new URL(`smtp://127.0.0.1:${port}`),
    disconnect: kill,
    reconnect: start,
    async delivered() {
      const { messages } = list.parse(await (await request('messages?limit=1000')).json())
      return Promise.all(
        messages
          .toReversed()
          .map(async ({ ID }) => new Uint8Array(await (await request(`message/${ID}/raw`)).arrayBuffer())),
      )
    },
  }
}
