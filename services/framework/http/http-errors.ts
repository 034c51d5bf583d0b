import { INVALID } from '#services/framework/api/text.ts'
import { MulterError } from 'multer'
import { z } from 'zod'
import { WrongRevision } from '#infra/event-store/event-store.ts'
import { Unavailable } from '#infra/failures.ts'
import { BadCursor } from '#infra/read-model-store/read-model-store.ts'
import {
  type BannedAnswer,
  type ErrorAnswer,
  fieldFailure,
  validationFailure,
} from '#services/framework/api/error-schemas.ts'
import type { Status } from '#services/framework/api/route.ts'
import { ForgedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { MissingEvents } from '#services/event-sourcing/missing-events.ts'
import { Refused, type RefusalKind } from '#services/event-sourcing/refusal.ts'

/** An HTTP error response, thrown where the reason is known. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  constructor(
    readonly status: Status,
    readonly body: ErrorAnswer | BannedAnswer,
    /** For 429 and 503. */
    readonly retryAfterSeconds?: number,
  ) {
    super(body.message)
  }
}

/** A part of a request. @throws {HttpError} 400, when it does not match its schema. */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { data, error } = safelyParsed(schema, value)
  if (error) throw new HttpError(400, validationFailure(error))
  return data
}

/** The path of a request. @throws {HttpError} 404 for a text that is no id, 400 for any other fault. */
export function parsedPath<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { data, error } = safelyParsed(schema, value)
  if (!error) return data
  const [issue] = error.issues
  throw issue?.code === 'custom'
    ? new HttpError(404, { message: issue.message })
    : new HttpError(400, validationFailure(error))
}

/**
 * zod compares the length of all that has one, and throws where that is an object that is no number: JSON can hold
 * such.
 */
function safelyParsed<Schema extends z.ZodType>(schema: Schema, value: unknown) {
  try {
    return schema.safeParse(value)
  } catch (error) {
    if (error instanceof TypeError) throw new HttpError(400, { message: INVALID })
    throw error
  }
}

/** @param code how the session ended that the request names */
export function notSignedIn(code?: ErrorAnswer['code']): HttpError {
  return new HttpError(401, { message: 'You are not signed in', ...(code && { code }) })
}

/** The password or access key was right, and the second step is missing. */
export function secondFactorRequired(): HttpError {
  return new HttpError(401, {
    message: 'Please confirm the sign-in with your second factor',
    code: 'second-factor-required',
  })
}

/** No sign-in waits for its second step in this browser, or its 5 minutes are over. */
export function noPendingSignIn(): HttpError {
  return new HttpError(401, { message: 'Please sign in again' })
}

export function banned(reason: string): HttpError {
  return new HttpError(403, { banned: true, message: `Your account has been banned: ${reason}`, banReason: reason })
}

export function tooManyAttempts(waitMs: number): HttpError {
  const seconds = Math.ceil(waitMs / 1000)
  return new HttpError(429, { message: `Too many attempts. Please try again in ${formatDuration(seconds)}.` }, seconds)
}

function formatDuration(seconds: number): string {
  return seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
}

const statusOf: Record<RefusalKind, Status> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
}

const UNAVAILABLE_RETRY_SECONDS = 2

/** Maps errors to HTTP responses; undefined for faults of ours. */
export function toHttpError(error: unknown): HttpError | undefined {
  if (error instanceof HttpError) return error
  if (error instanceof Refused)
    return new HttpError(
      statusOf[error.kind],
      error.field ? fieldFailure(error.field, error.message) : { message: error.message },
    )
  if (error instanceof Unavailable)
    return new HttpError(
      503,
      { message: "We can't reach our servers right now. Please try again in a moment." },
      UNAVAILABLE_RETRY_SECONDS,
    )
  if (error instanceof ForgedEvent)
    return new HttpError(500, {
      message:
        'This record is blocked, because an event in it was not recorded by this portal. An administrator has to look into it.',
    })
  if (error instanceof MissingEvents)
    return new HttpError(500, {
      message:
        'This record is blocked, because events are missing that this portal recorded. An administrator has to look into it.',
    })
  if (error instanceof WrongRevision)
    return new HttpError(409, { message: 'Someone else changed this at the same time. Please try again.' })
  if (error instanceof BadCursor) return new HttpError(400, fieldFailure('cursor', 'Invalid input'))
  if (error instanceof MulterError) return new HttpError(400, { message: 'The upload is not valid' })
  return fromBodyParser(error)
}

const bodyParserError = z.object({ type: z.string(), status: z.int() })

const notJson = [400, 'The request is not valid JSON'] as const
const notDecoded = [415, 'The request has an encoding that is not supported'] as const
/** The answers to the body parser's errors, by their type. */
const bodyErrors: Readonly<Record<string, readonly [Status, message: string]>> = {
  'entity.too.large': [413, 'The request is too large'],
  'entity.parse.failed': notJson,
  'request.aborted': notJson,
  'request.size.invalid': notJson,
  'encoding.unsupported': notDecoded,
  'charset.unsupported': notDecoded,
}

/** Decompression errors, which the body parser marks as the client's fault. */
const notItsEncoding = z.object({ status: z.literal(400), code: z.string().regex(/^(Z_|ERR_)/) })

/** Error codes for a client that disconnects during its request or our answer. */
const disconnectCodes = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_UNABLE_TO_PIPE',
  'ERR_STREAM_DESTROYED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
])

/** Whether an error only means that the client disconnected. */
export function isDisconnect(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // The upload parser's errors have no code.
  return (
    disconnectCodes.has(String(Reflect.get(error, 'code'))) ||
    /^Request (aborted|closed)$|^Unexpected end of form$/.test(error.message)
  )
}

function fromBodyParser(error: unknown): HttpError | undefined {
  const parsed = bodyParserError.safeParse(error)
  if (!parsed.success) {
    // Broken percent-encoding in an address, and anything the multipart parser cannot read.
    if (error instanceof URIError) return new HttpError(400, { message: 'The address is not valid' })
    if (notItsEncoding.safeParse(error).success)
      return new HttpError(400, { message: 'The request does not match its Content-Encoding' })
    if (error instanceof Error && /multipart|unexpected end of form|boundary|^malformed /i.test(error.message))
      return new HttpError(400, { message: 'The upload is not valid' })
    return undefined
  }
  const known = bodyErrors[parsed.data.type]
  return known && new HttpError(known[0], { message: known[1] })
}
