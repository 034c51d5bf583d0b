/** One connection carries so many calls at once; more wait without a word. */
const MAX_CALLS = 100

interface LimitedCall {
  readonly cancelled: boolean
  getPeer(): string
  once(event: 'close' | 'cancelled', listener: () => void): unknown
}

/** Runs a call as soon as its connection has room for it. The call ends when it is closed, cancelled or done. */
export type CallLimit = (call: LimitedCall, run: (done: () => void) => void) => void

/**
 * The limit is kept here rather than by HTTP/2: from Node 24 on, an HTTP/2 server counts calls that have just ended and
 * refuses those that the client sends in their stead, where EventStoreDB lets them wait.
 */
export function createCallLimit(): CallLimit {
  const connections = new Map<string, { open: number; readonly waiting: (() => void)[] }>()
  return (call, run) => {
    const connection = connections.get(call.getPeer()) ?? { open: 0, waiting: [] }
    connections.set(call.getPeer(), connection)
    const runWaiting = (): void => {
      while (connection.open < MAX_CALLS && connection.waiting.length > 0) connection.waiting.shift()?.()
    }
    connection.waiting.push(() => {
      if (call.cancelled) return
      connection.open++
      let isOpen = true
      const end = (): void => {
        if (isOpen) connection.open--
        isOpen = false
        runWaiting()
      }
      call.once('close', end)
      call.once('cancelled', end)
      run(end)
    })
    runWaiting()
  }
}
