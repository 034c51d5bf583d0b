import type { EventStore, StoredEvent } from '../../infra/event-store/event-store.ts'

/** Where a fact stands in the log. */
export interface Place {
  readonly stream: string
  readonly revision: number
}

/** Facts of one stream that lie no further apart are read in one go: what lies between costs less than another read. */
const GAP = 64
const LARGEST_READ = 1_000

/** The events at these places, in the order of the places. @throws {Error} when the log has none there. */
export async function readPlaces(eventStore: Pick<EventStore, 'readStream'>, places: readonly Place[]): Promise<StoredEvent[]> {
  const found = new Map<string, StoredEvent>()
  for (const { stream, first, last } of runsOf(places)) {
    reading: for await (const page of eventStore.readStream(stream, first, Math.min(last - first + 1, LARGEST_READ)))
      for (const event of page) {
        if (event.revision > last) break reading
        found.set(nameOf(event), event)
        if (event.revision === last) break reading
      }
  }
  return places.map((place) => {
    const event = found.get(nameOf(place))
    if (!event) throw new Error(`The log has lost ${nameOf(place)}`)
    return event
  })
}

const nameOf = ({ stream, revision }: Place) => `${stream}#${revision}`

interface Run {
  readonly stream: string
  readonly first: number
  last: number
}

function runsOf(places: readonly Place[]): readonly Run[] {
  const runs: Run[] = []
  const open = new Map<string, Run>()
  for (const { stream, revision } of [...places].sort((one, other) => one.revision - other.revision)) {
    const run = open.get(stream)
    if (run && revision - run.last <= GAP) run.last = revision
    else {
      const begun = { stream, first: revision, last: revision }
      open.set(stream, begun)
      runs.push(begun)
    }
  }
  return runs
}
