import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'

/** The revision that an append expects. Our store never uses 'any', only tests that write past it. */
export type Expected = 'any' | 'no_stream' | number

/** Base64 in a file. */
const bytes = z.codec(z.base64(), z.instanceof(Uint8Array), {
  decode: (text) => Buffer.from(text, 'base64'),
  encode: (content) => Buffer.from(content).toString('base64'),
})
const proposedEvent = z.object({
  id: z.string(),
  type: z.string(),
  contentType: z.string(),
  data: bytes,
  metadata: bytes,
})
const loggedEvent = proposedEvent.extend({
  stream: z.string(),
  revision: z.number(),
  /** The offset of its record in bytes, so there are gaps. */
  position: z.number(),
  /** Ms since 1970. */
  created: z.number(),
})
const loggedEvents = z.array(loggedEvent)

export type ProposedEvent = Readonly<z.output<typeof proposedEvent>>
export type LoggedEvent = Readonly<z.output<typeof loggedEvent>>

export type Outcome =
  | { readonly revision: number; readonly position: number }
  | { readonly wrong: 'revision'; readonly actual: number | 'no_stream' }
  | { readonly wrong: 'size' }
  | { readonly wrong: 'deleted' }

/** The limit of one append in bytes: data, metadata and twice the type. */
export const LARGEST_APPEND = 1024 * 1024

/** The revision of a stream's tombstone: the largest that a server counts, 2⁶³ − 1. */
export const TOMBSTONE = 2 ** 63

/** What the server honours when a stream is read. It is the newest event of the stream `$$name`. */
const streamMetadata = z.object({
  /** The first revision that is shown; that of a tombstone after a soft delete. */
  $tb: z.number().default(0),
  /** Events that are shown, the newest. */
  $maxCount: z.number().default(Infinity),
  /** In seconds. */
  $maxAge: z.number().default(Infinity),
})

/** The log of the double. It decides appends as EventStoreDB 24.10 does. */
export class EventLog {
  #events: LoggedEvent[] = []
  readonly #streams = new Map<string, LoggedEvent[]>()
  readonly #deleted = new Set<string>()
  readonly #listeners = new Set<(events: readonly LoggedEvent[]) => void>()

