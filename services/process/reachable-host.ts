import { isIPv6 } from 'node:net'

/**
 * The host of a URL to what listens at this host: an IPv6 address is in brackets there, and has no zone.
 *
 * @param host Undefined: every address of this machine.
 * @param here What is reached where it listens everywhere.
 */
export function reachableHost(host: string | undefined, here: string): string {
  if (host === undefined || host === '::' || host === '0.0.0.0') return here
  return isIPv6(host) ? `[${host.replace(/%.*/, '')}]` : host
}
