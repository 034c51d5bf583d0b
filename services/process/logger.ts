import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino'
import { z } from 'zod'
import type { Config } from './config.ts'

/** Fields that may hold personal data or secrets, at any depth of a line. */
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

/** An error as it is logged: without the properties a library attaches, such as the request or the mail. */
interface SerializedError {
  readonly type: string
  readonly message: string
  readonly stack: string | undefined
  readonly code?: unknown
  readonly cause?: SerializedError
}

/**
 * The log: JSON lines without personal data. Actions of persons are in the event log, where they can be erased; these
 * lines hold ids that refer to it.
 */
export function createLogger(level: Config['logLevel'], destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    redact: { paths: REDACTED_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '…' },
    serializers: { err: serializeError },
    // Redact last: a library's message may contain an email address, or a server's address with its password.
    hooks: { streamWrite: withoutSecrets },
  }
  return destination ? pino(options, destination) : pino(options)
}

/**
 * Where log lines are for people: each is a time, a level for what is worth attention, the message, and its details.
 */
export function readableLines(write: (text: string) => void): DestinationStream {
  return { write: (line) => write(`${readableLine(line)}\n`) }
}

const levels: Readonly<Record<number, string>> = { 20: 'debug ', 40: 'WARNING ', 50: 'ERROR ', 60: 'FATAL ' }

const logLine = z.looseObject({
  level: z.int(),
  time: z.number(),
  msg: z.string().optional(),
  err: z.looseObject({ message: z.string(), stack: z.string() }).partial().optional(),
})

function readableLine(line: string): string {
  const { level, time, msg = '', err, ...details } = logLine.parse(JSON.parse(line))
  const rest = Object.entries(details).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const head = [`${new Date(time).toISOString().slice(11, 19)}  ${levels[level] ?? ''}${msg}`, ...rest].join('  ')
  const trace = err?.stack ?? err?.message
  return trace === undefined ? head : `${head}\n${trace.replaceAll(/^/gm, '    ')}`
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error)
  return serializeValue(error, 0)
}

function serializeValue(error: Error, depth: number): SerializedError {
  const { type, message, stack } = stdSerializers.err(error)
  const code = 'code' in error ? error.code : undefined
  const own = error.cause instanceof Error && depth < 5 ? serializeValue(error.cause, depth + 1) : undefined
  return {
    type,
    message,
    stack,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(own && { cause: own }),
  }
}

/** Each must take linear time: clients choose the path of a request, which is in its line. */
const SECRETS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  // Name and password in a server's address.
  [/(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/"@]+@/gi, '$1…@'],
  // An email address, tried only where its mailbox can begin.
  [/(?<![^\s"'<>\\@:;,()[\]/=])[^\s"'<>\\@:;,()[\]/=]+@[a-z0-9-]+(\.[a-z0-9-]+)+/gi, '…'],
  [/\bpdk_[\w-]+/g, 'pdk_…'],
  // The code of a shared certificate, at the beginning of a request's path.
  [/("path":"\/c\/)[^"/\\]+/gi, '$1…'],
  [/\b(token=)[^\s"&\\]+/gi, '$1…'],
]

/** Redacts email addresses, access keys, codes of shared certificates, and passwords in addresses. */
export function withoutSecrets(line: string): string {
  let clean = line
  for (const [pattern, instead] of SECRETS) clean = clean.replace(pattern, instead)
  return clean
}
