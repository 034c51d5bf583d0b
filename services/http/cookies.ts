/** The cookie's name on the wire. Over HTTPS the `__Host-` prefix binds it to this host, so that sibling hosts cannot set it. */
export function cookieName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name
}
