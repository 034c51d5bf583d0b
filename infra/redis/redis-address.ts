import { knownParameters, parseHost, parseServerAddress } from '#infra/server-address.ts'

const REDIS_PORT = 6379

/**
 * Checks `redis://name:password@host:6379/0`, or `rediss://…`, and returns it.
 *
 * @throws {TypeError} saying what is wrong with it, without repeating the password.
 */
export function checkRedisAddress(text: string): string {
  const { hosts, path, parameters } = parseServerAddress(text, ['redis', 'rediss'], 'redis://name:password@host:6379/0')
  parseHost(hosts, REDIS_PORT)
  if (!/^(?:\/\d{0,5})?$/.test(path))
    throw new TypeError('must have the number of a database after the host, or nothing')
  // The client would take any parameter as an option of its own.
  knownParameters(parameters, ['family'])
  return text
}
