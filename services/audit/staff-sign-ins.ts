import type { EventStore } from '../../infra/event-store/event-store.ts'
import { decode } from '../event-sourcing/codec/event-codec.ts'
import { adminKeys, streamName } from '../domain/streams.ts'
import { type Entry, entryOf } from './timeline-entries.ts'

/** When the holders of access keys signed in, read from the keys' own streams as far as the log goes. */
export interface SignIns {
  /** The sign-in of this key that came last before a fact: the one that the fact was recorded under. */
  lastBefore(keyId: string, number: number): Promise<Entry | undefined>
}

interface Known {
  next: number
  readonly entries: Entry[]
}

export function openSignIns(eventStore: Pick<EventStore, 'readStream'>): SignIns {
  const known = new Map<string, Known>()

  const refresh = async (keyId: string): Promise<readonly Entry[]> => {
    const of = known.get(keyId) ?? { next: 0, entries: [] }
    known.set(keyId, of)
    for await (const page of eventStore.readStream(streamName(adminKeys, keyId), of.next))
      for (const event of page) {
        // Somebody else may have read on meanwhile.
        if (event.revision < of.next) continue
        of.next = event.revision + 1
        if (event.type === 'AdminSignedIn') of.entries.push(entryOf(decode(event, undefined)))
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
