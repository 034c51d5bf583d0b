import { comparePositions, type EventStore, type Position, type StoredEvent } from '../../infra/event-store/event-store.ts'
import { type CheckedEvent, checkMac } from './codec/event-authentication.ts'

/** What the check of events needs to know of the installation. */
export interface Authentication {
  /** The key of the MACs. */
  readonly eventKey: Uint8Array
  /** Events up to here are accepted without a MAC; undefined while the log is not adopted, and all are. */
  adoptedUpTo(): Promise<Position | undefined>
}

/** Checks each event as it is read. Those that are not authentic are delivered with the reason: consumers block their streams. */
export function withAuthentication(store: EventStore, authentication: Authentication): EventStore {
  const check = async (events: readonly StoredEvent[]): Promise<CheckedEvent[]> => {
    const { eventKey } = authentication
    const verdicts = events.map((event) => checkMac(eventKey, event))
    const adoptedUpTo = verdicts.includes('unsigned') ? await authentication.adoptedUpTo() : undefined
    const isAccepted = ({ position }: StoredEvent) => adoptedUpTo === undefined || comparePositions(position, adoptedUpTo) <= 0
    return events.map((event, index): CheckedEvent => {
      if (verdicts[index] === 'forged') return { ...event, forgery: 'altered' }
      if (verdicts[index] === 'unsigned' && !isAccepted(event)) return { ...event, forgery: 'added' }
      return event
    })
  }
  return {
    ...store,
    async *readStream(stream, from, pageSize) {
      for await (const page of store.readStream(stream, from, pageSize)) yield check(page)
    },
    async *subscribe(after, options) {
      for await (const batch of store.subscribe(after, options)) yield { ...batch, events: await check(batch.events) }
    },
  }
}
