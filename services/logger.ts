import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'
import type { Config } from './config.ts'

/** Fields that may hold what is personal or opens something, wherever they stand in a line. */
const REDACTED_FIELDS = [
  'fullName',
  'email',
  'country',
  'city',
  'street',
  'houseNumber',
  'password',
  'newPassword',
  'currentPassword',
  'confirmPassword',
  'masterPassword',
  'paymentDetails',
  'details',
  'accessKey',
  'token',
  'cookie',
  'authorization',
  'body',
  'headers',
  'recipient',
]

/** What is told of an error: not what a library has hung on it, such as the request or the mail that it was about. */
interface SerializedError {
  readonly type: string
  readonly message: string
  readonly stack: string | undefined
  readonly code?: unknown
  readonly cause?: SerializedError
}

/**
 * The log: a line of JSON for each thing worth knowing, without what is personal. Who did what stands in the event log,
 * where it can be erased; here stand ids that lead there.
 */
export function createLogger(level: Config['logLevel'], destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    redact: { paths: REDACTED_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '…' },
    serializers: { err: serializeError },
    // The last look: a library's words may name an address, or the server's with its password.
    hooks: { streamWrite: withoutSecrets },
  }
  return destination ? pino(options, destination) : pino(options)
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  return serializeValue(error, 0)
}

function serializeValue(error: Error, depth: number): SerializedError {
  const { type, message, stack } = stdSerializers.err(error)
  const code = 'code' in error ? error.code : undefined
  const own = error.cause instanceof Error && depth < 5 ? serializeValue(error.cause, depth + 1) : undefined
  return { type, message, stack, ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}), ...(own && { cause: own }) }
}

const SECRETS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  // Name and password in the address of a server.
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/"@]+@/gi, '$1…@'],
  [/[^\s"'<>\\@:;,()[\]/=]+@[a-z0-9-]+(\.[a-z0-9-]+)+/gi, '…'],
  [/\bpdk_[\w-]+/g, 'pdk_…'],
  [/\b(token=)[^\s"&\\]+/gi, '$1…'],
]

/** Replaces in a line of the log whatever looks like an email address, an access key, or a password in an address. */
export function withoutSecrets(line: string): string {
  let clean = line
  for (const [pattern, instead] of SECRETS) clean = clean.replace(pattern, instead)
  return clean
}
