import { createRequire } from 'node:module'
import type * as client from '@eventstore/db-client'
import { messageOf } from '#infra/failures.ts'
import { knownParameters, parseHost, parseServerAddress } from '#infra/server-address.ts'

/** The parameters of the client's connection string; it ignores others, with a line of its own. */
const PARAMETERS = [
  'tls',
  'tlsCAFile',
  'nodePreference',
  'connectionName',
  'defaultDeadline',
  'discoveryInterval',
  'gossipTimeout',
  'maxDiscoverAttempts',
  'keepAliveInterval',
  'keepAliveTimeout',
  'userCertFile',
  'userKeyFile',
]
const EVENTSTOREDB_PORT = 2113

/**
 * Checks `esdb://name:password@host:2113?tls=false`, with several hosts or as `esdb+discover://…`, and returns it. The
 * client connects to nothing here.
 *
 * @throws {TypeError} saying what is wrong with it, without repeating the password.
 */
export function checkEventStoreDbAddress(text: string): string {
  const example = 'esdb://name:password@localhost:2113?tls=false'
  const { hosts, path, parameters } = parseServerAddress(text, ['esdb', 'esdb+discover'], example)
  if (path !== '' && path !== '/') throw new TypeError('must have no path after the host')
  for (const host of hosts.split(',')) parseHost(host, EVENTSTOREDB_PORT)
  knownParameters(parameters, PARAMETERS)
  // It loads slowly, so only where there is an address.
  const { EventStoreDBClient }: typeof client = createRequire(import.meta.url)('@eventstore/db-client')
  try {
    EventStoreDBClient.connectionString(text)
    return text
  } catch (error) {
    // After its first line the client repeats the whole address.
    throw new TypeError(`can't be used: ${messageOf(error).split('\n')[0]}`, { cause: error })
  }
}
