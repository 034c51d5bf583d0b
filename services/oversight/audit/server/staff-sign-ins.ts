import type { EventStore } from '#infra/event-store/event-store.ts'
import { adminKeyStreams } from '#services/identity/staff/access-key.ts'
import { streamName } from '#services/event-sourcing/aggregate-type.ts'
import { isAuthentic } from '#services/event-sourcing/codec/event-authentication.ts'
import { type TimelineEntry, timelineEntryOf } from './timeline-entries.ts'

/** When administrators signed in, read from the streams of their access keys. */
export function createStaffSignIns(eventStore: Pick<EventStore, 'readStream'>) {
  const cache = new Map<string, { next: number; readonly entries: TimelineEntry[] }>()

  const refresh = async (keyId: string): Promise<readonly TimelineEntry[]> => {
    const cached = cache.get(keyId) ?? { next: 0, entries: [] }
    cache.set(keyId, cached)
    for await (const page of eventStore.readStream(streamName(adminKeyStreams, keyId), cached.next))
      for (const event of page) {
        // A concurrent refresh may have read further.
        if (event.revision < cached.next) continue
        cached.next = event.revision + 1
        if (event.type === 'AdminSignedIn' && isAuthentic(event)) cached.entries.push(timelineEntryOf(event))
      }
    return cached.entries
  }

  return {
    /** The last sign-in with a key before an event: the one under which the event was appended. */
    async lastBefore(keyId: string, number: number): Promise<TimelineEntry | undefined> {
      const entries = cache.get(keyId)?.entries ?? []
      // The cache suffices when it holds a later sign-in.
      const suffices = (entries.at(-1)?.number ?? 0) > number
      return (suffices ? entries : await refresh(keyId)).findLast((entry) => entry.number < number)
    },
  }
}
