import type { EventStore } from '../../infra/event-store/event-store.ts'
import { decodeEvent } from '../event-sourcing/codec/event-codec.ts'
import { eventRegistry, adminKeys, streamName } from '../domain/streams.ts'
import { type TimelineEntry, timelineEntryOf } from './timeline-entries.ts'

/** When the holders of access keys signed in, read from the keys' own streams as far as the log goes. */
export interface StaffSignIns {
  /** The sign-in of this key that came last before a fact: the one that the fact was recorded under. */
  lastBefore(keyId: string, number: number): Promise<TimelineEntry | undefined>
}

interface KnownSignIns {
  next: number
  readonly entries: TimelineEntry[]
}

export function createStaffSignIns(eventStore: Pick<EventStore, 'readStream'>): StaffSignIns {
  const known = new Map<string, KnownSignIns>()

  const refresh = async (keyId: string): Promise<readonly TimelineEntry[]> => {
    const of = known.get(keyId) ?? { next: 0, entries: [] }
    known.set(keyId, of)
    for await (const page of eventStore.readStream(streamName(adminKeys, keyId), of.next))
      for (const event of page) {
        // Somebody else may have read on meanwhile.
        if (event.revision < of.next) continue
        of.next = event.revision + 1
        if (event.type === 'AdminSignedIn') of.entries.push(timelineEntryOf(decodeEvent(eventRegistry, event, undefined)))
      }
    return of.entries
  }

  return {
    async lastBefore(keyId, number) {
      const entries = known.get(keyId)?.entries ?? []
      // What is known is enough where something known came later.
      const enough = (entries.at(-1)?.number ?? 0) > number
      return (enough ? entries : await refresh(keyId)).findLast((entry) => entry.number < number)
    },
  }
}
