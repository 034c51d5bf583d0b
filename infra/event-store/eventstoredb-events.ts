import { binaryEvent, type EventData, jsonEvent, type RecordedEvent } from '@eventstore/db-client'
import { type EventToAppend, type StoredEvent, toPosition } from './event-store.ts'

/** The maximum size of an append, in bytes. */
const LARGEST_APPEND = 1_048_576

const utf8 = new TextEncoder()

type JsonObject = Record<string, unknown>

/**
 * An event as EventStoreDB stores it. The client parses and formats JSON itself, but ours must return byte for byte:
 * text that survives formatting is stored as JSON, readable with EventStoreDB's own tools. Other data is stored as
 * plain bytes, other metadata as a JSON string.
 */
export function toProposed({ id, type, data, metadata }: EventToAppend): EventData {
  // The client sends bytes as they are; an object it would format again.
  const kept = { id, type, metadata: objectOf(metadata) ? utf8.encode(metadata) : metadata }
  const object = objectOf(data)
  return object ? jsonEvent({ ...kept, data: object }) : binaryEvent({ ...kept, data: utf8.encode(data) })
}

/** The JSON object of a text, if the client would format it to the same text. */
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
 * An event as it was read. Other writers may have written to our streams: malformed JSON arrives as text, bytes as
 * bytes, missing data as undefined. All of it is passed on as text, for the reader of the events to judge.
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
 * Refuses an append that is too large before it is sent: a message over gRPC's limit would break the call that all
 * appends of this client share.
 *
 * @throws {TypeError} when the events exceed the limit.
 */
export function checkSize(stream: string, events: readonly EventToAppend[]): void {
  let size = 0
  // Metadata stored as a JSON string is slightly larger; the server then refuses it.
  for (const { data, metadata, type } of events)
    size += Buffer.byteLength(data) + Buffer.byteLength(metadata) + 2 * Buffer.byteLength(type)
  if (size > LARGEST_APPEND)
    throw new TypeError(
      `${events.length} events for ${stream} have ${size} bytes; an append to EventStoreDB may have at most ${LARGEST_APPEND}`,
    )
}
