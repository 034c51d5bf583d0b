import { type AllStreamResolvedEvent, type EventStoreDBClient, type Position as Place, START, streamNameFilter } from '@eventstore/db-client'
import { NoResponse } from './eventstoredb-connection.ts'

/** What a subscription says, in its order. */
export type Item =
  | { readonly kind: 'event'; readonly resolved: AllStreamResolvedEvent }
  | { readonly kind: 'checkpoint'; readonly place: Place }
  | { readonly kind: 'caughtUp' }

/** One subscription, until it breaks: there is no second life in it. */
export interface Feed {
  /** What has come, with at most so many events. What is not taken stays with the server. */
  take(events: number): Item[]
  /** Waits for more. @throws what broke it, or {@link NoResponse} after so many ms. */
  more(ms?: number): Promise<void>
  close(): void
}

/** So many times 32 events, matching or not, may pass before a live subscription hears of it. */
const CHECKPOINTS = 32

/** Subscribes to all streams with one of the prefixes: a prefix can't be misread, and .NET's expressions are not ours. */
export function openFeed(client: EventStoreDBClient, after: Place | undefined, prefixes: readonly string[], buffered: number): Feed {
  /** Checkpoints and "caught up" run ahead of the events that are still waiting here: each is due after so many. */
  const marks: { readonly due: number; readonly item: Item }[] = []
  let taken = 0
  let failure: Error | undefined
  /** Something has come since it was last looked at. */
  let hasNews = false
  let goOn = (): void => {}

  const wake = (): void => {
    hasNews = true
    goOn()
  }

  // Nothing else happens in here: the subscription waits for it, and would wait for ever if it failed.
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
      filter: streamNameFilter({
        prefixes: [...prefixes],
        checkpointInterval: CHECKPOINTS,
        checkpointReached: async (_, place) => mark({ kind: 'checkpoint', place }),
      }),
    },
    { highWaterMark: buffered },
  )
  subscription.on('caughtUp', () => mark({ kind: 'caughtUp' }))
  // Reading it by hand keeps the server waiting while nobody asks; a listener for 'data' would not.
  subscription.on('readable', () => wake())
  // A kill or a cut is one error, without 'end' and without 'close'; a server that stops may also just end it.
  subscription.on('error', broken)
  for (const ending of ['end', 'close']) subscription.on(ending, () => broken(new Error('The subscription ended')))

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
    // The last one read may have set something free.
    while (marks[0] && marks[0].due <= taken) items.push(...marks.splice(0, 1).map(({ item }) => item))
    return items
  }

  return {
    take,
    async more(ms) {
      if (hasNews) return
      if (failure) throw failure
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve, reject) => {
        goOn = resolve
        if (ms !== undefined) timer = setTimeout(() => reject(new NoResponse()), ms)
      }).finally(() => clearTimeout(timer))
    },
    close() {
      subscription.unsubscribe().catch(() => {})
      subscription.destroy()
      broken(new Error('The subscription was closed'))
    },
  }
}