  /**
   * @param path Each append is also a line of this file, so that the log survives its process; without it the log is in
   * memory only.
   */
  constructor(readonly path?: string) {
    if (path !== undefined && existsSync(path))
      for (const line of readFileSync(path, 'utf8').split('\n'))
        if (line.endsWith(']')) this.#add(loggedEvents.parse(JSON.parse(line)))
    if (this.#events.length === 0) this.#begin()
  }

  /** All events in order, the server's own included. */
  get events(): readonly LoggedEvent[] {
    return this.#events
  }

  /** The events of a stream, undefined if it does not exist. */
  stream(name: string): readonly LoggedEvent[] | undefined {
    return this.#streams.get(name)
  }

  /** What reading a stream shows: its metadata hides events, a soft delete all of them. Undefined if there is none. */
  shown(name: string): readonly LoggedEvent[] | 'deleted' | undefined {
    if (this.#deleted.has(name)) return 'deleted'
    const { $tb, $maxCount, $maxAge } = this.#metadataOf(name)
    const events = this.stream(name)
    if (!events || $tb >= TOMBSTONE) return undefined
    const oldest = Date.now() - $maxAge * 1000
    return events.filter(
      ({ revision, created }) => revision >= $tb && revision >= events.length - $maxCount && created >= oldest,
    )
  }

  /** Says anew what reading a stream shows. */
  setMetadata(name: string, metadata: z.input<typeof streamMetadata>): void {
    const data = Buffer.from(JSON.stringify(metadata))
    const stream = `$$${name}`
    this.#write(stream, this.stream(stream)?.length ?? 0, [{ ...plain, id: randomUUID(), type: '$metadata', data }])
  }

  /** Hides all events of a stream. The next append undoes that for its own. */
  softDelete(name: string): void {
    this.setMetadata(name, { $tb: TOMBSTONE })
  }

  /** Ends a stream for ever. */
  tombstone(name: string): void {
    this.#write(name, TOMBSTONE, [{ ...plain, id: randomUUID(), type: '$streamDeleted' }])
  }

  /** The number of events before a position. */
  countBefore(position: number): number {
    let [low, high] = [0, this.#events.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#events[middle]?.position ?? 0) < position) low = middle + 1
      else high = middle
    }
    return low
  }

  append(name: string, expected: Expected, proposed: readonly ProposedEvent[]): Outcome {
    if (
      proposed.reduce((sum, { data, metadata, type }) => sum + data.length + metadata.length + 2 * type.length, 0) >
      LARGEST_APPEND
    )
      return { wrong: 'size' }
    if (this.#deleted.has(name)) return { wrong: 'deleted' }
    const stream = this.stream(name) ?? []
    const last = stream.length - 1
    const isSoftDeleted = this.#metadataOf(name).$tb >= TOMBSTONE
    const isAtEnd = expected === 'any' || (isSoftDeleted && expected === 'no_stream')
    const wanted = isAtEnd ? last : expected === 'no_stream' ? -1 : expected
    if (wanted !== last) {
      const repeated = proposed.every(({ id }, index) => stream[wanted + 1 + index]?.id === id)
        ? stream[wanted + proposed.length]
        : undefined
      return repeated ?? { wrong: 'revision', actual: last < 0 ? 'no_stream' : last }
    }
    const written = this.#write(name, last + 1, proposed)
    if (isSoftDeleted) this.setMetadata(name, { $tb: last + 1 })
    return written ?? { revision: last, position: 0 }
  }

  /** Calls back with the events of each append. Returns a function that stops it. */
  onAppended(listener: (events: readonly LoggedEvent[]) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Removes all events, like a new server. */
  wipe(): void {
    this.#events = []
    this.#streams.clear()
    this.#deleted.clear()
    this.#begin()
  }

  /** A new server begins its log with events of its own. */
  #begin(): void {
    this.setMetadata('$settings', { $maxCount: 1 })
    this.#write('$users', 0, [{ ...plain, id: randomUUID(), type: '$UserCreated' }])
  }

  #metadataOf(name: string): z.output<typeof streamMetadata> {
    const newest = this.stream(`$$${name}`)?.at(-1)
    return streamMetadata.parse(newest ? JSON.parse(Buffer.from(newest.data).toString()) : {})
  }

  #write(stream: string, from: number, proposed: readonly ProposedEvent[]): LoggedEvent | undefined {
    const last = this.#events.at(-1)
    let position = last ? last.position + sizeOfRecord(last) : 0
    const written = proposed.map((event, index) => {
      const logged = { ...event, stream, revision: from + index, position, created: Date.now() }
      position += sizeOfRecord(logged)
      return logged
    })
    if (this.path !== undefined) appendFileSync(this.path, `${JSON.stringify(loggedEvents.encode(written))}\n`)
    this.#add(written)
    for (const listener of this.#listeners) listener(written)
    return written.at(-1)
  }

  #add(added: readonly LoggedEvent[]): void {
    for (const event of added) {
      this.#events.push(event)
      if (event.revision === TOMBSTONE) {
        this.#deleted.add(event.stream)
        continue
      }
      const stream = this.#streams.get(event.stream)
      if (stream) stream.push(event)
      else this.#streams.set(event.stream, [event])
    }
  }
}

const plain = { contentType: 'application/json', data: Buffer.from('{}'), metadata: Buffer.alloc(0) }

/** A record holds more than the event. */
function sizeOfRecord({ stream, type, data, metadata }: LoggedEvent): number {
  return 80 + stream.length + type.length + data.length + metadata.length
}
