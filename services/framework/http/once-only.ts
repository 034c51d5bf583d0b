import { createHash } from 'node:crypto'
import type { Request } from 'express'
import { IDEMPOTENCY_HEADER } from '#services/framework/api/headers.ts'
import { IdempotencyKey } from '#services/framework/api/idempotency-key.ts'
import { takesIdempotencyKey } from '#services/framework/api/takes-idempotency-key.ts'
import type { Route } from '#services/framework/api/route.ts'
import type { OnceOnly } from '#services/event-sourcing/codec/metadata.ts'
import { actorOf, type Caller } from './caller.ts'
import { parsed } from './http-errors.ts'

/** Keyed digests of what a request contains, hex. */
export interface RequestDigests {
  requestDigest(content: string): string
}

/**
 * What makes a request take effect once, if it has an Idempotency-Key; undefined if it has none or the call takes none. A key
 * belongs to its sender, the call and the path. Its events carry keyed hashes of it, so it is known for good.
 *
 * @throws {HttpError} 400 for a key that is none.
 */
export function onceOnlyOf(
  route: Route,
  caller: Caller,
  request: Request,
  { requestDigest }: RequestDigests,
): OnceOnly | undefined {
  const header = request.get(IDEMPOTENCY_HEADER)
  if (header === undefined || !takesIdempotencyKey(route)) return undefined
  const name = parsed(IdempotencyKey, header)
  const actor = actorOf(caller)
  const digest = (...content: readonly unknown[]) => requestDigest(JSON.stringify(content))
  const sent = [actor.kind, 'id' in actor ? actor.id : '', route.method, request.path, name]
  const key = digest('once', ...sent).slice(0, DIGITS)
  const file = request.file && createHash('sha256').update(request.file.buffer).digest('hex')
  const steps = new Map<string, number>()
  return {
    key,
    content: digest('content', request.query, request.body ?? null, file ?? null).slice(0, DIGITS),
    nextStep(stream) {
      const step = steps.get(stream) ?? 0
      steps.set(stream, step + 1)
      return step
    },
    // From the key as it was sent, which is stored nowhere.
    bytesFor: (what) => Buffer.from(digest('made', ...sent, what), 'hex'),
  }
}

/** 128 bits. */
const DIGITS = 32
