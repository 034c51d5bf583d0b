import { randomUUID } from 'node:crypto'
import { status } from '@grpc/grpc-js'
import type streams from '@eventstore/db-client/generated/streams_pb.js'
import type { EventLog, LoggedEvent } from './log.ts'
import { after, caughtUpMessage, checkpointMessage, confirmationMessage, eventMessage, isAfter, nameOf, type LogPosition } from './messages.ts'
import { Failed, isOpen, isInLog, logPositionOf, type ReadCall, send } from './reading.ts'

/** So many events that match are read at once while catching up, and so many wait for a live subscription before it falls behind. */
const PAGE = 32

/** Answers a subscription until it is cancelled: all of a page, then the next, and at the end whatever is appended. */
export async function subscribe(call: ReadCall, log: EventLog, options: streams.ReadReq.Options): Promise<void> {
  await send(call, confirmationMessage(randomUUID()))
  const stream = options.getStream()
  const source = stream ? streamSource(log, stream) : allSource(log, options.getAll(), options.getFilter())
  const live = liveEvents(log)
  const gone = new Promise<void>((resolve) => call.once('cancelled', resolve).once('close', resolve))
  try {
    while (isOpen(call)) {
      live.restart()
      await source.catchUp(call)
      await send(call, caughtUpMessage())
      let event: LoggedEvent | undefined
      while (isOpen(call) && (event = await live.next(gone))) await source.live(call, event)
    }
  } finally {
    live.close()
  }
}

/** What a subscription is to, and how far it has come. */
interface Source {
  /** Sends all that there is. */
  catchUp(call: ReadCall): Promise<void>
  /** Sends an event that was just appended, if it is wanted. */
  live(call: ReadCall, event: LoggedEvent): Promise<void>
}

interface LiveEvents {
  /** Forgets what waits and goes on from now. */
  restart(): void
  /** The next one, undefined when too many came at once: then it is to catch up again. */
  next(gone: Promise<void>): Promise<LoggedEvent | undefined>
  close(): void
}

/** What is appended, as long as the reader keeps pace: more than a page of it is dropped. */
function liveEvents(log: EventLog): LiveEvents {
  let waiting: LoggedEvent[] = []
  let overflown = false
  let wake = (): void => {}
  const close = log.onAppended((events) => {
    overflown ||= waiting.length + events.length > PAGE
    if (!overflown) waiting.push(...events)
    wake()
  })
  return {
    restart() {
      waiting = []
      overflown = false
    },
    async next(gone) {
      if (waiting.length === 0 && !overflown) await Promise.race([gone, new Promise<void>((resolve) => (wake = resolve))])
      return overflown ? undefined : waiting.shift()
    },
    close,
  }
}

/** Before the first event, which stands at 0. */
const beforeAll: LogPosition = { commit: -1n, prepare: -1n }

function allSource(log: EventLog, wanted: streams.ReadReq.Options.AllOptions | undefined, filter: streams.ReadReq.Options.FilterOptions | undefined): Source {
  const position = wanted?.getPosition()
  const newest = log.events.at(-1)
  let place = position ? logPositionOf(position) : wanted?.hasEnd() && newest ? after(newest) : beforeAll
  if (place !== beforeAll && isInLog(log, place) === 'nowhere') throw new Failed(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.')
  const matches = matcherOf(filter)
  const window = filter?.hasMax() ? filter.getMax() : PAGE
  /** After so many events considered, matching or not, comes a checkpoint. */
  const interval = filter ? window * filter.getCheckpointintervalmultiplier() : Infinity
  let considered = 0
  let told: LogPosition | undefined

  const tell = async (call: ReadCall, checkpoint: LogPosition): Promise<void> => {
    told = checkpoint
    await send(call, checkpointMessage(checkpoint === beforeAll ? { commit: 0n, prepare: 0n } : checkpoint))
  }

  return {
    async catchUp(call) {
      if (isInLog(log, place) === 'beyond') return
      considered = 0
      let delivered: LoggedEvent | undefined
      for (let next = log.countBefore(Number(place.commit)); next < log.events.length && isOpen(call);) {
        const page = pageFrom(log.events, next, matches, window)
        let reached = place
        for (const event of page.matching) {
          if (!isAfter(event, place)) continue
          await send(call, eventMessage(event))
          delivered = event
          reached = after(event)
        }
        considered += page.end - next
        if (considered >= interval) {
          considered %= interval
          await tell(call, reached)
        }
        const last = log.events[page.end - 1]
        next = page.end
        // The next page begins before the event at its position, which is how {X,0} comes about.
        const following = log.events[next]
        place = following ? { commit: BigInt(following.position), prepare: 0n } : last ? after(last) : place
      }
      if (filter && delivered && (!told || isAfter(delivered, told))) await tell(call, after(delivered))
      considered = 0
    },
    async live(call, event) {
      if (!isAfter(event, place)) return
      place = after(event)
      considered += 1
      if (matches(event)) await send(call, eventMessage(event))
      if (considered < interval) return
      considered = 0
      await tell(call, place)
    },
  }
}

/** At most a page of events that match, and no more looked at than the window. */
function pageFrom(
  events: readonly LoggedEvent[],
  start: number,
  matches: (event: LoggedEvent) => boolean,
  window: number,
): { matching: LoggedEvent[]; end: number } {
  const matching: LoggedEvent[] = []
  let end = start
  while (end < events.length && end - start < window && matching.length < PAGE) {
    const event = events[end++]
    if (event && matches(event)) matching.push(event)
  }
  return { matching, end }
}

function matcherOf(filter: streams.ReadReq.Options.FilterOptions | undefined): (event: LoggedEvent) => boolean {
  const onStream = filter?.getStreamIdentifier()
  const expression = onStream ?? filter?.getEventType()
  if (!expression) return () => true
  const prefixes = expression.getPrefixList()
  // The dialect of the real server is .NET's; what our code asks for means the same in both.
  const pattern = prefixes.length === 0 ? new RegExp(expression.getRegex(), 'u') : undefined
  return ({ stream, type }) => {
    const text = onStream ? stream : type
    return pattern ? pattern.test(text) : prefixes.some((prefix) => text.startsWith(prefix))
  }
}

function streamSource(log: EventLog, wanted: streams.ReadReq.Options.StreamOptions): Source {
  const name = nameOf(wanted.getStreamIdentifier())
  const there = log.stream(name)?.length ?? 0
  let last = wanted.hasRevision() ? Number(wanted.getRevision()) : wanted.hasEnd() ? there - 1 : -1
  return {
    async catchUp(call) {
      for (let event = log.stream(name)?.[last + 1]; event && isOpen(call); event = log.stream(name)?.[last + 1]) {
        last = event.revision
        await send(call, eventMessage(event))
      }
    },
    async live(call, event) {
      if (event.stream !== name || event.revision <= last) return
      last = event.revision
      await send(call, eventMessage(event))
    },
  }
}
