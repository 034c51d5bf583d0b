import { binaryEvent, type EventData, jsonEvent, type RecordedEvent } from '@eventstore/db-client'
import { type EventToAppend, type StoredEvent, toPosition } from './event-store.ts'

/** What one append may hold, in bytes. */
const LARGEST_APPEND = 1_048_576

const utf8 = new TextEncoder()

type JsonObject = Record<string, unknown>

/**
 * An event as EventStoreDB keeps it. The client parses and formats JSON by itself, and ours has to come back byte for
 * byte: what survives that is kept as JSON, for whoever looks at the log with EventStoreDB's own tools; data that does not
 * is kept as plain bytes, metadata as the text within a JSON text.
 */
export function toProposed({ id, type, data, metadata }: EventToAppend): EventData {
  // What the client is given as bytes it sends as it is; an object it would format, and code, again.
  const kept = { id, type, metadata: objectOf(metadata) ? utf8.encode(metadata) : metadata }
  const object = objectOf(data)
  return object ? jsonEvent({ ...kept, data: object }) : binaryEvent({ ...kept, data: utf8.encode(data) })
}

/** The JSON object that a text is, when it is formatted as the client would format it. */
function objectOf(text: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return isObject(parsed) && JSON.stringify(parsed) === text ? parsed : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * An event as it was read. Others may have written into our streams: malformed JSON arrives as a text, bytes as bytes, and
 * what is missing as undefined. All of it is handed on as the text that it is, for whoever reads events to judge.
 */
export function toStored(event: RecordedEvent, commit: bigint): StoredEvent {
  const { streamId, id, type, revision, data, metadata } = event
  return {
    stream: streamId,
    revision: Number(revision),
    position: toPosition(String(commit)),
    id,
    type,
    data: textOf(data),
    metadata: textOf(metadata),
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (content instanceof Uint8Array) return Buffer.from(content).toString()
  return JSON.stringify(content) ?? ''
}

/**
 * The server refuses a larger append, and a message over the limit of gRPC would break the call that all appends of this
 * client share: it is refused before it is sent.
 *
 * @throws {TypeError} for more than one append can hold.
 */
export function checkSize(stream: string, events: readonly EventToAppend[]): void {
  let size = 0
  // Metadata that is kept as a text within a text has a little more; then it is the server that refuses it.
  for (const { data, metadata, type } of events) size += Buffer.byteLength(data) + Buffer.byteLength(metadata) + 2 * Buffer.byteLength(type)
  if (size > LARGEST_APPEND)
    throw new TypeError(`${events.length} events for ${stream} have ${size} bytes, and one append to EventStoreDB may have ${LARGEST_APPEND}`)
}
