import { isIPv6 } from 'node:net'
import type { Request } from 'express'

/**
 * The network that limits are counted by: the IPv4 address, or the /64 of an IPv6 address (a customer has at least one
 * /64). Uses the address that Express determines behind trusted proxies.
 */
export function clientNetwork(request: Request): string {
  return request.ip === undefined ? 'unknown' : networkOf(request.ip)
}

/** Where a client is, roughly: '203.0.113.x', or the /48 of an IPv6 address. For people, and not to be compared. */
export function approximateAddress(request: Request): string {
  const network = clientNetwork(request)
  if (!network.includes(':')) return network.replace(/\.\d+$/, '.x')
  return `${network.split(':').slice(0, 3).join(':')}::/48`
}

/** '203.0.113.7' for itself and for '::ffff:203.0.113.7'; '2001:db8:0:1::/64' for every IPv6 address in it. */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) return address
  const groups = groupsOf(plain)
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,65535'
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // The URL parser writes a trailing IPv4 address as two groups.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = [], tail = []] = canonical
    .split('::')
    .map((part) => part.split(':').flatMap((group) => (group === '' ? [] : [Number.parseInt(group, 16)])))
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}
