import { z } from 'zod'
import { startChild } from './children.ts'

/** Servers as tests start them: each a process of its own on a free port of this machine. */

export const servers = ['eventstore', 'mongodb', 'redis'] as const
export type Server = (typeof servers)[number]

/** What passes between {@link startServers} and the child that does it. */
export const serversInput = z.array(z.enum(servers))
export const serversOutcome = z.record(z.enum(servers), z.string())

export interface Servers {
  /** Where each of them is found, as an operator writes it. */
  readonly urls: Readonly<Record<Server, string>>
  stop(): Promise<void>
}

/** Starts these; the addresses of others are empty. A process apart starts them from the sources, where what they are made of lies. */
export async function startServers(...wanted: readonly Server[]): Promise<Servers> {
  const child = startChild('servers', wanted, { fromSources: true })
  const urls = await child.said(serversOutcome)
  return {
    urls,
    async stop() {
      child.goOn()
      await child.stop()
    },
  }
}

/** The variables of services that run apart on those of these servers that were started. */
export function environmentOn({ eventstore, mongodb, redis }: Servers['urls']): Readonly<Record<string, string>> {
  return {
    EVENTSTORE_URL: eventstore,
    MONGODB_URL: mongodb && `${mongodb}/proofdesk`,
    REDIS_URL: redis,
    MASTER_KEY: 'a master key for benches only, nowhere else',
  }
}
