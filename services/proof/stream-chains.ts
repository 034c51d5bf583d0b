import { LRUCache } from 'lru-cache'
import type { EventStore, StoredEvent } from '#infra/event-store/event-store.ts'
import { eventHash } from '#services/event-sourcing/codec/hash-chain.ts'
import { type Finding, findingAt, findingOf, nameOfEvent } from './log-finding.ts'

/** Heads of streams in memory, some 300 bytes each. */
const MOST_HEADS = 50_000

interface ChainHead {
  readonly revision: number
  readonly hash: string
  readonly position: string
}

/**
 * The hash chains of streams, followed along the log. The heads used last are in memory; others are read from the log
 * again, so memory is bounded, and following can begin anywhere.
 */
export class StreamChains {
  private readonly heads = new LRUCache<string, ChainHead>({ max: MOST_HEADS })

  constructor(private readonly eventStore: Pick<EventStore, 'readStream'>) {}

  /** Checks the next event of a stream, and returns what is wrong with it. */
  async follow(event: StoredEvent): Promise<Finding | undefined> {
    const { stream, revision, metadata } = event
    const head = this.heads.get(stream) ?? (revision > 0 ? await this.before(event) : undefined)
    const previous = previousIn(metadata)
    this.heads.set(stream, headOf(event))
    const name = nameOfEvent(event)
    const expected = (head?.revision ?? -1) + 1
    if (revision > expected)
      return findingAt(
        'missing',
        { number: event.position, stream, revision: expected },
        `${stream}#${expected} is missing before event ${event.position}`,
      )
    if (revision < expected || (head && Number(head.position) >= Number(event.position)))
      return findingOf('reordered', event, `${name} comes after ${stream}#${head?.revision}`)
    if (previous === undefined) return findingOf('altered', event, `${name} was altered: its metadata can't be read`)
    if (previous === (head?.hash ?? null)) return undefined
    if (!head) return findingOf('altered', event, `${name} is the first of its stream but names a previous one`)
    return findingAt(
      'altered',
      { number: head.position, stream, revision: head.revision },
      `Event ${head.position} (${stream}#${head.revision}) was altered or replaced: ${name}, the next of its stream, names a different one`,
    )
  }

  /** The event before; if it is missing, the last one there is. */
  private async before({ stream, revision }: StoredEvent): Promise<ChainHead | undefined> {
    for await (const [event] of this.eventStore.readStream(stream, revision - 1, 1)) {
      if (event?.revision === revision - 1) return headOf(event)
      break
    }
    let last: StoredEvent | undefined
    for await (const page of this.eventStore.readStream(stream))
      last = page.findLast((event) => event.revision < revision) ?? last
    return last && headOf(last)
  }
}

function headOf(event: StoredEvent): ChainHead {
  return { revision: event.revision, hash: eventHash(event.stream, event.revision, event), position: event.position }
}

const previousHashPattern = /"previous":(?:null|"([0-9a-f]{64})")\}$/

/** The previous hash that an event names, null for none; undefined if it can't be read. */
function previousIn(metadata: string): string | null | undefined {
  const found = previousHashPattern.exec(metadata)
  return found ? (found[1] ?? null) : undefined
}
