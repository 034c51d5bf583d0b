import shared from '@eventstore/db-client/generated/shared_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { type LoggedEvent, TOMBSTONE } from './log.ts'

/** A position of the log in the protocol: {X,0} is before the event at X, {X,X} after it. */
export interface LogPosition {
  readonly commit: bigint
  readonly prepare: bigint
}

/** An event for a reader or a subscription. */
export function eventMessage(event: LoggedEvent): streams.ReadResp {
  const record = new streams.ReadResp.ReadEvent.RecordedEvent()
  record.setId(uuid(event.id))
  record.setStreamIdentifier(identifier(event.stream))
  record.setStreamRevision(event.revision === TOMBSTONE ? String(2n ** 63n - 1n) : String(event.revision))
  record.setCommitPosition(String(event.position))
  record.setPreparePosition(String(event.position))
  record.setData(event.data)
  record.setCustomMetadata(event.metadata)
  const metadata = record.getMetadataMap()
  metadata.set('type', event.type)
  metadata.set('content-type', event.contentType)
  // A tick is a ten-thousandth of a millisecond.
  metadata.set('created', String(event.created * 10_000))
  const read = new streams.ReadResp.ReadEvent()
  // A link whose target was deleted comes without an event.
  if (event.type === '$>') read.setLink(record)
  else read.setEvent(record)
  read.setCommitPosition(String(event.position))
  return response((message) => message.setEvent(read))
}

export function checkpointMessage({ commit, prepare }: LogPosition): streams.ReadResp {
  const checkpoint = new streams.ReadResp.Checkpoint()
  checkpoint.setCommitPosition(String(commit))
  checkpoint.setPreparePosition(String(prepare))
  return response((message) => message.setCheckpoint(checkpoint))
}

export function caughtUpMessage(): streams.ReadResp {
  return response((message) => message.setCaughtUp(new streams.ReadResp.CaughtUp()))
}

export function confirmationMessage(id: string): streams.ReadResp {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation()
  confirmation.setSubscriptionId(id)
  return response((message) => message.setConfirmation(confirmation))
}

export function notFoundMessage(stream: string): streams.ReadResp {
  const notFound = new streams.ReadResp.StreamNotFound()
  notFound.setStreamIdentifier(identifier(stream))
  return response((message) => message.setStreamNotFound(notFound))
}

function response(fill: (message: streams.ReadResp) => void): streams.ReadResp {
  const message = new streams.ReadResp()
  fill(message)
  return message
}

export function uuid(text: string): shared.UUID {
  const id = new shared.UUID()
  id.setString(text)
  return id
}

export function identifier(stream: string): shared.StreamIdentifier {
  const named = new shared.StreamIdentifier()
  named.setStreamName(Buffer.from(stream))
  return named
}

export function nameOf(named: shared.StreamIdentifier | undefined): string {
  return Buffer.from(named?.getStreamName_asU8() ?? []).toString()
}
