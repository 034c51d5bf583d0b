/** A refusal by the server, or a failure to reach it. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  constructor(
    /** 0 without an answer. */
    readonly status: number,
    message: string,
    /** Validation messages by field. */
    readonly fields: Readonly<Record<string, string>> = {},
    /** Set for a banned account; the reason may be unknown. */
    readonly banned?: { readonly reason: string | null },
    /** The answer was JSON without a message: callers show a text of their own. */
    readonly hasNoMessage = false,
    /** The step that must happen first, for programs: 'confirmation-required'. */
    readonly code?: string,
    /** The whole answer, where it was JSON: some refusals say more, by a schema of their call. */
    readonly content?: Readonly<Record<string, unknown>>,
  ) {
    super(message)
  }
}

/** The message for people: the server's, or `fallback` without one. */
export function messageOf(error: unknown, fallback = 'Please try again in a moment.'): string {
  return error instanceof ApiError && error.message !== '' && !error.hasNoMessage ? error.message : fallback
}

/** Reads the body of a refusal: JSON with a message, or any text as '{status}: {text}' (specification §8). */
export function refusal(status: number, statusText: string, body: string): ApiError {
  const content = read(body)
  const hasNoMessage = content !== undefined && (typeof content['message'] !== 'string' || content['message'] === '')
  const message =
    typeof content?.['message'] === 'string' && !hasNoMessage ? content['message'] : `${status}: ${body || statusText}`
  const fields = isRecord(content?.['errors']) ? texts(content['errors']) : {}
  const reason = content?.['banReason']
  const banned =
    status === 403 && content?.['banned'] === true
      ? { reason: typeof reason === 'string' && reason !== '' ? reason : null }
      : undefined
  const code = typeof content?.['code'] === 'string' ? content['code'] : undefined
  return new ApiError(status, message, fields, banned, hasNoMessage, code, content)
}

function read(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function texts(record: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([field, value]) => (typeof value === 'string' ? [[field, value]] : [])),
  )
}
