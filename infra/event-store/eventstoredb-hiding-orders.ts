import type { RecordedEvent } from '@eventstore/db-client'
import { Unavailable } from '#infra/failures.ts'
import type { HidingOrder } from './event-store.ts'
import { type Connection, limits, part } from './eventstoredb-connection.ts'
import { toStored } from './eventstoredb-events.ts'
import { openFeed } from './eventstoredb-feed.ts'

/** The server's events that hide others: metadata of a stream, in the stream `$$name`, and the end of a deleted one. */
const types = ['$metadata', '$streamDeleted']
/** What metadata may say of events to be shown. A soft delete is the largest `$tb`. */
const hidingField = /"\$(tb|maxCount|maxAge)"/

const PAGE = 500

/**
 * What the whole log says now about hiding events of streams: the newest metadata of each, and tombstones.
 *
 * @throws {Unavailable}
 */
export async function readHidingOrders(
  connection: Connection,
  isOurs: (stream: string) => boolean,
  closed: AbortSignal,
): Promise<readonly HidingOrder[]> {
  const orders = new Map<string, string>()
  const note = (event: RecordedEvent): void => {
    const isMetadata = event.streamId.startsWith('$$')
    const stream = isMetadata ? event.streamId.slice(2) : event.streamId
    if (!isOurs(stream) || orders.get(stream) === DELETED) return
    const { data } = toStored(event, 0n)
    if (!isMetadata) orders.set(stream, DELETED)
    else if (hidingField.test(data)) orders.set(stream, `has metadata that hides events: ${data}`)
    else orders.delete(stream)
  }

  const giveBack = await connection.subscribing(closed)
  const feed = openFeed(connection.reader, undefined, { of: 'types', prefixes: types }, PAGE)
  try {
    for (let atEnd = false; !atEnd;) {
      for (const item of feed.take(PAGE))
        if (item.kind === 'caughtUp') atEnd = true
        else if (item.kind === 'event' && item.resolved.event) note(item.resolved.event)
      if (!atEnd) await feed.more(limits.answer)
    }
  } catch (error) {
    throw new Unavailable(part, { cause: error })
  } finally {
    feed.close()
    giveBack()
  }
  return [...orders].map(([stream, says]) => ({ stream, says }))
}

const DELETED = 'was deleted for ever'
