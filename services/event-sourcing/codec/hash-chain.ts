import { hash } from 'node:crypto'
import type { EventToAppend } from '#infra/event-store/event-store.ts'

/**
 * The hash of one event over its stored bytes, hex. Its metadata holds the hash of the stream's event before, so the
 * events of a stream are a chain: none can be altered, removed or reordered without every later hash changing.
 */
export function eventHash(stream: string, revision: number, event: EventToAppend): string {
  // Lengths before texts, so that no two different events give the same bytes.
  const parts = [stream, String(revision), event.id, event.type, event.data, event.metadata]
  return hash('sha256', parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''))
}
