/** The address of a server, in parts that its kind reads. */
export interface ServerAddress {
  readonly protocol: string
  /** Decoded; empty without one. */
  readonly user: string
  readonly password: string
  /** As written: a host with a port, or several. */
  readonly hosts: string
  /** Empty, or with its slash. */
  readonly path: string
  readonly parameters: URLSearchParams
}

/**
 * Protocol, name and password, hosts, path and parameters. An unencoded slash, question mark or hash in a password would
 * turn the rest of it into another part, and its beginning into a host: then an @ is left over in the wrong place.
 */
const ADDRESS = /^([a-z][a-z0-9+]*):\/\/(?:([^/?#]*)@)?([^/?#@]+)([^?#@]*)(?:\?([^#@]*))?$/i

/**
 * Takes apart the address of a server.
 *
 * @param example Shown to who has to correct it.
 * @throws {TypeError} saying what is wrong with it, without repeating any of it: it holds a password.
 */
export function parseServerAddress(text: string, protocols: readonly string[], example: string): ServerAddress {
  const [, protocol = '', credentials = '', hosts = '', path = '', query = ''] = ADDRESS.exec(text) ?? []
  const [, user = '', password = ''] = /^([^:]*)(?::(.*))?$/.exec(credentials) ?? []
  if (!protocols.includes(protocol.toLowerCase()) || /\s/.test(text))
    throw new TypeError(`must be an address like ${example}, with name and password percent-encoded`)
  try {
    const [name, secret] = [decodeURIComponent(user), decodeURIComponent(password)]
    return {
      protocol: protocol.toLowerCase(),
      user: name,
      password: secret,
      hosts,
      path,
      parameters: new URLSearchParams(query),
    }
  } catch {
    throw new TypeError('must have its name and password percent-encoded: a % itself is written %25')
  }
}

/**
 * A host and its port; an IPv6 address is in brackets, which are left out.
 *
 * @throws {TypeError} saying what is wrong.
 */
export function parseHost(text: string, defaultPort: number): { readonly host: string; readonly port: number } {
  const [, literal, name, digits] = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  const host = literal ?? name
  if (host === undefined)
    throw new TypeError('must name one host, and its port after a colon; an IPv6 address is in [ ]')
  const port = digits === undefined ? defaultPort : Number(digits)
  if (port < 1 || port > 65_535) throw new TypeError('must have a port from 1 to 65535')
  return { host, port }
}

/**
 * The values of the parameters, whose names are compared without regard to case. An unknown one would be ignored, and what
 * it asks for would not happen.
 *
 * @throws {TypeError} naming the first that is unknown or given twice.
 */
export function knownParameters<Name extends string>(
  parameters: URLSearchParams,
  known: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const values: Partial<Record<Name, string>> = {}
  for (const [written, value] of parameters) {
    const name = known.find((one) => one.toLowerCase() === written.toLowerCase())
    if (name === undefined) throw new TypeError(`has no parameter ${written}, only ${known.join(', ')}`)
    if (values[name] !== undefined) throw new TypeError(`has the parameter ${name} twice`)
    values[name] = value
  }
  return values
}
