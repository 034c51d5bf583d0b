import { randomUUID } from 'node:crypto'
import { Metadata, type ServerWritableStream, status } from '@grpc/grpc-js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import type { EventLog, LoggedEvent } from './log.ts'
import {
  caughtUpMessage,
  checkpointMessage,
  confirmationMessage,
  eventMessage,
  nameOf,
  notFoundMessage,
  type LogPosition,
} from './messages.ts'

export type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>

/** An error with the status for the client. */
export class Failed extends Error {
  readonly metadata = new Metadata()
  constructor(
    readonly code: status,
    readonly details: string,
  ) {
    super(details)
  }
}

/** Every call about a tombstoned stream. */
export function streamDeleted(stream: string): Failed {
  const failed = new Failed(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted`)
  failed.metadata.set('exception', 'stream-deleted')
  failed.metadata.set('stream-name', stream)
  return failed
}

/** Reads a stream forwards, its last event, or the whole log backwards; neither our store nor our tests read otherwise. */
export async function read(call: ReadCall, log: EventLog, options: streams.ReadReq.Options): Promise<void> {
  const isBackwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS
  const stream = options.getStream()
  const all = options.getAll()
  const count = Number(options.getCount())
  if (stream && isBackwards === stream.hasEnd()) {
    const name = nameOf(stream.getStreamIdentifier())
    const shown = log.shown(name)
    if (shown === 'deleted') throw streamDeleted(name)
    if (!shown) await send(call, notFoundMessage(name))
    const first = stream.hasRevision() ? Number(stream.getRevision()) : 0
    const from = shown?.filter(({ revision }) => revision >= first) ?? []
    const events = isBackwards ? from.slice(-count).reverse() : from.slice(0, count)
    for (const event of events) await send(call, eventMessage(event))
  } else if (all && isBackwards) {
    const from = all.getPosition()
    if (from && locate(log, logPositionOf(from)) !== 'record')
      throw new Failed(status.UNKNOWN, 'Trying to read from an invalid position.')
    const before = from ? log.countBefore(Number(from.getCommitPosition())) : log.events.length
    for (const event of log.events.slice(Math.max(0, before - count), before).reverse())
      await send(call, eventMessage(event))
  } else throw new Failed(status.UNIMPLEMENTED, 'The double does not have this read')
  call.end()
}

/** The number of matching events in a page, and of events that wait for a live subscription before it falls behind. */
const PAGE = 32

/** Before the first event, which is at 0. */
const beforeAll: LogPosition = { commit: -1n, prepare: -1n }

/** Serves a subscription to the whole log until it is cancelled: page by page to the end, then each append. */
export async function subscribe(call: ReadCall, log: EventLog, options: streams.ReadReq.Options): Promise<void> {
  await send(call, confirmationMessage(randomUUID()))
  const from = options.getAll()?.getPosition()
  const newest = log.events.at(-1)
  let position = from ? logPositionOf(from) : options.getAll()?.hasEnd() && newest ? after(newest) : beforeAll
  if (from && locate(log, position) === 'nowhere')
    throw new Failed(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.')

  const filter = options.getFilter()
  const streams = filter?.getStreamIdentifier()?.getPrefixList() ?? ['']
  const types = filter?.getEventType()?.getPrefixList() ?? ['']
  const matches = ({ stream, type }: LoggedEvent): boolean =>
    filter?.hasEventType()
      ? types.some((prefix) => type.startsWith(prefix))
      : streams.some((prefix) => stream.startsWith(prefix))
  const window = filter?.hasMax() ? filter.getMax() : PAGE
  /** A checkpoint follows after this many events, matching or not. */
  const interval = filter ? window * filter.getCheckpointintervalmultiplier() : Infinity
  let considered = 0
  let reported = beforeAll

  const report = async (checkpoint: LogPosition): Promise<void> => {
    reported = checkpoint
    await send(call, checkpointMessage(checkpoint === beforeAll ? { commit: 0n, prepare: 0n } : checkpoint))
  }

  const catchUp = async (): Promise<void> => {
    if (locate(log, position) === 'beyond') return
    considered = 0
    let delivered: LoggedEvent | undefined
    for (let next = log.countBefore(Number(position.commit)); next < log.events.length && isOpen(call);) {
      let covered = position
      let matching = 0
      const start = next
      for (; next < log.events.length && next - start < window && matching < PAGE; next++) {
        const event = log.events[next]
        if (!event || !matches(event)) continue
        matching++
        if (!isAfter(event, position)) continue
        await send(call, eventMessage(event))
        delivered = event
        covered = after(event)
      }
      considered += next - start
      if (considered >= interval) {
        considered %= interval
        await report(covered)
      }
      const [last, following] = [log.events[next - 1], log.events[next]]
      // The next page begins before the event at its position, hence {X,0}.
      position = following ? { commit: BigInt(following.position), prepare: 0n } : last ? after(last) : position
    }
    if (filter && delivered && isAfter(delivered, reported)) await report(after(delivered))
    considered = 0
  }

  const deliver = async (event: LoggedEvent): Promise<void> => {
    if (!isAfter(event, position)) return
    position = after(event)
    if (matches(event)) await send(call, eventMessage(event))
    if (++considered < interval) return
    considered = 0
    await report(position)
  }

  const live = { events: [] as LoggedEvent[], overflown: false }
  let wake = (): void => {}
  const stop = log.onAppended((events) => {
    live.overflown ||= live.events.length + events.length > PAGE
    if (!live.overflown) live.events.push(...events)
    wake()
  })
  for (const ending of ['cancelled', 'close']) call.once(ending, () => wake())
  try {
    while (isOpen(call)) {
      Object.assign(live, { events: [], overflown: false })
      await catchUp()
      await send(call, caughtUpMessage())
      while (isOpen(call) && !live.overflown) {
        const event = live.events.shift()
        if (event) await deliver(event)
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    }
  } finally {
    stop()
  }
}

function isOpen(call: ReadCall): boolean {
  return !call.cancelled && !call.destroyed && !call.writableEnded
}

/** Sends at the reader's pace. */
async function send(call: ReadCall, message: streams.ReadResp): Promise<void> {
  if (!isOpen(call) || call.write(message)) return
  const events = ['drain', 'close', 'cancelled']
  await new Promise<void>((resolve) => {
    const go = (): void => {
      for (const event of events) call.off(event, go)
      resolve()
    }
    for (const event of events) call.on(event, go)
  })
}

function after({ position }: LoggedEvent): LogPosition {
  return { commit: BigInt(position), prepare: BigInt(position) }
}

function isAfter(event: LoggedEvent, { commit, prepare }: LogPosition): boolean {
  const position = BigInt(event.position)
  return position > commit || (position === commit && position > prepare)
}

function logPositionOf(position: streams.ReadReq.Options.Position): LogPosition {
  return { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) }
}

/** Whether a record begins at a position, or it lies beyond the last one, or neither. */
function locate(log: EventLog, position: LogPosition): 'record' | 'beyond' | 'nowhere' {
  if (position === beforeAll) return 'record'
  if (position.prepare > position.commit) return 'nowhere'
  const event = log.events[log.countBefore(Number(position.commit))]
  if (!event) return 'beyond'
  return BigInt(event.position) === position.commit ? 'record' : 'nowhere'
}
