import { knownParameters, parseHost, parseServerAddress } from '#infra/server-address.ts'

/** A mail server, and how it is spoken to. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  /** `implicit`: TLS from the first byte; `required`: STARTTLS, or nothing is sent; `never`: in clear, even if offered. */
  readonly encryption: 'implicit' | 'required' | 'offered' | 'never'
  /** The name of this portal in EHLO; undefined: the host of its public address. */
  readonly name: string | undefined
}

/** The ports of submission: RFC 8314 §7.3 with implicit TLS, RFC 6409 §3.1 without. */
const IMPLICIT_TLS_PORT = 465
const SUBMISSION_PORT = 587

/** The parameters, named as in the addresses of nodemailer. */
const PARAMETERS = ['requireTLS', 'ignoreTLS', 'secure', 'name'] as const

/**
 * Reads `smtp://name:password@host:587?requireTLS=true`, or `smtps://…`.
 *
 * @throws {TypeError} saying what is wrong with it, without repeating the password.
 */
export function parseSmtpServer(text: string): SmtpServer {
  const { protocol, user, password, hosts, path, parameters } = parseServerAddress(
    text,
    ['smtp', 'smtps'],
    'smtp://name:password@host:587',
  )
  if (path !== '' && path !== '/') throw new TypeError('must have no path after the host')
  const { name, ...flags } = knownParameters(parameters, PARAMETERS)
  const encryption = encryptionOf(protocol, flags)
  const port = encryption === 'implicit' ? IMPLICIT_TLS_PORT : SUBMISSION_PORT
  // RFC 5321 §4.1.1.1: a domain, or an address in brackets.
  if (name !== undefined && !/^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-z:.]+\])$/i.test(name))
    throw new TypeError('must have a name like portal.example, or an address in [ ]')
  return { ...parseHost(hosts, port), user, password, encryption, name }
}

function encryptionOf(
  protocol: string,
  flags: Readonly<Partial<Record<'secure' | 'requireTLS' | 'ignoreTLS', string>>>,
): SmtpServer['encryption'] {
  for (const [name, value] of Object.entries(flags))
    if (value !== 'true' && value !== 'false') throw new TypeError(`must have ${name} as true or false`)
  const isImplicit = flags.secure === undefined ? protocol === 'smtps' : flags.secure === 'true'
  const [isRequired, isExcluded] = [flags.requireTLS === 'true', flags.ignoreTLS === 'true']
  if ((protocol === 'smtps' && !isImplicit) || (isExcluded && (isRequired || isImplicit)))
    throw new TypeError('must not both ask for encryption and exclude it')
  if (isImplicit) return 'implicit'
  if (isRequired) return 'required'
  return isExcluded ? 'never' : 'offered'
}
