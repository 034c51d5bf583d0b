import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'

/** What an append expects of its stream; EventStoreDB has more words for it than our port. */
export type Expected = 'any' | 'stream_exists' | 'no_stream' | number

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
  /** Where its record begins: the log counts in bytes, so there are gaps. */
  readonly position: number
  /** Ms since 1970. */
  readonly created: number
}

export type Outcome =
  | { readonly revision: number; readonly position: number }
  | { readonly wrong: 'revision'; readonly actual: number | 'no_stream' }
  | { readonly wrong: 'size' }

/** One append may hold so many bytes: data, metadata and the type, which counts twice. */
export const LARGEST_APPEND = 1024 * 1024

/** The log of the double: appends are decided as EventStoreDB 24.10 decides them. */
export interface EventLog {
  /** All events in their order, the server's own among them. */
  readonly events: readonly LoggedEvent[]
  /** The events of a stream, undefined for one that there is not. */
  stream(name: string): readonly LoggedEvent[] | undefined
  /** How many events lie before a position. */
  countBefore(position: number): number
  append(stream: string, expected: Expected, events: readonly ProposedEvent[]): Outcome
  /** Calls back after each append, with its events. Answers how to end that. */
  onAppended(listener: (events: readonly LoggedEvent[]) => void): () => void
  /** A restart: ids are known by heart only until then. */
  restart(options: { readonly wiped: boolean }): void
}

const kept = z.array(
  z.object({
    stream: z.string(),
    revision: z.number(),
    position: z.number(),
    created: z.number(),
    id: z.string(),
    type: z.string(),
    contentType: z.string(),
    data: z.base64(),
    metadata: z.base64(),
  }),
)

/** Opens a log in memory; with a path each append is one line of that file, so that it survives the process. */
export function openEventLog(path?: string): EventLog {
  let events: LoggedEvent[] = []
  let streams = new Map<string, LoggedEvent[]>()
  /** Where the next record begins. */
  let end = 0
  /** The events that were written since the last restart, by id. */
  let byHeart = new Map<string, LoggedEvent>()
  const listeners = new Set<(events: readonly LoggedEvent[]) => void>()

  const take = (written: readonly LoggedEvent[]): void => {
    for (const event of written) {
      events.push(event)
      const stream = streams.get(event.stream)
      if (stream) stream.push(event)
      else streams.set(event.stream, [event])
      end = event.position + sizeOfRecord(event)
    }
  }

  const write = (stream: string, from: number, proposed: readonly ProposedEvent[]): LoggedEvent[] => {
    let position = end
    const written = proposed.map((event, index) => {
      const logged = { ...event, stream, revision: from + index, position, created: Date.now() }
      position += sizeOfRecord(logged)
      return logged
    })
    if (path !== undefined)
      appendFileSync(path, `${JSON.stringify(written.map((event) => ({ ...event, data: base64(event.data), metadata: base64(event.metadata) })))}\n`)
    take(written)
    for (const event of written) byHeart.set(event.id, event)
    for (const listener of listeners) listener(written)
    return written
  }

  /** A new server has written something before anybody else could. */
  const begin = (): void => {
    const settings = { id: randomUUID(), contentType: 'application/json', data: Buffer.from('{"$maxCount":1}'), metadata: Buffer.alloc(0) }
    write('$$$settings', 0, [{ ...settings, type: '$metadata' }])
    write('$users', 0, [{ ...settings, id: randomUUID(), type: '$UserCreated' }])
  }

  const load = (): void => {
    events = []
    streams = new Map()
    byHeart = new Map()
    end = 0
    if (path !== undefined && existsSync(path))
      for (const line of readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line.endsWith(']')))
        take(
          kept.parse(JSON.parse(line)).map((event) => ({ ...event, data: Buffer.from(event.data, 'base64'), metadata: Buffer.from(event.metadata, 'base64') })),
        )
    if (events.length === 0) begin()
  }
  load()

  /** The last of the events when all of them were written before and stand where they are expected to. */
  const writtenBefore = (stream: readonly LoggedEvent[], expected: Expected, proposed: readonly ProposedEvent[]): LoggedEvent | 'partly' | undefined => {
    const known = typeof expected === 'number' || expected === 'no_stream' ? undefined : byHeart.get(proposed[0]?.id ?? '')
    const first = typeof expected === 'number' ? expected + 1 : expected === 'no_stream' ? 0 : known?.stream === stream[0]?.stream ? known?.revision : undefined
    if (first === undefined) return undefined
    let last: LoggedEvent | undefined
    for (const [index, { id }] of proposed.entries()) {
      const there = stream[first + index]
      if (there?.id !== id) return 'partly'
      last = there
    }
    return last
  }

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
      const wrong = { wrong: 'revision', actual: last < 0 ? 'no_stream' : last } as const
      const wanted = expected === 'no_stream' ? -1 : expected
      if (wanted === 'stream_exists' && last < 0) return wrong
      if (typeof wanted === 'number' && wanted > last) return wrong
      if (proposed.length === 0) {
        if (typeof wanted === 'number' && wanted < last) return wrong
        // It takes a record nevertheless, at which no event stands.
        const position = end
        end += 60
        return { revision: Math.max(last, 0), position }
      }
      if (wanted !== last) {
        const before = writtenBefore(stream, expected, proposed)
        if (before && before !== 'partly') return { revision: before.revision, position: before.position }
        if (before === 'partly' || typeof wanted === 'number') return wrong
      }
      const written = write(name, last + 1, proposed).at(-1)
      return { revision: written?.revision ?? last, position: written?.position ?? end }
    },
    onAppended(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    restart({ wiped }) {
      if (wiped && path !== undefined) rmSync(path, { force: true })
      if (path !== undefined || wiped) load()
      byHeart = new Map()
    },
  }
}

/** A record has more in it than the event. */
function sizeOfRecord({ stream, type, data, metadata }: Omit<LoggedEvent, 'position'>): number {
  return 80 + stream.length + type.length + data.length + metadata.length
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}
