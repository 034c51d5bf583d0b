import type { EventStore, StoredEvent } from '#infra/event-store/event-store.ts'
import { type CheckedEvent, checkMac } from './codec/event-authentication.ts'

/**
 * Checks each event as it is read. Those that are not authentic are delivered with the reason: consumers block their
 * streams.
 *
 * @param secrets Have the key of the MACs, which is unknown until the root secret is unwrapped.
 */
export function withAuthentication(store: EventStore, secrets: { readonly eventKey: Uint8Array }): EventStore {
  const check = (event: StoredEvent): CheckedEvent => {
    const verdict = checkMac(secrets.eventKey, event)
    return verdict === 'authentic' ? event : { ...event, forgery: verdict === 'forged' ? 'altered' : 'added' }
  }
  return {
    ...store,
    async *readStream(stream, from, pageSize) {
      for await (const page of store.readStream(stream, from, pageSize)) yield page.map(check)
    },
    async *subscribe(after, options) {
      for await (const batch of store.subscribe(after, options)) yield { ...batch, events: batch.events.map(check) }
    },
  }
}
