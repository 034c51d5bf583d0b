import type { EventStore, StoredEvent } from '../../infra/event-store/event-store.ts'

/** Where a fact stands in the log. */
export interface StreamRevision {
  readonly stream: string
  readonly revision: number
}

/** Facts of one stream that lie no further apart are read in one go: what lies between costs less than another read. */
const MAX_READ_GAP = 64
const MAX_READ_SIZE = 1_000

/** The events at these places, in the order of the places. @throws {Error} when the log has none there. */
export async function readEventsAt(eventStore: Pick<EventStore, 'readStream'>, places: readonly StreamRevision[]): Promise<StoredEvent[]> {
  const found = new Map<string, StoredEvent>()
  for (const { stream, first, last } of readRangesOf(places)) {
    reading: for await (const page of eventStore.readStream(stream, first, Math.min(last - first + 1, MAX_READ_SIZE)))
      for (const event of page) {
        if (event.revision > last) break reading
        found.set(formatStreamRevision(event), event)
        if (event.revision === last) break reading
      }
  }
  return places.map((place) => {
    const event = found.get(formatStreamRevision(place))
    if (!event) throw new Error(`The log has lost ${formatStreamRevision(place)}`)
    return event
  })
}

const formatStreamRevision = ({ stream, revision }: StreamRevision) => `${stream}#${revision}`

interface ReadRange {
  readonly stream: string
  readonly first: number
  last: number
}

function readRangesOf(places: readonly StreamRevision[]): readonly ReadRange[] {
  const runs: ReadRange[] = []
  const open = new Map<string, ReadRange>()
  for (const { stream, revision } of [...places].sort((one, other) => one.revision - other.revision)) {
    const run = open.get(stream)
    if (run && revision - run.last <= MAX_READ_GAP) run.last = revision
    else {
      const begun = { stream, first: revision, last: revision }
      open.set(stream, begun)
      runs.push(begun)
    }
  }
  return runs
}
