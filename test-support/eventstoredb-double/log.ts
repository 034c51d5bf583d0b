import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'

/** The revision that an append expects. Our store never uses 'any', only tests that write past it. */
export type Expected = 'any' | 'no_stream' | number

export interface ProposedEvent {
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
}

export interface LoggedEvent extends ProposedEvent {
  readonly stream: string
  readonly revision: number
  /** The offset of its record in bytes, so there are gaps. */
  readonly position: number
  /** Ms since 1970. */
  readonly created: number
}

export type Outcome =
  | { readonly revision: number; readonly position: number }
  | { readonly wrong: 'revision'; readonly actual: number | 'no_stream' }
  | { readonly wrong: 'size' }

/** The limit of one append in bytes: data, metadata and twice the type. */
export const LARGEST_APPEND = 1024 * 1024

/** The log of the double. It decides appends as EventStoreDB 24.10 does. */
export interface EventLog {
  /** All events in order, the server's own included. */
  readonly events: readonly LoggedEvent[]
  /** The events of a stream, undefined if it does not exist. */
  stream(name: string): readonly LoggedEvent[] | undefined
  /** The number of events before a position. */
  countBefore(position: number): number
  append(stream: string, expected: Expected, events: readonly ProposedEvent[]): Outcome
  /** Calls back with the events of each append. Returns a function that stops it. */
  onAppended(listener: (events: readonly LoggedEvent[]) => void): () => void
  /** Removes all events, like a new server. */
  wipe(): void
}

const bytes = z.base64().transform((text) => Buffer.from(text, 'base64'))
const storedEvents = z.array(
  z.object({
    stream: z.string(),
    revision: z.number(),
    position: z.number(),
    created: z.number(),
    id: z.string(),
    type: z.string(),
    contentType: z.string(),
    data: bytes,
    metadata: bytes,
  }),
)

/** Opens a log in memory. With a path, each append is also a line of that file, and the log survives its process. */
export function openEventLog(path?: string): EventLog {
  let events: LoggedEvent[] = []
  let streams = new Map<string, LoggedEvent[]>()
  const listeners = new Set<(events: readonly LoggedEvent[]) => void>()

  const add = (added: readonly LoggedEvent[]): void => {
    for (const event of added) {
      events.push(event)
      const stream = streams.get(event.stream)
      if (stream) stream.push(event)
      else streams.set(event.stream, [event])
    }
  }

  const write = (stream: string, from: number, proposed: readonly ProposedEvent[]): LoggedEvent | undefined => {
    const last = events.at(-1)
    let position = last ? last.position + sizeOfRecord(last) : 0
    const written = proposed.map((event, index) => {
      const logged = { ...event, stream, revision: from + index, position, created: Date.now() }
      position += sizeOfRecord(logged)
      return logged
    })
    if (path !== undefined)
      appendFileSync(path, `${JSON.stringify(written.map((event) => ({ ...event, data: base64(event.data), metadata: base64(event.metadata) })))}\n`)
    add(written)
    for (const listener of listeners) listener(written)
    return written.at(-1)
  }

  /** A new server begins its log with events of its own. */
  const begin = (): void => {
    const event = { contentType: 'application/json', data: Buffer.from('{"$maxCount":1}'), metadata: Buffer.alloc(0) }
    write('$$$settings', 0, [{ ...event, id: randomUUID(), type: '$metadata' }])
    write('$users', 0, [{ ...event, id: randomUUID(), type: '$UserCreated' }])
  }

  if (path !== undefined && existsSync(path))
    for (const line of readFileSync(path, 'utf8').split('\n')) if (line.endsWith(']')) add(storedEvents.parse(JSON.parse(line)))
  if (events.length === 0) begin()

  return {
    get events() {
      return events
    },
    stream: (name) => streams.get(name),
    countBefore(position) {
      let [low, high] = [0, events.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if ((events[middle]?.position ?? 0) < position) low = middle + 1
        else high = middle
      }
      return low
    },
    append(name, expected, proposed) {
      if (proposed.reduce((sum, { data, metadata, type }) => sum + data.length + metadata.length + 2 * type.length, 0) > LARGEST_APPEND)
        return { wrong: 'size' }
      const stream = streams.get(name) ?? []
      const last = stream.length - 1
      const wanted = expected === 'any' ? last : expected === 'no_stream' ? -1 : expected
      if (wanted !== last) {
        const repeated = proposed.every(({ id }, index) => stream[wanted + 1 + index]?.id === id) ? stream[wanted + proposed.length] : undefined
        return repeated ?? { wrong: 'revision', actual: last < 0 ? 'no_stream' : last }
      }
      return write(name, last + 1, proposed) ?? { revision: last, position: 0 }
    },
    onAppended(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    wipe() {
      events = []
      streams = new Map()
      begin()
    },
  }
}

/** A record holds more than the event. */
function sizeOfRecord({ stream, type, data, metadata }: LoggedEvent): number {
  return 80 + stream.length + type.length + data.length + metadata.length
}

function base64(data: Uint8Array): string {
  return Buffer.from(data).toString('base64')
}
