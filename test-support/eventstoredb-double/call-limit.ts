/** One connection carries this many calls at once; the rest wait. */
const MAX_CALLS = 100

interface LimitedCall {
  readonly cancelled: boolean
  getPeer(): string
  once(event: 'close' | 'cancelled', listener: () => void): unknown
}

/**
 * Runs each call as soon as its connection has room. HTTP/2 has such a limit of its own, but from Node 24 on its server
 * also counts calls that have just ended and refuses their successors, where EventStoreDB lets them wait.
 */
export function createCallLimit(): (call: LimitedCall, run: () => void) => void {
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
      run()
    })
    runWaiting()
  }
}
