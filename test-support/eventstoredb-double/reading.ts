import type { ServerWritableStream } from '@grpc/grpc-js'
import { Metadata, status } from '@grpc/grpc-js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { EventLog, LoggedEvent } from './log.ts'
import { eventMessage, nameOf, notFoundMessage, type LogPosition } from './messages.ts'

export type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>

/** An error with the status that the client gets. */
export class Failed extends Error {
  readonly metadata = new Metadata()
  constructor(
    readonly code: status,
    readonly details: string,
  ) {
    super(details)
  }
}

/** Whether it can still be answered: it was neither cancelled nor ended. */
export function isOpen(call: ReadCall): boolean {
  return !call.cancelled && !call.destroyed && !call.writableEnded
}

/** Sends at the pace of who reads. */
export async function send(call: ReadCall, message: streams.ReadResp): Promise<void> {
  if (!isOpen(call)) return
  if (call.write(message)) return
  const events = ['drain', 'close', 'cancelled']
  await new Promise<void>((resolve) => {
    const go = (): void => {
      for (const event of events) call.off(event, go)
      resolve()
    }
    for (const event of events) call.on(event, go)
  })
}

/** Answers a read of a stream or of the whole log. */
export async function read(call: ReadCall, log: EventLog, options: streams.ReadReq.Options): Promise<void> {
  const backwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS
  const stream = options.getStream()
  const found = stream ? ofStream(log, stream, backwards) : ofAll(log, options.getAll(), backwards)
  if (!found) await send(call, notFoundMessage(nameOf(stream?.getStreamIdentifier())))
  const count = Math.min(Number(options.getCount()), found?.length ?? 0)
  for (let index = 0; found && index < count && isOpen(call); index++) {
    const event = found.at(index)
    if (event) await send(call, eventMessage(event))
  }
  call.end()
}

interface ReadRange {
  readonly length: number
  at(index: number): LoggedEvent | undefined
}

function ofStream(log: EventLog, wanted: streams.ReadReq.Options.StreamOptions, backwards: boolean): ReadRange | undefined {
  const name = nameOf(wanted.getStreamIdentifier())
  if (name === '') throw new Failed(status.UNKNOWN, 'A stream has a name')
  const events = log.stream(name)
  if (!events) return undefined
  if (backwards) {
    const last = wanted.hasRevision() ? Math.min(Number(wanted.getRevision()), events.length - 1) : wanted.hasEnd() ? events.length - 1 : 0
    return { length: last + 1, at: (index) => events[last - index] }
  }
  if (wanted.hasEnd()) throw new Failed(status.UNKNOWN, 'Nothing can be read forwards from the end')
  const first = wanted.hasRevision() ? Number(wanted.getRevision()) : 0
  return { length: Math.max(0, events.length - first), at: (index) => events[first + index] }
}

function ofAll(log: EventLog, wanted: streams.ReadReq.Options.AllOptions | undefined, backwards: boolean): ReadRange {
  const { events } = log
  const from = wanted?.getPosition()
  if (!from) {
    const isEmpty = wanted?.hasEnd() !== backwards
    if (isEmpty) return { length: 0, at: () => undefined }
    return { length: events.length, at: (index) => events[backwards ? events.length - 1 - index : index] }
  }
  const place = logPositionOf(from)
  const isBeyond = isInLog(log, place) === 'beyond'
  if (isInLog(log, place) === 'nowhere' || (isBeyond && backwards)) throw new Failed(status.UNKNOWN, 'Trying to read from an invalid position.')
  const before = log.countBefore(Number(place.commit))
  if (backwards) return { length: before, at: (index) => events[before - 1 - index] }
  return { length: events.length - before, at: (index) => events[before + index] }
}

export function logPositionOf(position: streams.ReadReq.Options.Position): LogPosition {
  return { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) }
}

/** Whether a place is a record's, beyond the last one, or none of both. */
export function isInLog(log: EventLog, { commit, prepare }: LogPosition): 'record' | 'beyond' | 'nowhere' {
  if (prepare > commit) return 'nowhere'
  const event = log.events[log.countBefore(Number(commit))]
  if (!event) return 'beyond'
  return BigInt(event.position) === commit ? 'record' : 'nowhere'
}
