/** A cookie's name as it goes over the wire: over HTTPS bound to this very host, so that no neighbour can plant one. */
export function cookieName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name
}
