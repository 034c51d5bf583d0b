/** What the server said when it refused: for a toast, for the fields of a form, and for whoever watches the session. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  constructor(
    /** 0 when there was no answer at all. */
    readonly status: number,
    message: string,
    /** A message a field, after a validation. */
    readonly fields: Readonly<Record<string, string>> = {},
    /** Set when the account is banned; the reason may be unknown. */
    readonly banned?: { readonly reason: string | null },
    /** The answer was JSON without a message in it: whoever has a text of their own says that. */
    readonly wordless = false,
  ) {
    super(message)
  }
}

/** The message for a person: the server's, or `fallback` for what is no answer of the server. */
export function messageOf(error: unknown, fallback: string): string {
  return error instanceof ApiError && error.message !== '' && !error.wordless ? error.message : fallback
}

/** Reads the body of a refusal: JSON with a message, or whatever text stands there as '{status}: {text}' (specification §8). */
export function refusal(status: number, statusText: string, body: string): ApiError {
  const said = read(body)
  const wordless = said !== undefined && (typeof said['message'] !== 'string' || said['message'] === '')
  const message = typeof said?.['message'] === 'string' && !wordless ? said['message'] : `${status}: ${body || statusText}`
  const fields = isRecord(said?.['errors']) ? texts(said['errors']) : {}
  const reason = said?.['banReason']
  const banned = status === 403 && said?.['banned'] === true ? { reason: typeof reason === 'string' && reason !== '' ? reason : null } : undefined
  return new ApiError(status, message, fields, banned, wordless)
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
  return Object.fromEntries(Object.entries(record).flatMap(([field, value]) => (typeof value === 'string' ? [[field, value]] : [])))
}
