/**
 * The Idempotency-Key of each change. A request whose answer did not come keeps its key: the same again takes effect once,
 * also from another button or page. After an answer the same request means another change.
 */

/** Keys of requests whose outcome is not known, by what they ask. */
const unknown = new Map<string, string>()

export interface Intention {
  readonly key: string
  /** It was answered: the outcome is known. */
  answered(): void
  /** No answer came. */
  unanswered(): void
}

/** @param address With its method. */
export function intentionOf(address: string, body: unknown, form: FormData | undefined): Intention {
  const asked = JSON.stringify([
    address,
    body ?? null,
    form ? [...form].map(([name, value]) => [name, contentOf(value)]) : null,
  ])
  const key = unknown.get(asked) ?? newIdempotencyKey()
  return { key, answered: () => void unknown.delete(asked), unanswered: () => void unknown.set(asked, key) }
}

function contentOf(value: FormDataEntryValue) {
  return typeof value === 'string' ? value : [value.name, value.size, value.lastModified]
}

/** 128 random bits; browsers offer `randomUUID` only over HTTPS. */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
