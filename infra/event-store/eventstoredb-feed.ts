import {
  type AllStreamResolvedEvent,
  type EventStoreDBClient,
  eventTypeFilter,
  type Position as LogPosition,
  START,
  streamNameFilter,
} from '@eventstore/db-client'
import { NoResponse } from './eventstoredb-connection.ts'

/** An item of a subscription, in order. */
export type Item =
  | { readonly kind: 'event'; readonly resolved: AllStreamResolvedEvent }
  | { readonly kind: 'checkpoint'; readonly logPosition: LogPosition }
  | { readonly kind: 'caughtUp' }

/** A subscription until it breaks; it is not resumed. */
export type Feed = ReturnType<typeof openFeed>

/** The server reports its progress after this many times 32 events, matching or not. */
const CHECKPOINTS = 32

/**
 * Subscribes to the events whose stream, or whose type, has one of the prefixes. Prefixes need no escaping, unlike
 * .NET's regular expressions.
 */
export function openFeed(
  client: EventStoreDBClient,
  after: LogPosition | undefined,
  { of, prefixes }: { readonly of: 'streams' | 'types'; readonly prefixes: readonly string[] },
  buffered: number,
) {
  const filterOf = of === 'streams' ? streamNameFilter : eventTypeFilter
  /** Checkpoints and "caught up" arrive ahead of the events still buffered here: each is due after this many events. */
  const marks: { readonly due: number; readonly item: Item }[] = []
  let taken = 0
  let failure: Error | undefined
  /** Something has arrived since the last look. */
  let hasNews = false
  let goOn = (): void => {}

  const wake = (): void => {
    hasNews = true
    goOn()
  }

  // Keep this handler minimal: the subscription waits for it, and would wait for ever if it failed.
  const mark = (item: Item): void => {
    marks.push({ due: taken + subscription.readableLength, item })
    wake()
  }
  const broken = (error: Error): void => {
    failure ??= error
    wake()
  }
  const subscription = client.subscribeToAll(
    {
      fromPosition: after ?? START,
      filter: filterOf({
        prefixes: [...prefixes],
        checkpointInterval: CHECKPOINTS,
        checkpointReached: async (_, logPosition) => mark({ kind: 'checkpoint', logPosition }),
      }),
    },
    { highWaterMark: buffered },
  )
  subscription.on('caughtUp', () => mark({ kind: 'caughtUp' }))
  // Reading manually applies backpressure to the server; a 'data' listener would not.
  subscription.on('readable', () => wake())
  // A kill or a cut emits one error, without 'end' or 'close'; a stopping server may also just end it.
  subscription.on('error', broken)
  for (const ending of ['end', 'close']) subscription.on(ending, () => broken(new Error('The subscription ended')))

  /** The items received, with at most this many events. Items not taken stay with the server. */
  const take = (limit: number): Item[] => {
    hasNews = subscription.readableLength > limit
    const items: Item[] = []
    for (let events = 0; ; events++) {
      while (marks[0] && marks[0].due <= taken) items.push(...marks.splice(0, 1).map(({ item }) => item))
      const resolved: AllStreamResolvedEvent | null = events < limit ? subscription.read() : null
      if (resolved === null) break
      taken++
      items.push({ kind: 'event', resolved })
    }
    // The event read last may have made others due.
    while (marks[0] && marks[0].due <= taken) items.push(...marks.splice(0, 1).map(({ item }) => item))
    return items
  }

  return {
    take,
    /** Waits for more. @throws the error that ended it, or {@link NoResponse} after this many ms. */
    async more(ms?: number): Promise<void> {
      if (hasNews) return
      if (failure) throw failure
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve, reject) => {
        goOn = resolve
        if (ms !== undefined) timer = setTimeout(() => reject(new NoResponse()), ms)
      }).finally(() => clearTimeout(timer))
    },
    close(): void {
      subscription.unsubscribe().catch(() => {})
      subscription.destroy()
      broken(new Error('The subscription was closed'))
    },
  }
}
