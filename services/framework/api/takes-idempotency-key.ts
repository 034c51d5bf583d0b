import { IDEMPOTENCY_HEADER } from './headers.ts'

/** The part of a route that tells whether its call takes the header. */
interface KeyedCall {
  readonly method: string
  readonly access: string
  readonly reads?: true
  readonly ofSession?: true
  readonly headers?: Readonly<Record<string, unknown>>
}

/**
 * Whether a call takes an Idempotency-Key for what it decides in general: each change by a person, but no sign-in. A payout
 * request has a rule of its own, and programs have references of their own. Imports no schema, for a browser's first page.
 */
export function takesIdempotencyKey({ method, reads, ofSession, access, headers }: KeyedCall): boolean {
  const isChange = method !== 'get' && !reads && !ofSession
  return isChange && !access.startsWith('program:') && headers?.[IDEMPOTENCY_HEADER] === undefined
}
