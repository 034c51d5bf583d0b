import { Changes, ENDED_EVENT, READY_EVENT, type Topic } from '../../../../services/api/live-schemas.ts'
import { oldestVisiblePosition, onVisiblePosition, resetVisiblePosition } from '../../api/shown.ts'
import { LIVE_URL } from './live-queries.ts'

/** Listens to what changes, as it happens, and goes on without where that is not possible. */

interface Listener {
  /** These kinds of things changed. */
  readonly changed: (topics: readonly Topic[]) => void
  /** Nothing is told at present, or was until now: anything may have changed. */
  readonly disconnected: () => void
  /** The session may be over. Resolves when that is known; if it is, {@link Connection.close} was called. */
  readonly ended: () => Promise<void>
}

export interface Connection {
  close(): void
}

/** After a refusal (too many pages listen, the server is about to stop) it is tried again, in ms. */
const RETRY_AFTER = 10_000
/** While nothing is told, what is shown is read again this often, in ms. */
const DISCONNECTED_REFRESH_MS = 30_000
/** It is listened from where the first answers are; where there are none, after this long, in ms. */
const FIRST_RESPONSE_WAIT_MS = 1_000
/** A busy firm changes many times a second; nobody reads that fast. In ms. */
const THROTTLE_MS = 1_000
/** So many of the things told last are remembered, for answers that are older than they are. */
const BUFFER_SIZE = 50

/**
 * One stream for this page, and only while somebody looks at it: browsers allow a site few connections in all, and a
 * page in the background would hold one for nothing. When it is looked at again, the server tells what it missed.
 */
export function connectLiveUpdates({ changed, disconnected, ended }: Listener): Connection {
  let source: EventSource | undefined
  /** All that is remembered of what was told came after here. */
  let since = oldestVisiblePosition()
  let heard = since?.toString()
  let told: TopicChange[] = []
  let isHearing = false
  let closed = false
  let retrying: ReturnType<typeof setTimeout> | undefined
  const tell = throttle(changed)

  const stop = () => {
    source?.close()
    source = undefined
    isHearing = false
  }
  const start = () => {
    clearTimeout(retrying)
    if (closed || source || document.hidden) return
    const own = new EventSource(heard === undefined ? LIVE_URL : `${LIVE_URL}?after=${encodeURIComponent(heard)}`)
    source = own
    own.addEventListener(READY_EVENT, ({ lastEventId }) => {
      isHearing = true
      // Nothing was asked for that says how old it is: what was read from the log itself.
      if (heard === undefined) disconnected()
      heard = lastEventId || heard
    })
    own.addEventListener('message', ({ data, lastEventId }) => {
      heard = lastEventId || heard
      const { topics } = Changes.parse(JSON.parse(String(data)))
      if (lastEventId) remember({ at: BigInt(lastEventId), topics })
      tell(topics)
    })
    own.addEventListener(ENDED_EVENT, () => void askAnd(THROTTLE_MS))
    own.addEventListener('error', () => {
      isHearing = false
      // Otherwise the browser comes back by itself.
      if (own.readyState === EventSource.CLOSED) void askAnd(RETRY_AFTER)
    })
  }
  const askAnd = async (wait: number) => {
    stop()
    await ended()
    if (!closed) retrying = setTimeout(start, wait)
  }

  const remember = (change: TopicChange) => {
    told.push(change)
    if (told.length > BUFFER_SIZE) since = told.shift()?.at
  }

  /**
   * An answer that is older than what was told: it was read where that is not known yet, or under way meanwhile. Told
   * once more is what came after it, from memory or, where that does not reach back so far, by the server.
   */
  const answered = (shown: bigint) => {
    if (since !== undefined && shown >= since) {
      const missed = told.filter(({ at }) => at > shown).flatMap(({ topics }) => topics)
      if (missed.length > 0) tell(missed)
      return
    }
    since = shown
    heard = shown.toString()
    told = []
    stop()
    start()
  }

  const look = () => (document.hidden ? stop() : start())
  const focus = () => {
    if (!isHearing) disconnected()
  }
  const asking = setInterval(() => {
    if (!isHearing && !document.hidden) disconnected()
  }, DISCONNECTED_REFRESH_MS)
  document.addEventListener('visibilitychange', look)
  window.addEventListener('focus', focus)
  const deaf = onVisiblePosition(answered)
  if (since === undefined) retrying = setTimeout(start, FIRST_RESPONSE_WAIT_MS)
  else start()

  return {
    close() {
      closed = true
      stop()
      deaf()
      // Who listens next goes on from here.
      if (heard !== undefined) resetVisiblePosition(BigInt(heard))
      tell.cancel()
      clearTimeout(retrying)
      clearInterval(asking)
      document.removeEventListener('visibilitychange', look)
      window.removeEventListener('focus', focus)
    },
  }
}

/** What changed up to a position of the log. */
interface TopicChange {
  readonly at: bigint
  readonly topics: readonly Topic[]
}

/** The first at once; what comes within the pace is gathered and told together. */
function throttle(tell: (topics: readonly Topic[]) => void) {
  const waiting = new Set<Topic>()
  let pause: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    pause = undefined
    if (waiting.size === 0) return
    const topics = [...waiting]
    waiting.clear()
    pause = setTimeout(flush, THROTTLE_MS)
    tell(topics)
  }
  const add = (topics: readonly Topic[]) => {
    for (const topic of topics) waiting.add(topic)
    if (pause === undefined) flush()
  }
  return Object.assign(add, { cancel: () => clearTimeout(pause) })
}
